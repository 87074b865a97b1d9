import { randomUUIDv7 } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import type { ListByNameQuery } from '../../contract/creators.ts';
import { maxSavedSearches, type SavedSearchBody } from '../../contract/saved-searches.ts';
import { dialectOf } from './dialect/dialect.ts';
import { foldName } from './fold-name.ts';
import type { Catalog, Database } from './schema.ts';
import { inWorkspace } from './transactions.ts';

export type SavedSearchRow = Selectable<Database['saved_searches']>;

const select = (db: Catalog, workspaceId: string) =>
  db.selectFrom('saved_searches').where('workspace_id', '=', workspaceId);

export const findSavedSearch = (db: Catalog, workspaceId: string, id: string): Promise<SavedSearchRow | undefined> =>
  select(db, workspaceId).selectAll().where('id', '=', id).executeTakeFirst();

const findByName = (db: Catalog, workspaceId: string, name: string) =>
  select(db, workspaceId).select('id').where('folded_name', '=', foldName(name)).executeTakeFirst();

/** One page of the saved searches of a workspace, the newest first, and how many there are on all pages. */
export async function listSavedSearches(
  db: Catalog,
  workspaceId: string,
  { q, page, per_page }: ListByNameQuery,
): Promise<{ rows: SavedSearchRow[]; total: number }> {
  let matching = select(db, workspaceId);
  if (q) matching = matching.where(dialectOf(db).contains(sql.ref('folded_name'), foldName(q)));
  const { total } = await matching.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const rows = await matching
    .selectAll()
    // Identifiers are in the order of time.
    .orderBy('id', 'desc')
    .limit(per_page)
    .offset((page - 1) * per_page)
    .execute();
  return { rows, total };
}

/** Saves a search. `taken`: there is one of that name; `full`: there are as many as there may be. */
export function createSavedSearch(
  db: Catalog,
  workspaceId: string,
  { name, page, parameters }: SavedSearchBody,
): Promise<SavedSearchRow | 'taken' | 'full'> {
  return inWorkspace(db, workspaceId, async (transaction) => {
    if (await findByName(transaction, workspaceId, name)) return 'taken';
    const { count } = await select(transaction, workspaceId)
      .select((e) => e.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    if (count >= maxSavedSearches) return 'full';
    return transaction
      .insertInto('saved_searches')
      .values({
        workspace_id: workspaceId,
        id: randomUUIDv7(),
        name,
        folded_name: foldName(name),
        page,
        query: JSON.stringify(parameters),
        created_at: new Date().toISOString(),
      })
      .returningAll()
      .executeTakeFirstOrThrow();
  });
}

/** Renames one. `taken`: another has that name. Undefined when there is none with this identifier. */
export function renameSavedSearch(
  db: Catalog,
  workspaceId: string,
  id: string,
  name: string,
): Promise<SavedSearchRow | 'taken' | undefined> {
  return inWorkspace(db, workspaceId, async (transaction) => {
    if (!(await findSavedSearch(transaction, workspaceId, id))) return undefined;
    const other = await findByName(transaction, workspaceId, name);
    if (other && other.id !== id) return 'taken';
    return transaction
      .updateTable('saved_searches')
      .set({ name, folded_name: foldName(name) })
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
  });
}

/** Deletes one. False when there is none. */
export async function deleteSavedSearch(db: Catalog, workspaceId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('saved_searches')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}
