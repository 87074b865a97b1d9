import type { TextMatch } from '../text/search-texts.ts';
import { type Background, relevance, standardScore } from './calibration.ts';
import { fuse, leastScore, toVisualMatch } from './fuse.ts';
import type { ScoreTraits } from './score-traits.ts';
import type { RankedHit } from './search-tasks.ts';

/** From this standard score on, an image counts as showing what is excluded, however well it fits otherwise. */
const minExcludedScore = 1.5;
/** Below, its own evidence counts less the more it fits what is excluded, which is as likely as that of what is wanted with so many deviations more. */
const excludedAhead = 1;

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
  /** What the text of each hit must hold. */
  phrases: string[];
  /** How likely each shows or says what the query excludes, 0..1; 1: it is no hit. Others do not. */
  excluded: Map<number, number>;
  /** Null without a vector. */
  background: Background | null;
  traits: ScoreTraits;
  /** The words of the query that say something; none: an image is searched for. */
  terms: string[];
  /** Whether nobody knows any of them. */
  isStrange: boolean;
};

/**
 * How many words the terms of a query are: a term may be a phrase.
 * @public for the benchmarks, which are no part of the product
 */
export const countWords = (terms: string[]): number => terms.flatMap((term) => term.split(/\s+/)).length;

/**
 * Candidates by falling score, without those that are excluded or lack a phrase.
 * @param numberOf the number of a candidate's chunk
 */
export function scoreCandidates(
  slots: number[],
  { similarities, matches, phrases, excluded, background, traits, terms, isStrange }: Found,
  numberOf: (slot: number) => number,
): ScoredSlot[] {
  const best = Math.max(...similarities.values());
  const weakBelow = leastScore(traits, background, best, countWords(terms), isStrange);
  return (
    slots
      .filter(
        (slot) => excluded.get(slot) !== 1 && phrases.every((phrase) => matches.get(slot)?.terms.includes(phrase)),
      )
      .map((slot): ScoredSlot => {
        const similarity = similarities.get(slot) ?? null;
        const text = matches.get(slot) ?? null;
        const visual = similarity === null || !background ? null : toVisualMatch(similarity, background);
        return { slot, similarity, text, ...fuse(visual, text, weakBelow, excluded.get(slot)) };
      })
      // Equal scores: the newer chunk first, so that the order is stable.
      .sort((a, b) => b.score - a.score || numberOf(b.slot) - numberOf(a.slot))
  );
}

/**
 * What each of some candidates has of what is excluded, as `scoreCandidates` takes it.
 * @param said those whose texts hold it
 * @param shown for each exclusion the cosines of candidates to it, NaN where there is no image, and its background
 */
export function weighExcluded(
  said: Iterable<number>,
  shown: { cosines: Iterable<[slot: number, cosine: number]>; background: Background }[],
): Map<number, number> {
  const excluded = new Map<number, number>();
  for (const { cosines, background } of shown) {
    for (const [slot, cosine] of cosines) {
      if (Number.isNaN(cosine)) continue;
      const score = standardScore(cosine, background);
      const likelihood = score >= minExcludedScore ? 1 : relevance(score + excludedAhead);
      excluded.set(slot, Math.max(excluded.get(slot) ?? 0, likelihood));
    }
  }
  for (const slot of said) excluded.set(slot, 1);
  return excluded;
}

export const toHit = (number: number, { score, weak, similarity, text }: ScoredSlot): RankedHit => ({
  number,
  score,
  weak,
  ...(similarity === null ? {} : { visual: similarity }),
  ...(text ? { text: { relevance: text.relevance, terms: text.terms } } : {}),
});
