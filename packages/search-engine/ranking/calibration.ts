import { median } from '../vectors.ts';
import type { DuplicateThresholds, ScoreTraits } from './score-traits.ts';

/** Chunks by which a background is measured, at most. */
export const backgroundSize = 500;

/** The distribution of a query's similarities to chunks drawn at random. */
export type Background = {
  mean: number;
  deviation: number;
  /** Deviation of the similarities below the mean, which hits are never among. */
  lowerDeviation: number;
  /** Chunks that it was measured by. */
  size: number;
};

/** What few similarities say is unreliable, so what is expected is mixed in, with the weight of this many similarities. */
const priorWeight = 12;

/**
 * The background by the similarities of a query to chunks drawn at random, and by what is expected over mixed images. Without an expected
 * mean the chunks are all there is to compare with, and in a workspace that holds little but what is searched for, nothing stands out.
 */
export function measureBackground(
  similarities: ArrayLike<number>,
  expected: { mean: number | null; deviation: number },
): Background {
  const count = similarities.length;
  if (count === 0) {
    return { mean: expected.mean ?? 0, deviation: expected.deviation, lowerDeviation: expected.deviation, size: 0 };
  }
  // The median, because a few true hits in the sample do not move it. But the mean of squares for the spread: the median of squares
  // would be close to zero where similarities are skewed (most images hold no yellow at all).
  const middle = median(similarities);
  const mean = expected.mean === null ? middle : (count * middle + priorWeight * expected.mean) / (count + priorWeight);
  let [squares, lowerSquares, lowerCount] = [0, 0, 0];
  for (let i = 0; i < count; i++) {
    const distance = (similarities[i] as number) - mean;
    squares += distance ** 2;
    if (distance >= 0) continue;
    lowerSquares += distance ** 2;
    lowerCount += 1;
  }
  const deviationOf = (sum: number, of: number) =>
    Math.sqrt((sum + priorWeight * expected.deviation ** 2) / (of + priorWeight));
  return {
    mean,
    deviation: deviationOf(squares, count),
    lowerDeviation: deviationOf(lowerSquares, lowerCount),
    size: count,
  };
}

/** What of an embedder tells chance from a match. */
type ChanceTraits = Pick<ScoreTraits, 'mean' | 'spread' | 'chanceMargins' | 'chance'>;

/** A query of more words than this says as much as a sentence. */
export const longestPhrase = 3;

/** How far a similarity stands out from the background, in standard deviations. */
export const standardScore = (similarity: number, background: Pick<Background, 'mean' | 'deviation'>): number =>
  (similarity - background.mean) / background.deviation;

/** A hit is weak below this standard score, however few chunks there are. */
const leastScore = 1.2;

/**
 * The standard score below which a hit is weak: that of the best of so many chunks by chance, √(2 ln n) (Donoho & Johnstone 1994). With few chunks
 * a lower one stands out already.
 * @param weakBelow the most, as measured in a large workspace
 */
export const weakScore = (weakBelow: number, { size }: Pick<Background, 'size'>): number =>
  Math.min(weakBelow, Math.max(leastScore, Math.sqrt(2 * Math.log(Math.max(1, size)))));

/** With fewer chunks in the background, too little is known to say that nothing fits. */
const leastSize = 100;
/** The same of words, which are compared with mixed images and not with the background. Among fewer the bound of chance means little. */
export const leastSizeForWords = 20;

/** The similarity that the best of some chunks has by chance: √(2 ln n) standard deviations above the mean, and a margin of as many more. */
const chanceSimilarity = (mean: number, deviation: number, size: number, margin: number): number =>
  mean + deviation * (Math.sqrt(2 * Math.log(size)) + margin);

/**
 * The similarity from which on something fits a query, as the best one; -Infinity where too little is known. For words the deviation is that
 * over mixed images, not that of the workspace: where half of it shows dogs, the similarities to "dog" spread widely, and no dog stands out. Two images are
 * compared with the workspace, because how alike any two of it are differs from one to another. Where chance was sampled in the workspace, that counts for words.
 * @param words that say something in the query; 0: an image is searched for
 */
export function leastClearSimilarity(
  words: number,
  { mean, deviation, lowerDeviation, size }: Background,
  { mean: expectedMean, spread, chanceMargins: margins, chance }: ChanceTraits,
): number {
  if (chance && words > 0) {
    return Math.min(mean, chance.mean) + chance.score * Math.min(deviation, chance.deviation);
  }
  if (margins === null || size < (words === 0 ? leastSize : leastSizeForWords)) return -Infinity;
  if (words === 0) return chanceSimilarity(mean, lowerDeviation, size, margins.image);
  const margin = words <= longestPhrase ? margins.phrase : margins.sentence;
  return chanceSimilarity(expectedMean ?? mean, spread, size, margin);
}

/**
 * The standard score from which on a hit is clear even where nobody looks at it: more than the best of so many chunks by chance. 0 where too little is
 * known, as in `leastClearSimilarity`.
 * @param size of the background
 */
export const clearScore = (size: number, { chanceMargins, chance }: Pick<ChanceTraits, 'chanceMargins' | 'chance'>) =>
  (chanceMargins === null && !chance) || size < leastSize
    ? 0
    : Math.max(chance?.score ?? 0, Math.sqrt(2 * Math.log(size)));

const relevanceSlope = 1.25;

/** A standard score as relevance, 0..1: one half at two deviations above the background. Logistic, so that it is strictly monotonic. */
export const relevance = (score: number): number => 1 / (1 + Math.exp(-relevanceSlope * (score - 2)));

/** A relevance with further evidence for it: the one that as many more standard deviations would have. */
export const relevanceBeside = (before: number, deviations: number): number =>
  before / (before + (1 - before) * Math.exp(-relevanceSlope * deviations));

/** The thresholds expected for a kind of model count as much as this many pairs. */
const priorPairs = 50;

/**
 * The cosines from which on two chunks show the same, for a model that was not measured beforehand. Models differ in how similar any two
 * images are to them. Copies lie at a certain fraction of the way from the most similar ordinary pairs to identity; the fractions were
 * measured by `lab/bench/duplicates.ts` over 41 events in 20 clips, each uploaded five times with other encodings, sizes, crops and trims.
 * @param pairs cosines of pairs of chunks drawn at random
 * @param expected the thresholds for few pairs
 */
export function calibrateDuplicates(pairs: number[], expected: DuplicateThresholds): DuplicateThresholds {
  if (pairs.length === 0) return expected;
  const sorted = Float64Array.from(pairs).sort();
  const [middle, upper] = [0.5, 0.8].map((share) => sorted[Math.floor(share * (sorted.length - 1))] as number) as [
    number,
    number,
  ];
  // The 99th percentile, extrapolated from the lower ones as of a normal distribution: where everything was uploaded several times, the
  // most similar pairs themselves are copies.
  const upperCosine = middle + 2.764 * (upper - middle);
  const weight = pairs.length / (pairs.length + priorPairs);
  const between = (share: number, fallback: number) =>
    weight * (upperCosine + share * Math.max(0, 1 - upperCosine)) + (1 - weight) * fallback;
  return { copy: between(0.55, expected.copy), continuation: between(0.45, expected.continuation) };
}
