import type { EngineHit } from './hits.ts';

/**
 * Joins what several searches found: each chunk once, with the best score that it got, by descending score.
 * @param lists of each search its hits
 */
export function mergeHits(lists: EngineHit[][]): EngineHit[] {
  const best = new Map<number, EngineHit>();
  for (const hit of lists.flat()) {
    const known = best.get(hit.chunk.number);
    if (!known || hit.score > known.score) best.set(hit.chunk.number, hit);
  }
  return [...best.values()].toSorted((a, b) => b.score - a.score);
}

/** A hit that stands for others as well, and for those that these stand for, each once. */
export function standFor(hit: EngineHit, others: EngineHit[]): EngineHit {
  const chunks = [hit, ...others].flatMap(({ chunk, duplicates }) => [chunk, ...(duplicates ?? [])]);
  const byNumber = new Map(chunks.map((chunk) => [chunk.number, chunk]));
  byNumber.delete(hit.chunk.number);
  return { ...hit, duplicates: [...byNumber.values()] };
}
