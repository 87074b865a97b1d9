import { sql } from 'kysely';
import { dialectOf } from '../dialect/dialect.ts';
import type { Catalog } from '../schema.ts';

/** The collections and tags of an item, in the order in which it was added to them. */
export type GroupsOfItem = { collection_ids: string[]; tag_ids: string[] };

/** Those of some items, by item. */
export async function readGroupsOfItems(
  db: Catalog,
  workspaceId: string,
  mediaIds: string[],
): Promise<Map<string, GroupsOfItem>> {
  const groups = new Map<string, GroupsOfItem>(mediaIds.map((id) => [id, { collection_ids: [], tag_ids: [] }]));
  if (mediaIds.length === 0) return groups;
  const { rows } = await sql<{ media_id: string; field: keyof GroupsOfItem; id: string }>`
    select media_id, 'collection_ids' as field, collection_id as id, added_at from collection_items
    where workspace_id = ${workspaceId} and media_id in ${dialectOf(db).textsIn(mediaIds)}
    union all
    select media_id, 'tag_ids', tag_id, added_at from item_tags
    where workspace_id = ${workspaceId} and media_id in ${dialectOf(db).textsIn(mediaIds)}
    order by added_at, id`.execute(db);
  for (const { media_id, field, id } of rows) groups.get(media_id)?.[field].push(id);
  return groups;
}
