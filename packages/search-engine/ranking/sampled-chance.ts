import { leastSizeForWords, measureBackground, standardScore } from './calibration.ts';
import type { SampledChance, ScoreTraits } from './score-traits.ts';

/** Fewer words say too little. */
const leastWords = 50;
/** Words compared with a workspace: more change what is found by a hundredth. */
const mostWords = 200;
/**
 * The share of absent things that are told from chance. Half: as many as the built-in encoder tells by the margins that were measured for it
 * (`lab/bench/weak.ts`); it loses three to eight in a hundred of its right answers then.
 */
const share = 0.5;
/**
 * Quantiles by which that one is extrapolated, as of the largest of many (Gumbel's distribution). Some of the words are in the workspace, and what they
 * have is no chance: they are among the highest.
 */
const [lower, upper] = [0.2, 0.4];

/** No query has a background above that of nine in ten words, however much of a workspace shows it. */
const usual = 0.9;

/**
 * What words have by chance in a workspace: how far its best chunk stands out for words that nobody picked for it. Models differ in that, and so do workspaces.
 * @param words unit vectors of words of a fixed list
 * @param compare the cosines of a word and chunks spread over the workspace
 * @returns null where there are too few of either
 */
export function sampleChance(
  words: readonly Float32Array[],
  compare: (word: Float32Array) => ArrayLike<number>,
  { mean, spread }: Pick<ScoreTraits, 'mean' | 'spread'>,
): SampledChance | null {
  if (words.length < leastWords) return null;
  const step = Math.max(1, words.length / mostWords);
  const chosen = words.filter((_, i) => Math.floor(i % step) === 0);
  const sampled = chosen.map((word) => {
    const similarities = Float64Array.from(compare(word));
    const background = measureBackground(similarities, { mean, deviation: spread });
    return {
      ...background,
      score: standardScore(
        similarities.reduce((a, b) => Math.max(a, b), -1),
        background,
      ),
    };
  });
  if ((sampled[0]?.size ?? 0) < leastSizeForWords) return null;
  const valueAt = (of: 'mean' | 'deviation' | 'score', part: number) =>
    Float64Array.from(sampled, (each) => each[of]).sort()[Math.floor(part * (sampled.length - 1))] as number;
  const scale = (valueAt('score', upper) - valueAt('score', lower)) / (reduced(upper) - reduced(lower));
  return {
    score: valueAt('score', upper) + scale * (reduced(share) - reduced(upper)),
    mean: valueAt('mean', usual),
    deviation: valueAt('deviation', usual),
  };
}

/** The quantile of Gumbel's distribution in units of its scale. */
const reduced = (part: number): number => -Math.log(-Math.log(part));
