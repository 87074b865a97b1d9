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
  /** The near-duplicates that this hit stands for, when they are dropped. */
  duplicates?: FoundChunk[];
};

export type HitOptions = {
  /** How many hits are wanted. */
  count: number;
  /** Whether near-duplicates of a better hit are dropped. */
  dedupe: boolean;
};
