import type { MediaItem, UploadFields } from '../../../../contract/media.ts';
import { readNamesOfItems } from '../../../catalog/labels/names-of-items.ts';
import { foldName } from '../../../catalog/labels/normalise-name.ts';
import type { Catalog } from '../../../catalog/schema.ts';

/** Which of the labels that were sent with its bytes an item does not have. */
export async function findMissingLabels(
  db: Catalog,
  workspaceId: string,
  item: MediaItem,
  { creator_id, category_id, collection_id, tags = [] }: UploadFields,
): Promise<(keyof UploadFields)[]> {
  const names = tags.length === 0 ? [] : (await readNamesOfItems(db, workspaceId, [item.id])).get(item.id);
  const own = new Set(names?.flatMap(({ source, text }) => (source === 'tag' ? [foldName(text)] : [])));
  const has: Record<keyof UploadFields, boolean> = {
    creator_id: creator_id === undefined || item.creator_id === creator_id,
    category_id: category_id === undefined || item.category_id === category_id,
    collection_id: collection_id === undefined || item.collection_ids.includes(collection_id),
    tags: tags.every((name) => own.has(foldName(name))),
  };
  return (Object.keys(has) as (keyof UploadFields)[]).filter((name) => !has[name]);
}
