import type { Embedder } from '../models/embedder.ts';
import { median } from '../vectors.ts';

type DuplicateThresholds = Embedder['duplicateThresholds'];

/** What similarities to chunks picked at random look like for one query. */
export type Background = { mean: number; deviation: number };

/** With fewer chunks than this the spread of a workspace says little, so a typical one is mixed in with this weight. */
const priorWeight = 12;

/**
 * What a workspace's chunks look like to a query.
 * @param similarities of the query to chunks drawn at random
 * @param expectedDeviation how far similarities of the embedder spread over mixed pictures
 */
export function measureBackground(similarities: number[], expectedDeviation: number): Background {
  const count = similarities.length;
  if (count === 0) return { mean: 0, deviation: expectedDeviation };
  // The median, because a few true hits among the sample do not move it; the spread about it, because that of skewed
  // similarities (most pictures hold no yellow at all) would be next to nothing by its median.
  const mean = median(similarities);
  const squares = similarities.reduce((sum, similarity) => sum + (similarity - mean) ** 2, 0);
  const variance = (squares + priorWeight * expectedDeviation ** 2) / (count + priorWeight);
  return { mean, deviation: Math.sqrt(variance) };
}

/** How far a similarity stands out from the background, in standard deviations. */
export const standardScore = (similarity: number, background: Background): number =>
  (similarity - background.mean) / background.deviation;

/** A standard score as relevance in 0..1: one half two deviations above the background. Logistic, so it never stops growing. */
export const relevance = (score: number): number => 1 / (1 + Math.exp(-1.25 * (score - 2)));

/** So many pairs say as much as what is usual for a kind of model; more of them say more. */
const priorPairs = 50;

/**
 * From which cosine on two chunks show the same, for a model that was not measured beforehand: models differ in how alike they
 * hold any two pictures, so it goes by where between the most alike of ordinary pairs and identity the copies lie. Measured in
 * `bench/duplicates.ts`: of 41 events in 20 clips, each uploaded five times under other encodings, sizes, crops and trims.
 * @param pairs cosines of pairs of chunks drawn at random
 * @param expected what to go by where there are few
 */
export function calibrateDuplicates(pairs: number[], expected: DuplicateThresholds): DuplicateThresholds {
  if (pairs.length === 0) return expected;
  const sorted = Float64Array.from(pairs).sort();
  const [middle, upper] = [0.5, 0.8].map((share) => sorted[Math.floor(share * (sorted.length - 1))] as number) as [
    number,
    number,
  ];
  // The most alike but one in a hundred, by how the others spread (normally distributed): where everything was uploaded several
  // times, the most alike pairs themselves are copies.
  const upperCosine = middle + 2.764 * (upper - middle);
  const weight = pairs.length / (pairs.length + priorPairs);
  const between = (share: number, fallback: number) =>
    weight * (upperCosine + share * Math.max(0, 1 - upperCosine)) + (1 - weight) * fallback;
  return { copy: between(0.55, expected.copy), continuation: between(0.45, expected.continuation) };
}
