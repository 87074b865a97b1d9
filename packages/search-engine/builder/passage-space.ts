import { createIndexMemory, type IndexMemory, type OpenIndex, openIndex, reserve } from '../index/index-memory.ts';
import type { PassageMemory } from '../index/passage-memory.ts';
import { passageDimensions } from '../index/passage-memory.ts';
import { sourceBit } from '../text/text-sources.ts';
import { builderThread } from './builder-thread-number.ts';
import type { PassageForIndex } from './index-source.ts';

/** The passages of an index as the builder holds them. */
export type PassageSpace = PassageMemory & {
  open: OpenIndex;
  /** Slots that were added and put into the graph since it was saved. */
  unsaved: number;
};

/** Makes room for so many passages, in a new space where there was none. Throws a `RangeError` where they do not fit. */
export function makeRoomForPassages(space: PassageSpace | null, slots: number): PassageSpace {
  const made = space ?? createSpace(createIndexMemory(passageDimensions));
  const grew = reserve(made.memory, slots, 0);
  made.open.vectors.reserve(slots);
  if (made.sources.byteLength < 2 * slots) made.sources.grow(Math.min(made.sources.maxByteLength, 3 * slots));
  if (grew) made.open = openIndex(made.memory, builderThread);
  return made;
}

const createSpace = (memory: IndexMemory): PassageSpace => ({
  memory,
  // A chunk has few passages, and the column of their numbers has 8 bytes for each.
  sources: new SharedArrayBuffer(0, { maxByteLength: memory.numbers.maxByteLength / 4 }),
  slotCount: 0,
  open: openIndex(memory, builderThread),
  unsaved: 0,
});

/**
 * Adds the passages of an item whose chunks were just added.
 * @param slotOf gives the slot of a chunk by its number
 * @param vectors unit vectors by the numbers of passages; one without a vector is left out
 */
export function addPassages(
  space: PassageSpace | null,
  passages: PassageForIndex[],
  slotOf: ReadonlyMap<number, number>,
  vectors: ReadonlyMap<number, Float32Array>,
): PassageSpace | null {
  const added = passages.filter(({ number, chunk }) => vectors.has(number) && slotOf.has(chunk));
  if (added.length === 0) return space;
  const grown = makeRoomForPassages(space, (space?.slotCount ?? 0) + added.length);
  const { numbers, items, embedded, vectors: held } = grown.open;
  const sources = new Uint16Array(grown.sources);
  for (const { number, chunk, source } of added) {
    const slot = grown.slotCount;
    numbers[slot] = number;
    items[slot] = slotOf.get(chunk) as number;
    embedded[slot] = 1;
    sources[slot] = sourceBit(source);
    held.write(slot, vectors.get(number) as Float32Array);
    grown.slotCount += 1;
    grown.unsaved += 1;
  }
  return grown;
}
