import { expect, test } from 'vitest';
import { cutSound } from './cut-sound.ts';

/** Levels of a recording that is loud but in its pauses, each half a second long. */
const recording = (seconds: number, pauses: number[]) => ({
  seconds,
  levels: Float32Array.from({ length: seconds * 20 }, (_, i) =>
    pauses.some((pause) => i / 20 >= pause && i / 20 < pause + 0.5) ? 0.01 : 0.5,
  ),
});

test('cuts lie in the longest pause within reach, leave nothing out, and no span is longer than ten seconds', () => {
  const spans = cutSound(recording(34, [2, 7, 12.5, 21]));
  expect(spans[0]?.end).toBeGreaterThan(7);
  expect(spans[0]?.end).toBeLessThan(7.5);
  expect(spans[1]?.end).toBeGreaterThan(12.5);
  expect(spans[1]?.end).toBeLessThan(13);
  expect(spans[2]?.end).toBeGreaterThan(21);
  expect(spans[2]?.end).toBeLessThan(21.5);
  for (const [i, { start, end }] of spans.entries()) {
    expect(start).toBe(spans[i - 1]?.end ?? 0);
    expect(end - start).toBeGreaterThan(0);
    expect(end - start).toBeLessThanOrEqual(10);
  }
  expect(spans.at(-1)?.end).toBe(34);
});

test('a short recording is one span, and a steady tone is cut into long ones', () => {
  expect(cutSound(recording(4, []))).toEqual([{ start: 0, end: 4 }]);
  expect(cutSound(recording(60, [])).length).toBe(7);
});
