import { randomUUIDv7 } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import type { ListByNameQuery } from '../../../contract/creators.ts';
import {
  maxNotifying,
  maxSavedSearches,
  type SavedSearchBody,
  type SavedSearchChanges,
} from '../../../contract/saved-searches.ts';
import { dialectOf } from '../dialect/dialect.ts';
import { normaliseName } from '../labels/normalise-name.ts';
import type { Catalog, Database } from '../schema.ts';
import { inWorkspace } from '../transactions.ts';

export type SavedSearchRow = Selectable<Database['saved_searches']>;

const select = (db: Catalog, workspaceId: string) =>
  db.selectFrom('saved_searches').where('workspace_id', '=', workspaceId);

export const findSavedSearch = (db: Catalog, workspaceId: string, id: string): Promise<SavedSearchRow | undefined> =>
  select(db, workspaceId).selectAll().where('id', '=', id).executeTakeFirst();

const findByName = (db: Catalog, workspaceId: string, name: string) =>
  select(db, workspaceId).select('id').where('folded_name', '=', normaliseName(name)).executeTakeFirst();

/** One page of the saved searches of a workspace, the newest first, and how many there are on all pages. */
export async function listSavedSearches(
  db: Catalog,
  workspaceId: string,
  { q, page, per_page }: ListByNameQuery,
): Promise<{ rows: SavedSearchRow[]; total: number }> {
  let matching = select(db, workspaceId);
  if (q) matching = matching.where(dialectOf(db).contains(sql.ref('folded_name'), normaliseName(q)));
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

/** Saves a search. `taken`: there is one of that name; `full`, `too many notify`: there are as many as there may be. */
export function createSavedSearch(
  db: Catalog,
  workspaceId: string,
  { name, page, parameters, notify }: SavedSearchBody,
): Promise<SavedSearchRow | 'taken' | 'full' | 'too many notify'> {
  return inWorkspace(db, workspaceId, async (transaction) => {
    if (await findByName(transaction, workspaceId, name)) return 'taken';
    if ((await countSaved(select(transaction, workspaceId))) >= maxSavedSearches) return 'full';
    const since = notify ? await beginNotifying(transaction, workspaceId) : null;
    if (since === 'full') return 'too many notify';
    return transaction
      .insertInto('saved_searches')
      .values({
        workspace_id: workspaceId,
        id: randomUUIDv7(),
        name,
        folded_name: normaliseName(name),
        page,
        query: JSON.stringify(parameters),
        created_at: new Date().toISOString(),
        notify_since: since,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
  });
}

const countSaved = async (query: ReturnType<typeof select>): Promise<number> =>
  (await query.select((e) => e.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()).count;

/**
 * From when on items are reported to a saved search that begins to tell of matches now: what is still being indexed counts as new.
 * @returns a time, or `full` when as many tell of matches as may
 */
async function beginNotifying(transaction: Catalog, workspaceId: string): Promise<string> {
  const notifying = await countSaved(select(transaction, workspaceId).where('notify_since', 'is not', null));
  if (notifying >= maxNotifying) return 'full';
  const unfinished = await transaction
    .selectFrom('media_items')
    .select('created_at')
    .where('workspace_id', '=', workspaceId)
    .where('status', 'in', ['pending', 'indexing'])
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst();
  return unfinished?.created_at ?? new Date().toISOString();
}

/** Changes one. `taken`: another has that name; `full`: as many tell of matches as may. Undefined when there is none with this identifier. */
export function updateSavedSearch(
  db: Catalog,
  workspaceId: string,
  id: string,
  { name, notify, new_matches }: SavedSearchChanges,
): Promise<SavedSearchRow | 'taken' | 'full' | undefined> {
  return inWorkspace(db, workspaceId, async (transaction) => {
    const before = await findSavedSearch(transaction, workspaceId, id);
    if (!before) return undefined;
    const other = name === undefined ? undefined : await findByName(transaction, workspaceId, name);
    if (other && other.id !== id) return 'taken';
    const begins = notify === true && before.notify_since === null;
    const since = begins ? await beginNotifying(transaction, workspaceId) : before.notify_since;
    if (since === 'full') return 'full';
    return transaction
      .updateTable('saved_searches')
      .set({
        ...(name === undefined ? {} : { name, folded_name: normaliseName(name) }),
        notify_since: notify === false ? null : since,
        ...(new_matches === undefined ? {} : { new_matches }),
      })
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
