import { expect, test } from 'vitest';
import { formatTimecode, readMoment, toMoment } from './timecode.ts';

test('a timecode has hours, minutes, seconds and milliseconds, carried over where they round up', () => {
  expect([0, 12.5, 61.0014, 3599.9996, 36_061.25].map((time) => formatTimecode(time))).toEqual([
    '00:00:00.000',
    '00:00:12.500',
    '00:01:01.001',
    '01:00:00.000',
    '10:01:01.250',
  ]);
});

test('with a frame rate the last number is the frame, which begins at its time', () => {
  expect(formatTimecode(12.48, 25)).toBe('00:00:12:12');
  // Every frame has its number, also where its time is no round one.
  expect(Array.from({ length: 31 }, (_, i) => formatTimecode(i / 30, 30)).at(-1)).toBe('00:00:01:00');
  const frames = Array.from({ length: 60 }, (_, i) => formatTimecode(toMoment((i * 1001) / 30_000), 30_000 / 1001));
  expect(new Set(frames).size).toBe(60);
  // Half way through a frame it is still that one.
  expect(formatTimecode(1.02, 25)).toBe('00:00:01:00');
});

test('a moment in a URL is a number of seconds from the beginning; what is none is left out', () => {
  expect(['12.5', '0', '-3', '1e3', ' 7 '].map(readMoment)).toEqual([12.5, 0, 0, 1000, 7]);
  expect([null, '', ' ', 'soon', 'NaN', 'Infinity', '1:30'].map(readMoment)).toEqual(Array(7).fill(null));
});

test('the moment of a frame never names the frame before', () => {
  for (const rate of [24, 25, 29.97, 30, 59.94, 120]) {
    for (let frame = 0; frame < 500; frame++) {
      const begin = frame / rate;
      expect(toMoment(begin)).toBeGreaterThanOrEqual(begin - 1e-6);
      expect(toMoment(begin)).toBeLessThan((frame + 1) / rate);
    }
  }
  expect(toMoment(12.5)).toBe(12.5);
});
