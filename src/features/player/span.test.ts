import { expect, test } from 'vitest';
import { clampToSpan, fractionOfSpan, frameBeside, isAtEnd, lastFrameOf, startsOver, timeAtFraction } from './span.ts';

const span = { start: 10, end: 14 };

test('the position is 0 at the start and 1 at the end, and never outside', () => {
  expect([9, 10, 11, 14, 15].map((time) => fractionOfSpan(span, time))).toEqual([0, 0, 0.25, 1, 1]);
  // A span without a length has no middle.
  expect(fractionOfSpan({ start: 3, end: 3 }, 3)).toBe(0);
});

test('a position of the slider is a time of the whole video, and comes back as the same position', () => {
  expect(timeAtFraction(span, 0)).toBe(10);
  expect(timeAtFraction(span, 0.5)).toBe(12);
  for (const fraction of [0, 0.1, 0.75, 1]) {
    expect(fractionOfSpan(span, timeAtFraction(span, fraction))).toBeCloseTo(fraction, 9);
  }
});

test('seeking outside the span leads to its first or its last frame, never to one of the next shot', () => {
  expect(clampToSpan(span, 3)).toBe(10);
  expect(clampToSpan(span, 12.5)).toBe(12.5);
  expect(clampToSpan(span, 14)).toBe(lastFrameOf(span));
  expect(clampToSpan(span, 99)).toBeLessThan(14);
  expect(clampToSpan(span, 99)).toBeGreaterThan(13.9);
  // Shorter than a frame: the start is all there is.
  expect(clampToSpan({ start: 5, end: 5.01 }, 5.005)).toBe(5);
});

test('playback ends before the frame at the end is shown, and not a frame earlier', () => {
  expect(isAtEnd(span, 13.94)).toBe(false);
  expect(isAtEnd(span, 13.99)).toBe(true);
  expect(isAtEnd(span, 14.5)).toBe(true);
  // Where it stops, it would not stop again: from there “play” begins at the start.
  expect(isAtEnd(span, lastFrameOf(span))).toBe(false);
  expect(startsOver(span, lastFrameOf(span))).toBe(true);
});

test('playing continues where it was inside the span, and begins at the start from anywhere else', () => {
  expect(startsOver(span, 9)).toBe(true);
  // A browser may land a hair before the time that was asked for.
  expect(startsOver(span, 9.96)).toBe(false);
  expect(startsOver(span, 12)).toBe(false);
  expect(startsOver(span, 14)).toBe(true);
});

test('a step leads into the frame beside, also from one that is still on its way, and after an hour', () => {
  expect(frameBeside(1, 1, 25)).toBeCloseTo(1.06, 9);
  expect(frameBeside(1, -1, 25)).toBeCloseTo(0.98, 9);
  // A key that is held down steps before the frame of the step before is shown.
  expect(frameBeside(frameBeside(1, 1, 25), 1, 25)).toBeCloseTo(1.1, 9);
  const begin = (107_892 * 1001) / 30_000;
  expect(frameBeside(begin, 1, 29.97)).toBeGreaterThan(begin + 1001 / 30_000);
  expect(frameBeside(begin, 1, 29.97)).toBeLessThan(begin + 2002 / 30_000);
});
