import { randomUUIDv7 } from 'node:crypto';
import { type Selectable, sql, type SqlBool } from 'kysely';
import type { ListLabelsQuery } from '../../../contract/creators.ts';
import { dialectOf } from '../dialect/dialect.ts';
import { notInTrash } from '../media/media-filter.ts';
import type { Catalog, Database } from '../schema.ts';
import { inWorkspace } from '../transactions.ts';
import { normaliseName } from './normalise-name.ts';

/** Creators and categories, by which people organise their media. One of each can be assigned to an item. */
export type LabelKind = 'creators' | 'categories';

export type LabelRow = Selectable<Database['creators']> & { description?: string; media_count: number };

const mediaColumn = { creators: 'creator_id', categories: 'category_id' } as const;

const selectLabels = (db: Catalog, kind: LabelKind, workspaceId: string) =>
  // Both tables have these columns; `selectAll` adds `description`.
  db.selectFrom(kind as 'creators').where('workspace_id', '=', workspaceId);

/** The items of one. */
const mediaOf = (kind: LabelKind) =>
  sql`from media_items where media_items.workspace_id = ${sql.ref(`${kind}.workspace_id`)}
    and ${sql.ref(`media_items.${mediaColumn[kind]}`)} = ${sql.ref(`${kind}.id`)} and ${notInTrash}`;

const countMedia = (kind: LabelKind) => sql<number>`(select count(*) ${mediaOf(kind)})`.as('media_count');

/** Whether one has items with a label of the other kind. */
const hasMedia = (kind: LabelKind, column: string, id: string) =>
  sql<SqlBool>`exists (select 1 ${mediaOf(kind)} and ${sql.ref(`media_items.${column}`)} = ${id})`;

/** One page of a workspace's creators or categories by name, and how many there are on all pages. */
export async function listLabels(
  db: Catalog,
  kind: LabelKind,
  workspaceId: string,
  query: ListLabelsQuery,
): Promise<{ rows: LabelRow[]; total: number }> {
  let matching = selectLabels(db, kind, workspaceId);
  if (query.q) matching = matching.where(dialectOf(db).contains(sql.ref('folded_name'), normaliseName(query.q)));
  const [own, other] = [mediaColumn[kind], mediaColumn[kind === 'creators' ? 'categories' : 'creators']];
  if (query[own]) matching = matching.where('id', '=', query[own]);
  if (query[other]) matching = matching.where(hasMedia(kind, other, query[other]));
  const { total } = await matching.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const rows = await matching
    .selectAll()
    .select(countMedia(kind))
    .orderBy('folded_name')
    .limit(query.per_page)
    .offset((query.page - 1) * query.per_page)
    .execute();
  return { rows, total };
}

export function findLabel(
  db: Catalog,
  kind: LabelKind,
  workspaceId: string,
  id: string,
): Promise<LabelRow | undefined> {
  return selectLabels(db, kind, workspaceId)
    .selectAll()
    .select(countMedia(kind))
    .where('id', '=', id)
    .executeTakeFirst();
}

/** A creator or category by its name, however that is written. */
export const findLabelNamed = (
  db: Catalog,
  kind: LabelKind,
  workspaceId: string,
  name: string,
): Promise<{ id: string } | undefined> =>
  selectLabels(db, kind, workspaceId).select('id').where('folded_name', '=', normaliseName(name)).executeTakeFirst();

/** Creates a creator or category. Undefined when the workspace has one of that name. */
export async function createLabel(
  db: Catalog,
  kind: LabelKind,
  workspaceId: string,
  fields: { name: string; description?: string },
): Promise<LabelRow | undefined> {
  const id = randomUUIDv7();
  const row = await db
    .insertInto(kind as 'creators')
    .values({
      workspace_id: workspaceId,
      id,
      ...fields,
      folded_name: normaliseName(fields.name),
      created_at: new Date().toISOString(),
    })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'folded_name']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return row && findLabel(db, kind, workspaceId, id);
}

/** Changes the name or description of one. `taken`: another has that name. Undefined when there is none with this identifier. */
export function updateLabel(
  db: Catalog,
  kind: LabelKind,
  workspaceId: string,
  id: string,
  changes: { name?: string | undefined; description?: string | undefined },
): Promise<LabelRow | 'taken' | undefined> {
  return inWorkspace(db, workspaceId, async (transaction) => {
    if (changes.name !== undefined) {
      const folded_name = normaliseName(changes.name);
      const other = await selectLabels(transaction, kind, workspaceId)
        .select('id')
        .where('folded_name', '=', folded_name)
        .where('id', '!=', id)
        .executeTakeFirst();
      if (other) return 'taken';
      await transaction
        .updateTable(kind as 'creators')
        .set({ name: changes.name, folded_name })
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', id)
        .execute();
    }
    if (changes.description !== undefined) {
      await transaction
        .updateTable('categories')
        .set({ description: changes.description })
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', id)
        .execute();
    }
    return findLabel(transaction, kind, workspaceId, id);
  });
}

/** Deletes one and clears it on its items, which are not deleted. False when there is none. */
export function deleteLabel(db: Catalog, kind: LabelKind, workspaceId: string, id: string): Promise<boolean> {
  return inWorkspace(db, workspaceId, async (transaction) => {
    await transaction
      .updateTable('media_items')
      .set({ [mediaColumn[kind]]: null, updated_at: new Date().toISOString() })
      .where('workspace_id', '=', workspaceId)
      .where(mediaColumn[kind], '=', id)
      .execute();
    const { numDeletedRows } = await transaction
      .deleteFrom(kind as 'creators')
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    return numDeletedRows > 0n;
  });
}

/** Which of the given labels do not exist in the workspace. */
export async function findUnknownLabels(
  db: Catalog,
  workspaceId: string,
  assigned: { creator_id?: string | null | undefined; category_id?: string | null | undefined },
): Promise<('creator_id' | 'category_id')[]> {
  const unknown: ('creator_id' | 'category_id')[] = [];
  for (const kind of ['creators', 'categories'] as const) {
    const column = mediaColumn[kind];
    const id = assigned[column];
    if (id && !(await selectLabels(db, kind, workspaceId).select('id').where('id', '=', id).executeTakeFirst())) {
      unknown.push(column);
    }
  }
  return unknown;
}
