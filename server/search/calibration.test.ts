import { expect, test } from 'vitest';
import { calibrateDuplicates, measureBackground, relevance, standardScore } from './calibration.ts';

test('a few true hits among the sample do not move the background', () => {
  const noise = Array.from({ length: 200 }, (_, i) => 0.2 + 0.05 * Math.sin(i));
  const plain = measureBackground(noise, 0.06);
  const withHits = measureBackground([...noise, 0.9, 0.95, 1], 0.06);
  expect(withHits.mean).toBeCloseTo(plain.mean, 2);
  expect(withHits.deviation).toBeLessThan(3 * plain.deviation);
});

test('an empty or uniform workspace has a spread all the same', () => {
  expect(measureBackground([], 0.06).deviation).toBeGreaterThan(0);
  expect(measureBackground([0.5, 0.5, 0.5], 0.06).deviation).toBeGreaterThan(0);
});

test('relevance rises with the standard score and stays within 0..1', () => {
  const background = { mean: 0.2, deviation: 0.1 };
  const scores = [-1, 0, 0.2, 0.3, 0.4, 0.8, 1].map((similarity) => relevance(standardScore(similarity, background)));
  expect(scores).toEqual(scores.toSorted((a, b) => a - b));
  for (const score of scores) {
    expect(score).toBeGreaterThan(0);
    expect(score).toBeLessThan(1);
  }
  expect(relevance(2)).toBe(0.5);
});

test('what counts as a copy follows from how alike a model holds any two pictures', () => {
  const usual = { copy: 0.95, continuation: 0.9 };
  expect(calibrateDuplicates(Array<number>(499).fill(0.1), usual)).toEqual(usual);
  // Of a thousand pairs the most alike but ten are at 0.5; a few copies among them change nothing.
  const pairs = Array.from({ length: 1000 }, (_, i) => (i < 5 ? 1 : i < 15 ? 0.5 : 0.1));
  const found = calibrateDuplicates(pairs, usual);
  expect(found.copy).toBeCloseTo(0.825, 6);
  expect(found.continuation).toBeCloseTo(0.75, 6);
  const crowded = calibrateDuplicates(Array<number>(1000).fill(0.85), usual);
  expect(crowded.copy).toBeCloseTo(0.9475, 6);
});
