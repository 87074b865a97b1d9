import { expect, test } from 'vitest';
import { barsOfSpan } from './waveform-bars.ts';

const peaks = [0, 51, 102, 153, 204, 255, 0, 0, 0, 255];

test('bars are those of the span, and each is as high as the loudest in it', () => {
  expect(barsOfSpan(peaks, 10, { start: 0, end: 10 }, 5)).toEqual([20, 60, 100, 0, 100]);
  expect(barsOfSpan(peaks, 10, { start: 2, end: 4 }, 4)).toEqual([40, 40, 60, 60]);
  expect(barsOfSpan(peaks, 10, { start: 9, end: 10 }, 2)).toEqual([100, 100]);
});

test('nothing is drawn of what is not known', () => {
  expect(barsOfSpan([], 10, { start: 0, end: 10 }, 5)).toEqual([]);
  expect(barsOfSpan(peaks, 0, { start: 0, end: 0 }, 5)).toEqual([]);
});
