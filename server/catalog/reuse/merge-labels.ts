import type { ChangeOfItems } from '../../../contract/media-changes.ts';
import { dialectOf } from '../dialect/dialect.ts';
import { readGroupsOfItems } from '../labels/groups-of-items.ts';
import { notInTrash } from '../media/media-filter.ts';
import type { Catalog } from '../schema.ts';

/** Labels of an item, as far as copies of it may have others. */
type Labelled = { id: string; rating: number; creator_id: string | null; category_id: string | null };

/**
 * The change by which an item gets the labels of its copies: their tags and collections, their best rating, and a creator and a category where it has none.
 * @returns `merge`: null where it has all of them; undefined where one of the items is gone or in the trash
 */
export async function readMergedLabels(
  db: Catalog,
  workspaceId: string,
  keepId: string,
  otherIds: string[],
): Promise<{ merge: ChangeOfItems | null } | undefined> {
  const ids = [...new Set([keepId, ...otherIds])];
  const rows: Labelled[] = await db
    .selectFrom('media_items')
    .select(['id', 'rating', 'creator_id', 'category_id'])
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', dialectOf(db).textsIn(ids))
    .where(notInTrash)
    .execute();
  const kept = rows.find(({ id }) => id === keepId);
  if (!kept || rows.length < ids.length) return undefined;
  const others = otherIds.flatMap((id) => rows.find((row) => row.id === id) ?? []);
  const groups = await readGroupsOfItems(db, workspaceId, ids);
  const lacking = (kind: 'tag_ids' | 'collection_ids'): string[] => {
    const own = groups.get(keepId)?.[kind] ?? [];
    return [...new Set(otherIds.flatMap((id) => groups.get(id)?.[kind] ?? []))].filter((id) => !own.includes(id));
  };
  const [tags, collections] = [lacking('tag_ids'), lacking('collection_ids')];
  const rating = Math.max(kept.rating, ...others.map((other) => other.rating));
  const firstOf = (field: 'creator_id' | 'category_id') =>
    kept[field] === null ? (others.find((other) => other[field] !== null)?.[field] ?? undefined) : undefined;
  const [creator, category] = [firstOf('creator_id'), firstOf('category_id')];
  const merge: ChangeOfItems = {
    ...(tags.length > 0 ? { add_tag_ids: tags } : {}),
    ...(collections.length > 0 ? { add_collection_ids: collections } : {}),
    ...(rating > kept.rating ? { rating } : {}),
    ...(creator === undefined ? {} : { creator_id: creator }),
    ...(category === undefined ? {} : { category_id: category }),
  };
  return { merge: Object.keys(merge).length > 0 ? merge : null };
}
