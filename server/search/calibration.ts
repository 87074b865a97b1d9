/** What similarities to chunks picked at random look like for one query. */
export type Background = { mean: number; deviation: number };

/** With fewer chunks than this the spread of a workspace says little, so a typical one is mixed in with this weight. */
const priorWeight = 12;

/** Standard scores below this are no better than what chance brings: the hit is weak. */
const weakBelow = 1;

/**
 * What a workspace's chunks look like to a query.
 * @param similarities of the query to chunks drawn at random
 * @param usualDeviation how far similarities of the embedder spread over mixed pictures
 */
export function measureBackground(similarities: number[], usualDeviation: number): Background {
  const count = similarities.length;
  if (count === 0) return { mean: 0, deviation: usualDeviation };
  // The median, because a few true hits among the sample do not move it; the spread about it, because that of skewed
  // similarities (most pictures hold no yellow at all) would be next to nothing by its median.
  const mean = median(similarities);
  const squares = similarities.reduce((sum, similarity) => sum + (similarity - mean) ** 2, 0);
  const variance = (squares + priorWeight * usualDeviation ** 2) / (count + priorWeight);
  return { mean, deviation: Math.sqrt(variance) };
}

/** How far a similarity stands out from the background, in standard deviations. */
export const standardScore = (similarity: number, background: Background): number =>
  (similarity - background.mean) / background.deviation;

export const isWeak = (score: number): boolean => score < weakBelow;

/** A standard score as relevance in 0..1: one half two deviations above the background. Logistic, so it never stops growing. */
export const relevance = (score: number): number => 1 / (1 + Math.exp(-1.25 * (score - 2)));

function median(values: number[]): number {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}
