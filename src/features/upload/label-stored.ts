import {
  changeCollectionItems,
  changeTagItems,
  createTag,
  getMedia,
  listTags,
  updateMedia,
} from '../../api/generated/api/index.ts';
import { maxPerPage, readAllPages } from '../../api/whole-list.ts';
import type { UploadLabels } from './upload.ts';

/**
 * Gives an item that the service had before its batch was uploaded what was chosen for the batch: collection and tags beside those that it
 * has, creator and category where it has none.
 */
export async function labelStored(id: string, labels: UploadLabels): Promise<void> {
  const { data: item } = await getMedia({ path: { id } });
  const missing = {
    ...(labels.creator_id !== '' && item.creator_id === null ? { creator_id: labels.creator_id } : {}),
    ...(labels.category_id !== '' && item.category_id === null ? { category_id: labels.category_id } : {}),
  };
  if (Object.keys(missing).length > 0) await updateMedia({ path: { id }, body: missing });
  if (labels.collection_id !== '') {
    await changeCollectionItems({ path: { id: labels.collection_id }, body: { add: [id] } });
  }
  for (const name of splitNames(labels.tags)) {
    await changeTagItems({ path: { id: await findOrCreateTag(name) }, body: { add: [id] } });
  }
}

const splitNames = (names: string): string[] =>
  names
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);

async function findOrCreateTag(name: string): Promise<string> {
  const tags = await readAllPages((page) => listTags({ query: { q: name, page, per_page: maxPerPage } }));
  const known = tags.find((tag) => tag.name.toLowerCase() === name.toLowerCase());
  return known?.id ?? (await createTag({ body: { name } })).data.id;
}
