import { findNearest, type Neighbor } from '../graph/find-nearest.ts';
import type { GraphScratch } from '../graph/search-graph.ts';
import type { OpenIndex } from '../index/index-memory.ts';
import { type OpenPassages, samplePassages } from '../index/passage-memory.ts';
import type { SlotSet } from '../index/slot-set.ts';
import type { SourceSet } from '../text/text-sources.ts';
import { mean } from '../vectors.ts';
import { judgeMeaning, measureMeaning, withoutCrowd } from './calibration-of-meaning.ts';

/** A passage that means something like the query. */
export type MeantPassage = {
  /** Its number in the catalog. */
  number: number;
  /** How much it speaks for its chunk, 0..1; less than a text that holds every word. */
  evidence: number;
  /** Whether it is clearly about the same; otherwise it is only the nearest that there is. */
  isClear: boolean;
};

/** So many of the nearest passages are compared with each other. */
const poolSize = 60;
/** The likes of a passage among them: so many of the most similar. */
const likesCount = 5;
/** What is as similar as this says the same again, and is no crowd. */
const sameSimilarity = 0.95;

/**
 * The chunks with the passages nearest to a query by what they mean, each with the best of them.
 * @param vector of the query in the space of the passages; unit length
 * @param live the chunks that are there, by which the background is measured
 * @param chunks those that pass the filter
 * @param count at most so many chunks
 */
export function findMeant(
  passages: OpenPassages,
  scratch: GraphScratch,
  vector: Float32Array,
  { live, chunks, sources, count }: { live: SlotSet; chunks: SlotSet; sources: SourceSet; count: number },
): Map<number, MeantPassage> {
  const { index, slotCount } = passages;
  const background = measureMeaning(samplePassages(passages, live, vector));
  const selected = passages.select(chunks, sources);
  const nearest = findNearest(index, scratch, vector, { selected, slotCount, count: poolSize });
  const likes = measureLikes(index, nearest);
  const ordered = nearest
    .map(({ slot, similarity }, i) => ({ slot, similarity: withoutCrowd(similarity, likes[i] as number) }))
    .sort((a, b) => b.similarity - a.similarity);
  const found = new Map<number, MeantPassage>();
  for (const { slot, similarity } of ordered) {
    const chunk = index.items[slot] as number;
    if (found.has(chunk)) continue;
    if (found.size === count) break;
    found.set(chunk, { number: index.numbers[slot] as number, ...judgeMeaning(similarity, background, slotCount) });
  }
  return found;
}

/** Of each of some passages the mean cosine to those most like it among them, in their order. */
function measureLikes({ vectors }: OpenIndex, passages: readonly Neighbor[]): number[] {
  return passages.map(({ slot }) => {
    // It uses the list as well.
    vectors.setRoughQueryToSlot(slot);
    const others = passages.filter((other) => other.slot !== slot);
    for (const [i, other] of others.entries()) vectors.list[i] = other.slot;
    vectors.estimate(others.length);
    const cosines = vectors.similarities.slice(0, others.length).filter((cosine) => cosine < sameSimilarity);
    return mean(Array.from(cosines.sort().slice(-likesCount)));
  });
}
