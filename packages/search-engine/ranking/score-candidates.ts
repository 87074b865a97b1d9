import { textEvidence } from '../text/scoring.ts';
import type { TextMatch } from '../text/search-texts.ts';
import { type Background, relevance, standardScore } from './calibration.ts';
import type { MeantPassage } from './find-meant.ts';
import { fuse, leastScore, toVisualMatch } from './fuse.ts';
import type { ScoreTraits } from './score-traits.ts';
import type { RankedHit } from './search-tasks.ts';

/** From this score on, an image counts as showing what is excluded, however well it fits otherwise. */
const minExcludedScore = 1.2;
/** Below, its own evidence counts less the more it fits what is excluded, which is as likely as that of what is wanted with so many deviations more. */
const excludedAhead = 1.5;

/**
 * How likely an image shows what is excluded, 0..1, by its similarity to that; 1: it certainly counts as showing it. The deviation is that over mixed images, as where
 * nothing fits: in a workspace full of dogs no dog stands out, and all are to be left out. Both bounds were chosen by `lab/bench/excluded.ts` on its development part.
 * @param usual the mean of the similarities in the workspace, which counts where it is not known what it is over mixed images
 */
export function unwantedLikelihood(
  similarity: number,
  usual: number,
  { mean, spread }: Pick<ScoreTraits, 'mean' | 'spread'>,
): number {
  const score = standardScore(similarity, { mean: mean ?? usual, deviation: spread });
  return score >= minExcludedScore ? 1 : relevance(score + excludedAhead);
}

/** A candidate by its slot in an index, or whatever number its parts were found under. */
export type ScoredSlot = {
  slot: number;
  score: number;
  weak: boolean;
  /** The cosine to the query; null: there is no vector. */
  similarity: number | null;
  text: TextMatch | null;
  /** The passage that means something like the query, where that says more than its words. */
  meant: MeantPassage | null;
};

/** What was found out about candidates. */
type Found = {
  /** Their cosines to the query. */
  similarities: ReadonlyMap<number, number>;
  matches: ReadonlyMap<number, TextMatch>;
  meant: ReadonlyMap<number, MeantPassage>;
  /** How likely each shows or says what the query excludes, 0..1; 1: it is no hit. Others do not. */
  excluded: ReadonlyMap<number, number>;
};

/** What the candidates of a query are judged by. */
type Standards = {
  /** What the text of each hit must hold. */
  phrases: string[];
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
 * Judges the candidates of a query.
 * @param best the highest cosine of all candidates
 */
export function createJudge({ phrases, background, traits, terms, isStrange }: Standards, best: number) {
  const weakBelow = leastScore(traits, background, best, countWords(terms), isStrange);
  const toVisual = (similarity: number | undefined) =>
    similarity === undefined || !background ? null : toVisualMatch(similarity, background);
  return {
    /** The score of candidates in their order, without those that are excluded or lack a phrase. */
    score(slots: number[], { similarities, matches, meant, excluded }: Found): ScoredSlot[] {
      const scored: ScoredSlot[] = [];
      for (const slot of slots) {
        const text = matches.get(slot) ?? null;
        if (excluded.get(slot) === 1 || phrases.some((phrase) => text?.terms.includes(phrase) !== true)) continue;
        const similarity = similarities.get(slot);
        const passage = sayingMore(meant.get(slot), text);
        const { score, weak } = fuse(toVisual(similarity), text, weakBelow, excluded.get(slot), passage);
        const counts = passage !== null && (passage.isClear || weak);
        scored.push({ slot, score, weak, similarity: similarity ?? null, text, meant: counts ? passage : null });
      }
      return scored;
    },

    /** The most that a candidate can reach with a cosine and a coverage that are at most these. */
    most: (similarity: number, coverage: number): number =>
      fuse(toVisual(similarity), { coverage, relevance: Number.MAX_VALUE }, weakBelow).score,
  };
}

/** A passage where it speaks more for its chunk than the words of its texts. */
const sayingMore = (passage: MeantPassage | undefined, text: TextMatch | null): MeantPassage | null =>
  passage && passage.evidence > (text ? textEvidence(text.coverage, text.relevance) : 0) ? passage : null;

/**
 * Sorts candidates by falling score, in place. Equal scores, as of all whose image is certain: the nearer image first, then the newer chunk, so that the order is
 * stable.
 * @param numberOf the number of a candidate's chunk
 */
export const sortByScore = (scored: ScoredSlot[], numberOf: (slot: number) => number): ScoredSlot[] =>
  scored.sort(
    (a, b) => b.score - a.score || (b.similarity ?? -1) - (a.similarity ?? -1) || numberOf(b.slot) - numberOf(a.slot),
  );

/**
 * What each of some candidates has of what is excluded, as a judge takes it.
 * @param said those whose texts hold it
 * @param shown for each exclusion the cosines of candidates to it, NaN where there is no image, and its background
 */
export function weighExcluded(
  said: Iterable<number>,
  shown: { cosines: Iterable<[slot: number, cosine: number]>; background: Pick<Background, 'mean'> }[],
  traits: Pick<ScoreTraits, 'mean' | 'spread'>,
): Map<number, number> {
  const excluded = new Map<number, number>();
  for (const { cosines, background } of shown) {
    for (const [slot, cosine] of cosines) {
      if (Number.isNaN(cosine)) continue;
      const likelihood = unwantedLikelihood(cosine, background.mean, traits);
      excluded.set(slot, Math.max(excluded.get(slot) ?? 0, likelihood));
    }
  }
  for (const slot of said) excluded.set(slot, 1);
  return excluded;
}

export const toHit = (number: number, { score, weak, similarity, text, meant }: ScoredSlot): RankedHit => ({
  number,
  score,
  weak,
  ...(similarity === null ? {} : { visual: similarity }),
  ...(text ? { text: { relevance: text.relevance, terms: text.terms } } : {}),
  ...(meant ? { meant: meant.number } : {}),
});
