import type { FoundChunk } from '../catalog/chunks.ts';
import type { PairSimilarity } from './vector-index.ts';

/** The cosines from which two chunks count as near-duplicates. They differ between embedders. */
export type DuplicateThresholds = {
  /** From this cosine on any two chunks count as copies of each other. */
  copy: number;
  /** From this one on two chunks of one item do that follow each other closely. */
  continuation: number;
};

/** Chunks of one item follow each other closely when at most this many seconds lie between them. */
const maxNeighborGap = 1;

type Ranked = { chunk: FoundChunk };

/**
 * Keeps the first of the hits that show the same event. Each is compared with those kept, never with those dropped, so that a
 * slowly changing scene does not collapse into one hit by a chain of small steps.
 * @param hits by falling score
 * @param count how many hits are returned at most
 * @returns the kept hits with the chunks that each stands for
 */
export function deduplicate<Hit extends Ranked>(
  hits: Hit[],
  similarity: PairSimilarity,
  thresholds: DuplicateThresholds,
  count: number,
): (Hit & { duplicates: FoundChunk[] })[] {
  const kept: (Hit & { duplicates: FoundChunk[] })[] = [];
  for (const hit of hits) {
    const original = kept.find(({ chunk }) => areDuplicates(chunk, hit.chunk, similarity, thresholds));
    if (original) original.duplicates.push(hit.chunk);
    else if (kept.length < count) kept.push({ ...hit, duplicates: [] });
  }
  return kept;
}

function areDuplicates(
  a: FoundChunk,
  b: FoundChunk,
  similarity: PairSimilarity,
  { copy, continuation }: DuplicateThresholds,
): boolean {
  const cosine = similarity(a.number, b.number);
  if (cosine === undefined) return false;
  const gap = Math.max(a.start_time, b.start_time) - Math.min(a.end_time, b.end_time);
  const close = a.media_id === b.media_id && gap <= maxNeighborGap;
  return cosine >= (close ? continuation : copy);
}
