import { refreshLists } from '../../api/follow-items.ts';
import { forEachItem } from '../../api/for-each-item.ts';
import {
  changeCollectionItems,
  changeTagItems,
  createTag,
  getMedia,
  listTags,
  updateMedia,
} from '../../api/generated/api/index.ts';
import { maxPerPage, readAllPages } from '../../api/whole-list.ts';
import { toast } from '../../ui/toast.ts';
import type { UploadLabels } from './upload.ts';

let work = Promise.resolve();

/**
 * Gives items that the service has other labels than they were sent with, one change after the other: two at once would both make the same new tag.
 * @param before what they were sent with; null: they were there before. Those get collection and tags beside those that they have, and creator
 *   and category where they have none
 */
export function relabel(mediaIds: readonly string[], before: UploadLabels | null, after: UploadLabels): void {
  work = work
    .then(() => (before ? change(mediaIds, before, after) : complete(mediaIds, after)))
    .then(refreshLists)
    .catch((error: unknown) => {
      const description = error instanceof Error ? error.message : undefined;
      toast.error('Some files did not get their labels', { description });
    });
}

async function change(ids: readonly string[], before: UploadLabels, after: UploadLabels): Promise<void> {
  const fields = (['creator_id', 'category_id'] as const).filter((field) => before[field] !== after[field]);
  if (fields.length > 0) {
    const body = Object.fromEntries(fields.map((field) => [field, after[field] === '' ? null : after[field]]));
    await forEachItem(ids, (id) => updateMedia({ path: { id }, body }));
  }
  if (before.collection_id !== after.collection_id) {
    await changeCollection(before.collection_id, { remove: [...ids] });
    await changeCollection(after.collection_id, { add: [...ids] });
  }
  const [old, next] = [splitNames(before.tags), splitNames(after.tags)];
  for (const name of old.filter((tag) => !next.includes(tag))) await changeTag(name, { remove: [...ids] });
  for (const name of next.filter((tag) => !old.includes(tag))) await changeTag(name, { add: [...ids] });
}

async function complete(ids: readonly string[], { creator_id, category_id, collection_id, tags }: UploadLabels) {
  await forEachItem(ids, async (id) => {
    const { data: item } = await getMedia({ path: { id } });
    const missing = {
      ...(creator_id !== '' && item.creator_id === null ? { creator_id } : {}),
      ...(category_id !== '' && item.category_id === null ? { category_id } : {}),
    };
    if (Object.keys(missing).length > 0) await updateMedia({ path: { id }, body: missing });
  });
  await changeCollection(collection_id, { add: [...ids] });
  for (const name of splitNames(tags)) await changeTag(name, { add: [...ids] });
}

type Members = { add?: string[]; remove?: string[] };

async function changeCollection(id: string, body: Members): Promise<void> {
  if (id !== '') await changeCollectionItems({ path: { id }, body });
}

const changeTag = async (name: string, body: Members) =>
  changeTagItems({ path: { id: await findOrCreateTag(name) }, body });

async function findOrCreateTag(name: string): Promise<string> {
  const tags = await readAllPages((page) => listTags({ query: { q: name, page, per_page: maxPerPage } }));
  const known = tags.find((tag) => tag.name.toLowerCase() === name.toLowerCase());
  return known?.id ?? (await createTag({ body: { name } })).data.id;
}

/** The names in a text with commas between them. */
export const splitNames = (names: string): string[] =>
  names
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
