import type { ExcerptPart } from '@media-search/search-engine/text/cut-excerpt';
import type { MatchedPassage } from '@media-search/search-engine/text/find-matches';
import type { FoundChunk } from '../catalog/media/chunks.ts';

/** A chunk that a search, or the highlights, found. */
export type EngineHit = {
  chunk: FoundChunk;
  /** 0..1; hits are sorted by it, the highest first. */
  score: number;
  weak: boolean;
  signals: {
    visual?: number;
    text?: number;
    rerank?: number;
    outlier?: number;
    terms?: string[];
    excerpt?: ExcerptPart[];
    matches?: MatchedPassage[];
  };
  /** What follows each other in the item, where several steps were searched for: the hit goes from the start of the first to the end of the last. */
  steps?: { chunk: FoundChunk; score: number }[];
  /** The near-duplicates that this hit stands for, when they are dropped. */
  duplicates?: FoundChunk[];
};

/** Where a hit ends in its item, seconds: where its last step does, if it has several. */
export const endOf = ({ chunk, steps }: Pick<EngineHit, 'chunk' | 'steps'>): number =>
  (steps?.at(-1)?.chunk ?? chunk).end_time;

export type HitOptions = {
  /** How many hits are wanted. */
  count: number;
  /** Whether near-duplicates of a better hit are dropped. */
  dedupe: boolean;
};

/** Whether a text speaks for a hit: by its words, or clearly by what it means. */
export const isFoundByText = ({ signals, weak }: EngineHit): boolean =>
  signals.text !== undefined || (!weak && isMeant({ signals }));

/** Whether what a text means speaks for a hit. */
export const isMeant = ({ signals }: Pick<EngineHit, 'signals'>): boolean =>
  signals.matches?.some(({ by }) => by === 'meaning') ?? false;

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
