import { expect, test } from 'vitest';
import { addSample, secondsLeft } from './time-to-read.ts';

const samplesOf = (...points: [at: number, waiting: number][]) =>
  points.reduce<{ at: number; waiting: number }[]>((samples, [at, waiting]) => addSample(samples, { at, waiting }), []);

test('the time left comes from how many items were read since the first sample', () => {
  expect(secondsLeft(samplesOf([0, 100], [30_000, 95], [60_000, 90]))).toBe(540);
  expect(secondsLeft(samplesOf([0, 100], [60_000, 0]))).toBe(0);
});

test('it is not told before some seconds have passed, nor while nothing moves', () => {
  expect(secondsLeft([])).toBeNull();
  expect(secondsLeft(samplesOf([0, 100], [10_000, 95]))).toBeNull();
  expect(secondsLeft(samplesOf([0, 100], [90_000, 100]))).toBeNull();
});

test('it begins again when items come in, and forgets what is long ago', () => {
  expect(secondsLeft(samplesOf([0, 100], [60_000, 50], [70_000, 80], [130_000, 60]))).toBe(180);
  expect(secondsLeft(samplesOf([0, 1000], [40 * 60_000, 100], [41 * 60_000, 50]))).toBe(60);
});
