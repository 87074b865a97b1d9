import { followChange } from '../../api/follow-change.ts';
import { refreshLists } from '../../api/follow-items.ts';
import { forEachItem } from '../../api/for-each-item.ts';
import { changeMedia, createTag, getMedia, listTags, updateMedia } from '../../api/generated/api/index.ts';
import { maxPerPage, readAllPages } from '../../api/whole-list.ts';
import { toast } from '../../ui/toast.ts';
import { noLabels, type UploadLabels } from './upload.ts';

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
  const [old, next] = [splitNames(before.tags), splitNames(after.tags)];
  const one = (field: 'creator_id' | 'category_id') =>
    before[field] === after[field] ? {} : { [field]: after[field] === '' ? null : after[field] };
  const list = (name: string, members: string[]) => (members.length > 0 ? { [name]: members } : {});
  const collection = (labels: UploadLabels) =>
    before.collection_id === after.collection_id || labels.collection_id === '' ? [] : [labels.collection_id];
  const body = {
    ...one('creator_id'),
    ...one('category_id'),
    ...list('remove_collection_ids', collection(before)),
    ...list('add_collection_ids', collection(after)),
    ...list('remove_tag_ids', await findOrCreateTags(old.filter((tag) => !next.includes(tag)))),
    ...list('add_tag_ids', await findOrCreateTags(next.filter((tag) => !old.includes(tag)))),
  };
  if (Object.keys(body).length === 0) return;
  const begun = await changeMedia({ body: { items: { ids: [...ids] }, change: body } });
  // The next change of the same items begins when this one has ended.
  await followChange(begun.data, () => undefined);
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
  await change(ids, noLabels, { ...noLabels, collection_id, tags });
}

async function findOrCreateTags(names: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  // One after the other: names that differ only in their case are one tag.
  for (const name of names) ids.push(await findOrCreateTag(name));
  return [...new Set(ids)];
}

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
