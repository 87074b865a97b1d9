import type { TextMatch } from '../text/search-texts.ts';
import { type Background, standardScore } from './calibration.ts';
import { fuse, leastScore, toVisualMatch } from './fuse.ts';
import type { RankedHit, ScoreTraits } from './search-tasks.ts';

/** From this standard score on, an image counts as showing what is excluded. */
const minExcludedScore = 2;

/** A candidate by its slot in an index, or whatever number its parts were found under. */
export type ScoredSlot = {
  slot: number;
  score: number;
  weak: boolean;
  /** The cosine to the query; null: there is no vector. */
  similarity: number | null;
  text: TextMatch | null;
};

/** What was found out about candidates. */
type Found = {
  /** Their cosines to the query. */
  similarities: Map<number, number>;
  matches: Map<number, TextMatch>;
  /** Those that show or say what the query excludes. */
  excluded: Set<number>;
  /** Null without a vector. */
  background: Background | null;
  traits: ScoreTraits;
  /** The words of the query that say something; none: an image is searched for. */
  terms: string[];
};

/**
 * How many words the terms of a query are: a term may be a phrase.
 * @public for the benchmarks, which are no part of the product
 */
export const countWords = (terms: string[]): number => terms.flatMap((term) => term.split(/\s+/)).length;

/**
 * Candidates by falling score, without those that are excluded.
 * @param numberOf the number of a candidate's chunk
 */
export function scoreCandidates(
  slots: number[],
  { similarities, matches, excluded, background, traits, terms }: Found,
  numberOf: (slot: number) => number,
): ScoredSlot[] {
  const best = Math.max(...similarities.values());
  const weakBelow = leastScore(traits, background, best, countWords(terms));
  return (
    slots
      .filter((slot) => !excluded.has(slot))
      .map((slot): ScoredSlot => {
        const similarity = similarities.get(slot) ?? null;
        const text = matches.get(slot) ?? null;
        const visual = similarity === null || !background ? null : toVisualMatch(similarity, background);
        return { slot, similarity, text, ...fuse(visual, text, weakBelow) };
      })
      // Equal scores: the newer chunk first, so that the order is stable.
      .sort((a, b) => b.score - a.score || numberOf(b.slot) - numberOf(a.slot))
  );
}

/** Whether a cosine to what is excluded says that an image shows it. False for NaN: there is no image. */
export const showsExcluded = (cosine: number, background: Background): boolean =>
  standardScore(cosine, background) >= minExcludedScore;

export const toHit = (number: number, { score, weak, similarity, text }: ScoredSlot): RankedHit => ({
  number,
  score,
  weak,
  ...(similarity === null ? {} : { visual: similarity }),
  ...(text ? { text: { relevance: text.relevance, terms: text.terms } } : {}),
});
