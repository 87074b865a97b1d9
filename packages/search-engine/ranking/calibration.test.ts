import { expect, test } from 'vitest';
import {
  clearScore,
  calibrateDuplicates,
  leastClearSimilarity,
  measureBackground,
  relevance,
  standardScore,
  weakScore,
} from './calibration.ts';

test('a few true hits in the sample do not shift the background', () => {
  const noise = Array.from({ length: 200 }, (_, i) => 0.2 + 0.05 * Math.sin(i));
  const plain = measureBackground(noise, { mean: null, deviation: 0.06 });
  const withHits = measureBackground([...noise, 0.9, 0.95, 1], { mean: null, deviation: 0.06 });
  expect(withHits.mean).toBeCloseTo(plain.mean, 2);
  expect(withHits.deviation).toBeLessThan(3 * plain.deviation);
});

test('an empty or uniform workspace still has a non-zero deviation', () => {
  for (const similarities of [[], [0.5, 0.5, 0.5]]) {
    expect(measureBackground(similarities, { mean: null, deviation: 0.06 }).deviation).toBeGreaterThan(0);
  }
});

test('in a small workspace the expected mean counts, in a large one its own', () => {
  const expected = { mean: 0, deviation: 0.1 };
  // The only chunk stands out although there is nothing else to compare it with, unless nothing else is expected.
  expect(standardScore(0.4, measureBackground([0.4], expected))).toBeGreaterThan(2);
  expect(standardScore(0.02, measureBackground([0.02], expected))).toBeLessThan(1);
  expect(standardScore(0.4, measureBackground([0.4], { ...expected, mean: null }))).toBe(0);
  expect(measureBackground([], expected)).toMatchObject(expected);
  expect(measureBackground(Array<number>(500).fill(0.4), expected).mean).toBeCloseTo(0.4, 1);
});

test('of few chunks a lower score stands out already', () => {
  const scores = [0, 1, 6, 30, 500].map((size) => weakScore(3, { size }));
  expect(scores.map((score) => score.toFixed(1))).toEqual(['1.2', '1.2', '1.9', '2.6', '3.0']);
  expect(weakScore(1, { size: 500 })).toBe(1);
});

test('relevance increases with the standard score and stays within 0..1', () => {
  const background = { mean: 0.2, deviation: 0.1 };
  const scores = [-1, 0, 0.2, 0.3, 0.4, 0.8, 1].map((similarity) => relevance(standardScore(similarity, background)));
  expect(scores).toEqual(scores.toSorted((a, b) => a - b));
  for (const score of scores) {
    expect(score).toBeGreaterThan(0);
    expect(score).toBeLessThan(1);
  }
  expect(relevance(2)).toBe(0.5);
});

test('the copy threshold follows from how similar a model finds any two images', () => {
  const usual = { copy: 0.95, continuation: 0.9 };
  expect(calibrateDuplicates([], usual)).toEqual(usual);
  // Normally distributed about 0.2: one in a hundred is more alike than 0.2 + 2.326 * 0.1.
  const draw = (count: number) => Array.from({ length: count }, (_, i) => 0.2 + 0.1 * gauss((i + 0.5) / count));
  const normal = draw(10_000);
  const found = calibrateDuplicates(normal, usual);
  expect(found.copy).toBeCloseTo(0.4326 + 0.55 * (1 - 0.4326), 2);
  expect(found.continuation).toBeCloseTo(0.4326 + 0.45 * (1 - 0.4326), 2);
  // If every image exists five times, one pair in twenty is a pair of copies, which must not count as an ordinary pair.
  const crowded = calibrateDuplicates([...normal, ...Array<number>(520).fill(0.97)], usual);
  expect(crowded.copy - found.copy).toBeLessThan(0.02);
  // The fewer pairs, the more the expected thresholds weigh.
  const thresholds = [10_000, 500, 50, 5].map((count) => calibrateDuplicates(draw(count), usual).copy);
  expect(thresholds).toEqual(thresholds.toSorted((a, b) => a - b));
  expect(thresholds[1]).toBeLessThan(0.79);
  expect(thresholds[3]).toBeGreaterThan(0.9);
});

/** The quantile of the normal distribution (rational approximation, Abramowitz & Stegun 26.2.23). */
function gauss(share: number): number {
  const t = Math.sqrt(-2 * Math.log(Math.min(share, 1 - share)));
  const value =
    t - (2.515517 + 0.802853 * t + 0.010328 * t * t) / (1 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t ** 3);
  return share < 0.5 ? -value : value;
}

const margins = { phrase: 0.4, sentence: 0.6, image: 0.5 };
const traits = { mean: 0, spread: 0.07, chanceMargins: margins };
const noise = Array.from({ length: 400 }, (_, i) => 0.07 * Math.sin(i) * Math.SQRT2);
// √(2 ln 400) is 3.46.
const chance = Math.sqrt(2 * Math.log(400));

test('words fit from a margin above chance on, by how much they say', () => {
  const background = measureBackground(noise, { mean: 0, deviation: 0.07 });
  const found = [1, 2, 3, 4, 20].map((words) => leastClearSimilarity(words, background, traits) / 0.07 - chance);
  expect(found.map((margin) => margin.toFixed(2))).toEqual(['0.40', '0.40', '0.40', '0.60', '0.60']);
});

test('where most of a workspace shows what is searched for, it is as clear as elsewhere', () => {
  const usual = measureBackground(noise, { mean: 0, deviation: 0.07 });
  const dogs = measureBackground([...noise.slice(0, 100), ...Array<number>(300).fill(0.3)], {
    mean: 0,
    deviation: 0.07,
  });
  expect(leastClearSimilarity(1, dogs, traits)).toBe(leastClearSimilarity(1, usual, traits));
  // By the workspace alone none of them would stand out.
  expect(standardScore(0.3, dogs)).toBeLessThan(1);
  // Two images are compared with the workspace.
  expect(leastClearSimilarity(0, dogs, traits)).toBeGreaterThan(leastClearSimilarity(0, usual, traits));
});

test('nothing is said to be missing where too little is known', () => {
  const background = measureBackground(noise, { mean: 0, deviation: 0.07 });
  expect(leastClearSimilarity(1, background, { ...traits, chanceMargins: null })).toBe(-Infinity);
  const among = (count: number) => measureBackground(noise.slice(0, count), { mean: 0, deviation: 0.07 });
  expect(leastClearSimilarity(1, among(19), traits)).toBe(-Infinity);
  // Words are compared with mixed images: some tens of chunks are enough. Images are compared with the workspace.
  expect(leastClearSimilarity(1, among(20), traits) / 0.07).toBeCloseTo(Math.sqrt(2 * Math.log(20)) + 0.4, 2);
  expect([99, 100].map((count) => leastClearSimilarity(0, among(count), traits) > 0)).toEqual([false, true]);
});

test('where nobody looks, a hit has to stand out more than the best of all chunks by chance, as far as that is known', () => {
  expect([99, 100, 500].map((size) => clearScore(size, { chanceMargins: margins }))).toEqual([
    0,
    expect.closeTo(3.03),
    expect.closeTo(3.53),
  ]);
  expect(clearScore(500, { chanceMargins: null })).toBe(0);
});
