import { type Background, measureBackground, relevance, standardScore } from './calibration.ts';

/** What cosines of a query and passages by MiniLM are expected to be: a few passages say little about that. */
const expected = { mean: 0.06, deviation: 0.08 };

/**
 * From this similarity on a passage clearly means something like the query, if it stands out as well, by so many deviations more than the best has by chance. Chosen on the lines of
 * `lab/bench/paraphrases.ts --dev` and on the sentences of this project's documents: half of the paraphrases that are found have both, and of 40 things that no line speaks of none.
 */
const clearSimilarity = 0.34;
const chanceMargin = 0.5;

/**
 * The most that meaning speaks for a chunk: less than a text that holds every word of the query (`minEvidence`), a little more than an image, whose similarities
 * are less reliable.
 */
const maxMeaning = 0.75;

/** Of fewer passages too little is known of what chance brings: they count as so many. */
const leastCount = 100;

/** Passages among which a candidate has more like itself than this, as a mean cosine, are a crowd. */
const crowdSimilarity = 0.35;
/** How much of what is above counts against it. */
const crowdWeight = 0.5;

/**
 * The similarity of a passage to a query without what it owes to its crowd: some passages are near to any query because they are near to everything, many of them near to each other, and take
 * the places of the one that is meant (hubness: Lample et al. 2018, CSLS).
 * @param likes mean cosine of the passage and those most like it among the candidates
 */
export const withoutCrowd = (cosine: number, likes: number): number =>
  cosine - crowdWeight * Math.max(0, likes - crowdSimilarity);

/** The background of a query among passages, by its cosines to a sample of them. */
export const measureMeaning = (sampled: ArrayLike<number>): Background => measureBackground(sampled, expected);

/**
 * How much a passage speaks for its chunk by what it means, 0..1.
 * @param similarity without its crowd
 * @param count of all passages, of which the best stands out by chance already: √(2 ln n) deviations, n at least `leastCount`
 */
export function judgeMeaning(
  similarity: number,
  background: Background,
  count: number,
): { evidence: number; isClear: boolean } {
  const { mean, size } = background;
  // Of a few passages the one that is meant is a large part of the spread.
  const deviation = size < leastCount ? background.lowerDeviation : background.deviation;
  const score = standardScore(similarity, { mean, deviation });
  return {
    evidence: maxMeaning * relevance(score),
    isClear:
      similarity >= clearSimilarity && score >= Math.sqrt(2 * Math.log(Math.max(leastCount, count))) + chanceMargin,
  };
}
