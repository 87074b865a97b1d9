import { findNearest } from '../graph/find-nearest.ts';
import type { GraphScratch } from '../graph/search-graph.ts';
import { addRange, type SlotSet, withoutDeleted } from '../index/slot-set.ts';
import type { IndexReader } from './index-reader.ts';
import type { NearChunk, NearestOptions } from './search-tasks.ts';

/**
 * Finds the live chunks nearest to each of some unit vectors. Nothing is measured, read or deduplicated, so many vectors take little more than the search of the graph.
 * @returns of each vector, the nearest first
 */
export function findNearestOfEach(
  reader: IndexReader,
  scratch: GraphScratch,
  vectors: Float32Array[],
  { count, least, leftOut }: NearestOptions,
): NearChunk[][] {
  const { index, snapshot } = reader;
  const parts = { selected: selectWithout(reader, leftOut), slotCount: snapshot.slotCount, count };
  return vectors.map((vector) =>
    findNearest(index, scratch, vector, parts)
      .filter(({ similarity }) => similarity >= least)
      .map(({ slot, similarity }) => ({ number: index.numbers[slot] as number, similarity })),
  );
}

/** The slots of live chunks but for some, by their numbers. */
function selectWithout(reader: IndexReader, numbers: number[]): SlotSet {
  const live = reader.select({});
  if (numbers.length === 0) return live;
  const leftOut = new Uint32Array(live.words.length);
  for (const slot of reader.findSlots(numbers)) if (slot !== undefined) addRange(leftOut, slot, slot + 1);
  return withoutDeleted(live.words.slice(), leftOut);
}
