import { textEvidence } from '../text/scoring.ts';
import type { TextMatch } from '../text/search-texts.ts';
import { type Background, leastClearSimilarity, relevance, standardScore, weakScore } from './calibration.ts';
import type { MeantPassage } from './find-meant.ts';
import type { ScoreTraits } from './score-traits.ts';

/** A similarity and how far it stands out from the background, in standard deviations. */
export type VisualMatch = { similarity: number; score: number };

/**
 * The standard score below which hits are weak: all of them where even the best similarity is no more than chance brings. A hit that is more than chance
 * brings by itself is never weak, however many others show the same.
 * @param words that say something in the query; 0: an image is searched for
 * @param isStrange whether nobody knows any of these words: an embedder that reads any letters has a nearest image for them by chance only
 */
export function leastScore(
  traits: ScoreTraits,
  background: Background | null,
  best: number,
  words: number,
  isStrange = false,
): number {
  // Of other embedders it is not known which names they know.
  if (isStrange && traits.chanceMargins !== null) return Infinity;
  if (!background) return traits.weakBelow;
  const clear = leastClearSimilarity(words, background, traits);
  if (best < clear) return Infinity;
  const usual = weakScore(traits.weakBelow, background);
  return clear === -Infinity ? usual : Math.min(usual, standardScore(clear, background));
}

export const toVisualMatch = (similarity: number, background: Background): VisualMatch => ({
  similarity,
  score: standardScore(similarity, background),
});

/**
 * The most that the visual part contributes: less than a text that holds every word. Measured (`lab/bench/fusion.ts`): from 0.8
 * down to 0.6 texts and images together find more than either alone; at 1, merely similar images hide matching texts.
 * @public for the benchmarks, which are no part of the product
 */
export const imageWeight = 0.7;

/** What an image counts by itself that stands out so many standard deviations, 0..1. */
const imageEvidence = (standardScore: number): number => imageWeight * relevance(standardScore);

/** Weak hits have scores below this, all others have this or more: so a list by score has the weak ones behind all others, whatever was searched for. */
export const leastClear = 0.25;

/** The score of a hit by the evidence for it, 0..1, in the part of the scale that it belongs to. */
export const scoreOf = (evidence: number, weak: boolean): number =>
  weak ? leastClear * evidence : leastClear + (1 - leastClear) * evidence;

/** The evidence for a hit, by its score. */
export const evidenceOf = (score: number, weak: boolean): number =>
  weak ? score / leastClear : (score - leastClear) / (1 - leastClear);

/** The score of an image alone that is no weak hit. */
export const imageScore = (standardScore: number): number => scoreOf(imageEvidence(standardScore), false);

/** A text with less coverage of a query than this is not enough for a hit. */
const minCoverage = 1 / 3;

/**
 * One score from both parts, as independent evidence: 1 - (1 - visual)(1 - text), so that a hit which both find ranks
 * above one that either finds equally well. Weak hits rank below all others.
 * @param unwanted how likely the image shows what is excluded, 0..1: as much of what it shows does not count
 * @param meant a passage by what it means. That and words are no independent evidence: the stronger counts. One that is not clear orders weak hits only
 */
export function fuse(
  visual: VisualMatch | null,
  text: Pick<TextMatch, 'coverage' | 'relevance'> | null,
  weakBelow: number,
  unwanted = 0,
  meant: Pick<MeantPassage, 'evidence' | 'isClear'> | null = null,
): { score: number; weak: boolean } {
  const seen = visual ? imageEvidence(visual.score) * (1 - unwanted) : 0;
  const weak = meant?.isClear !== true && (text?.coverage ?? 0) < minCoverage && (visual?.score ?? 0) < weakBelow;
  const said = Math.max(
    text ? textEvidence(text.coverage, text.relevance) : 0,
    meant && (weak || meant.isClear) ? meant.evidence : 0,
  );
  return { score: scoreOf(1 - (1 - seen) * (1 - said), weak), weak };
}
