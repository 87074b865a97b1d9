import { sql } from 'kysely';
import { dialectOf } from '../dialect/dialect.ts';
import type { Catalog } from '../schema.ts';

/** Collections and tags: an item may be in many of each. */
export type GroupKind = 'collections' | 'tags';

/** The tables of each kind, and the column that names one of it. */
const tables = {
  collections: { members: 'collection_items', id: 'collection_id' },
  tags: { members: 'item_tags', id: 'tag_id' },
} as const;

export const membersOf = (kind: GroupKind) => sql.table(tables[kind].members);
export const idOf = (kind: GroupKind) => sql.ref(tables[kind].id);

/** The time of its change, which collections have only. */
export const changedNow = (kind: GroupKind) => (kind === 'collections' ? { updated_at: new Date().toISOString() } : {});

/** Notes that the items of a collection have changed. */
export async function touchCollection(db: Catalog, workspaceId: string, id: string): Promise<void> {
  await db
    .updateTable('collections')
    .set(changedNow('collections'))
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute();
}

/** Adds those of some items that exist and are not in it. Returns their identifiers. */
export async function addMembers(
  db: Catalog,
  kind: GroupKind,
  workspaceId: string,
  id: string,
  mediaIds: string[],
): Promise<string[]> {
  if (mediaIds.length === 0) return [];
  const { rows } = await sql<{ media_id: string }>`
    insert into ${membersOf(kind)} (workspace_id, ${idOf(kind)}, media_id, added_at)
    select workspace_id, ${id}, id, ${new Date().toISOString()} from media_items
    where workspace_id = ${workspaceId} and id in ${dialectOf(db).textsIn(mediaIds)}
    on conflict do nothing returning media_id`.execute(db);
  return rows.map(({ media_id }) => media_id);
}

/** What an item had in a collection or of a tag. */
export type FormerMember = { media_id: string; added_at: string; position: number | null };

/** Removes those of some items that are in it. Returns what they had. */
export async function removeMembers(
  db: Catalog,
  kind: GroupKind,
  workspaceId: string,
  id: string,
  mediaIds: string[],
): Promise<FormerMember[]> {
  if (mediaIds.length === 0) return [];
  const { rows } = await sql<FormerMember>`
    delete from ${membersOf(kind)} where ${dialectOf(db).withoutIndex('workspace_id')} = ${workspaceId} and ${idOf(kind)} = ${id} and media_id in ${dialectOf(db).textsIn(mediaIds)}
    returning media_id, added_at, ${kind === 'collections' ? sql`position` : sql`null as position`}`.execute(db);
  return rows;
}

/** Notes that items have changed: what is cached of them is compared by it. */
export async function markItems(db: Catalog, workspaceId: string, mediaIds: string[]): Promise<void> {
  if (mediaIds.length === 0) return;
  await db
    .updateTable('media_items')
    .set({ updated_at: new Date().toISOString() })
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', dialectOf(db).textsIn(mediaIds))
    .execute();
}

/** Those of some collections or tags that exist. */
export async function findGroups(
  db: Catalog,
  kind: GroupKind,
  workspaceId: string,
  ids: string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .selectFrom(kind as 'tags')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', dialectOf(db).textsIn(ids))
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** Whether an item is in a collection. */
export async function isMember(db: Catalog, workspaceId: string, id: string, mediaId: string): Promise<boolean> {
  const row = await db
    .selectFrom('collection_items')
    .select('media_id')
    .where('workspace_id', '=', workspaceId)
    .where('collection_id', '=', id)
    .where('media_id', '=', mediaId)
    .executeTakeFirst();
  return row !== undefined;
}
