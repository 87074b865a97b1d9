import type { SourceSet } from '../text/text-sources.ts';
import { type IndexMemory, type OpenIndex, openIndex } from './index-memory.ts';
import { isIn, type SlotSet, wordsFor } from './slot-set.ts';

/** Dimensions of the vectors of passages: those of the sentence model of the service (MiniLM), whatever embeds the images. */
export const passageDimensions = 384;

/**
 * The vectors of passages of texts beside an index, in a space of their own: its slots are passages. Of the columns of the memory only some are in use: `numbers` holds the
 * numbers of passages, and `items` the slot of the chunk in the index that each belongs to. A passage is there as long as that slot is, so it needs no mark of deletion.
 */
export type PassageMemory = {
  memory: IndexMemory;
  /** Of each passage the bit of its source (Uint16). */
  sources: SharedArrayBuffer;
  slotCount: number;
};

/** The passages of an index as a thread reads them. */
export type OpenPassages = {
  index: OpenIndex;
  slotCount: number;
  /** Those of chunks among some, from some sources. */
  select(chunks: SlotSet, sources: SourceSet): SlotSet;
};

/** Passages by which a background is measured, at most. */
const sampleSize = 500;

/** The cosines of a unit vector and passages of chunks that are there, spread evenly over all. */
export function samplePassages({ index, slotCount }: OpenPassages, live: SlotSet, vector: Float32Array): Float32Array {
  const { vectors, items } = index;
  vectors.setQuery(vector);
  const step = Math.max(1, slotCount / sampleSize);
  let count = 0;
  for (let next = 0; next < slotCount && count < sampleSize; next += step) {
    const slot = Math.floor(next);
    if (!isIn(live.words, items[slot] as number)) continue;
    vectors.list[count] = slot;
    count += 1;
  }
  vectors.compare(count);
  return vectors.similarities.slice(0, count);
}

/** Opens the passages of a snapshot for a thread. */
export function openPassages({ memory, sources: column, slotCount }: PassageMemory, thread: number): OpenPassages {
  const index = openIndex(memory, thread);
  const bits = new Uint16Array(column, 0, slotCount);
  /** What was selected before, as long as the same chunks are. */
  const kept = new WeakMap<SlotSet, Map<SourceSet, SlotSet>>();

  function select(chunks: SlotSet, sources: SourceSet): SlotSet {
    const words = new Uint32Array(wordsFor(slotCount));
    let size = 0;
    for (let slot = 0; slot < slotCount; slot++) {
      if (((bits[slot] as number) & sources) === 0 || !isIn(chunks.words, index.items[slot] as number)) continue;
      words[slot >>> 5]! |= 1 << (slot & 31);
      size += 1;
    }
    return { words, size };
  }

  return {
    index,
    slotCount,
    select(chunks, sources) {
      const known = kept.get(chunks) ?? new Map<SourceSet, SlotSet>();
      kept.set(chunks, known);
      const selected = known.get(sources) ?? select(chunks, sources);
      known.set(sources, selected);
      return selected;
    },
  };
}
