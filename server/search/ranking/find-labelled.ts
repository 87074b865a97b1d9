import type { LabelMatch, SearchReader } from '../../catalog/search-reader.ts';
import type { IndexReader } from './index-reader.ts';
import type { SearchTask } from './search-tasks.ts';

/** Of each term of a query, the slots of the items with a creator or category whose name holds it. */
export function findLabelled(
  reader: IndexReader,
  { workspaceId, text: { terms } }: Pick<SearchTask, 'workspaceId' | 'text'>,
  catalog: Pick<SearchReader, 'findLabels'>,
): number[][] {
  const matches = catalog.findLabels(workspaceId, terms);
  return terms.map((_, place) => {
    const labels = matches.filter(({ term }) => term === place);
    return labels.length === 0 ? [] : listSlots(reader, labels);
  });
}

/** The slots of items that have one of some labels. */
function listSlots({ index, snapshot }: IndexReader, labels: LabelMatch[]): number[] {
  const { labelValues, itemCount } = snapshot;
  // A mark for each value: there may be as many labels as items.
  const columns = (['creator_id', 'category_id'] as const).map((name) => {
    const ids = new Set(labels.filter((label) => label.name === name).map(({ id }) => id));
    return { items: index.labels[name], isWanted: Uint8Array.from(labelValues, (value) => (ids.has(value) ? 1 : 0)) };
  });
  const slots: number[] = [];
  for (let item = 0; item < itemCount; item++) {
    if (!columns.some(({ items, isWanted }) => isWanted[items[item] as number] === 1)) continue;
    const end = index.ranges[2 * item + 1] as number;
    for (let slot = index.ranges[2 * item] as number; slot < end; slot++) slots.push(slot);
  }
  return slots;
}
