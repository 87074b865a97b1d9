import { expect, test } from 'vitest';
import { isWeak, measureBackground, relevance, standardScore } from './calibration.ts';

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
  expect(isWeak(standardScore(0.2, background))).toBe(true);
  expect(isWeak(standardScore(0.8, background))).toBe(false);
});
