import { listColumns } from '../../../contract/fields.ts';
import { holdsMarked } from '../index/item-lists.ts';
import type { LabelMatch } from '../text/label-names.ts';
import { sourceBit, type SourceSet } from '../text/text-sources.ts';
import type { IndexReader } from './index-reader.ts';
import type { SearchTask } from './search-tasks.ts';
import type { SearchReader } from './search-tasks.ts';

export const labelBits: Record<LabelMatch['name'], SourceSet> = {
  creator_id: sourceBit('creator'),
  category_id: sourceBit('category'),
  collection_id: sourceBit('collection'),
  tag_id: sourceBit('tag'),
};

/** Of each term of a query, the slots of the items with a creator, category, collection or tag whose name holds it. */
export async function findLabelled(
  reader: IndexReader,
  {
    workspaceId,
    text: { terms },
    sources,
    labelVersion,
  }: Pick<SearchTask, 'workspaceId' | 'text' | 'sources' | 'labelVersion'>,
  catalog: Pick<SearchReader, 'findLabels'>,
): Promise<number[][]> {
  const found = await catalog.findLabels(workspaceId, terms, labelVersion);
  const matches = found.filter(({ name }) => (sources & labelBits[name]) !== 0);
  return terms.map((_, place) => {
    const labels = matches.filter(({ term }) => term === place);
    return labels.length === 0 ? [] : listSlots(reader, labels);
  });
}

/** The slots of items that have one of some labels. */
function listSlots({ index, snapshot }: IndexReader, labels: LabelMatch[]): number[] {
  const { labelValues, itemCount } = snapshot;
  const { lists, listPlaces } = index;
  // A mark for each value: there may be as many labels as items. An identifier is that of one label of any kind.
  const ids = new Set(labels.map(({ id }) => id));
  const marks = Uint8Array.from(labelValues, (value) => (ids.has(value) ? 1 : 0));
  const names = new Set(labels.map(({ name }) => name));
  const columns = (['creator_id', 'category_id'] as const)
    .filter((name) => names.has(name))
    .map((name) => index.labels[name]);
  const places = listColumns.filter((name) => names.has(name)).map((name) => listPlaces[name]);
  const slots: number[] = [];
  for (let item = 0; item < itemCount; item++) {
    const isLabelled =
      columns.some((column) => marks[column[item] as number] === 1) ||
      places.some((of) => holdsMarked(lists, Atomics.load(of, item), marks));
    if (!isLabelled) continue;
    const end = index.ranges[2 * item + 1] as number;
    for (let slot = index.ranges[2 * item] as number; slot < end; slot++) slots.push(slot);
  }
  return slots;
}
