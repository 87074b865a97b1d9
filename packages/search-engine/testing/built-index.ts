import { labelColumns, listColumns, numberColumns } from '../../../contract/fields.ts';
import { type BuiltIndex, createBuiltIndex, putItem } from '../builder/built-index.ts';
import type { ItemForIndex } from '../builder/index-source.ts';
import { createGraphWriter } from '../graph/link-slot.ts';
import { readLinked } from '../index/index-memory.ts';

const allOf = <Name extends string, Value>(names: readonly Name[], value: Value): Record<Name, Value> =>
  Object.fromEntries(names.map((name) => [name, value])) as Record<Name, Value>;

/** An item of an index, without labels and texts unless they are given. */
export const itemOf = (id: string, numbers: number[], more: Partial<ItemForIndex> = {}): ItemForIndex => ({
  id,
  ...allOf(labelColumns, null),
  ...allOf(listColumns, []),
  ...allOf(numberColumns, null),
  type: 'video',
  filename: `${id}.mp4`,
  tags: '',
  chunks: numbers.map((number, i) => ({ number, start_time: i, end_time: i + 1, texts: [] })),
  passages: [],
  ...more,
});

/** An index of some vectors, null for a chunk without one, each chunk an item of its own: slot, chunk number and item number are the place. */
export async function buildIndex(vectors: (Float32Array | null)[], dimensions: number): Promise<BuiltIndex> {
  const index = createBuiltIndex({ workspaceId: 'workspace', embedder: { id: 'test@1', dimensions } });
  for (const [place, vector] of vectors.entries()) {
    const found = new Map(vector ? [[place, vector]] : []);
    await putItem(index, itemOf(`item-${place}`, [place]), () => Promise.resolve(found));
  }
  return index;
}

/** Adds slots to the graph of an index until there are so many; without a number all. */
export function linkUntil({ open, slotCount }: Pick<BuiltIndex, 'open' | 'slotCount'>, end = slotCount): void {
  const writer = createGraphWriter(0);
  while (readLinked(open.header) < end) writer.linkNext(open);
}
