import { expect, test } from 'vitest';
import { cutSpans } from './cut-spans.ts';
import { frameSeconds, frameSize } from './voice-activity.ts';

/** Cuts frames of the given probabilities; `[seconds, probability]` each. @returns `[start, end]` in seconds */
function cut(...parts: [seconds: number, probability: number][]): [number, number][] {
  const cutter = cutSpans();
  const probabilities = parts.flatMap(([seconds, probability]) =>
    Array.from({ length: Math.round(seconds / frameSeconds) }, () => probability),
  );
  const spans = probabilities.flatMap((probability, i) =>
    cutter.push({ start: i * frameSeconds, samples: new Float32Array(frameSize).fill(i), probability }),
  );
  return [...spans, ...cutter.end()].map(({ start, samples }) => {
    // Each span holds the frames of its time.
    expect(samples[0]).toBe(Math.round(start / frameSeconds));
    return [start, start + samples.length / 16_000];
  });
}

const near = (...spans: [number, number][]) =>
  spans.map((times) => times.map((time): unknown => expect.closeTo(time, 1)));

test('a span has a margin of 0.2 s, and a pause of half a second ends it', () => {
  expect(cut([2, 0], [3, 0.9], [1, 0], [2, 0.9], [2, 0])).toEqual(near([1.8, 5.2], [5.8, 8.2]));
  expect(cut([2, 0], [3, 0.9], [0.4, 0], [2, 0.9], [2, 0])).toEqual(near([1.8, 7.6]));
});

test('a doubtful frame continues speech and does not begin it', () => {
  expect(cut([1, 0], [1, 0.9], [3, 0.4], [1, 0])).toEqual(near([0.8, 5.2]));
  expect(cut([1, 0], [3, 0.4], [1, 0])).toEqual([]);
});

test('a click is no speech, and speech may last until the sound ends', () => {
  expect(cut([1, 0], [0.1, 0.9], [1, 0])).toEqual([]);
  expect(cut([1, 0], [2, 0.9])).toEqual(near([0.8, 3]));
});

test('speech without a pause is cut where it is quietest, and nothing is lost', () => {
  const spans = cut([20, 0.9], [0.1, 0.45], [30, 0.9], [1, 0]);
  expect(spans[0]?.[1]).toBeCloseTo(20, 1);
  for (const [i, [start, end]] of spans.entries()) {
    expect(end - start).toBeLessThan(28);
    if (i > 0) expect(start).toBeCloseTo(spans[i - 1]?.[1] ?? 0, 5);
  }
  expect(spans.at(-1)?.[1]).toBeCloseTo(50.3, 1);
});
