import { sql } from 'kysely';
import type { TextSource } from '../../../contract/texts.ts';
import { dialectOf } from '../dialect/dialect.ts';
import type { Catalog } from '../schema.ts';

/** A name that people gave an item: of its creator, its category, a collection or a tag. */
export type NameOfItem = { source: TextSource; text: string };

/** Those of some items, by item. */
export async function readNamesOfItems(
  db: Catalog,
  workspaceId: string,
  mediaIds: string[],
): Promise<Map<string, NameOfItem[]>> {
  const dialect = dialectOf(db);
  const { orderedJoin } = dialect;
  const items = sql`media_items.workspace_id = ${workspaceId} and media_items.id in ${dialect.textsIn(mediaIds)}`;
  const members = sql`members.workspace_id = ${workspaceId} and members.media_id in ${dialect.textsIn(mediaIds)}`;
  const { rows } = await sql<NameOfItem & { media_id: string }>`
    select media_items.id as media_id, 'creator' as source, creators.name as text
    from media_items ${orderedJoin} creators on creators.workspace_id = media_items.workspace_id and creators.id = creator_id
    where ${items}
    union all
    select media_items.id, 'category', categories.name
    from media_items ${orderedJoin} categories on categories.workspace_id = media_items.workspace_id and categories.id = category_id
    where ${items}
    union all
    select members.media_id, 'collection', collections.name
    from collection_items members ${orderedJoin} collections on collections.workspace_id = members.workspace_id and collections.id = members.collection_id
    where ${members} and collections.workspace_id = ${workspaceId}
    union all
    select members.media_id, 'tag', tags.name
    from item_tags members ${orderedJoin} tags on tags.workspace_id = members.workspace_id and tags.id = members.tag_id
    where ${members} and tags.workspace_id = ${workspaceId}
  `.execute(db);
  const names = new Map<string, NameOfItem[]>(mediaIds.map((id) => [id, []]));
  for (const { media_id, ...name } of rows) names.get(media_id)?.push(name);
  return names;
}
