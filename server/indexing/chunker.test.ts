import { expect, test } from 'vitest';
import { createChunker, type SampledSpan } from './chunker.ts';

const picture = { width: 1, height: 1, data: new Uint8Array(3) };

/** Runs a video of `duration` seconds with samples four times a second and cuts at these times. */
function chunk(duration: number, cuts: number[] = []): SampledSpan[] {
  const chunker = createChunker();
  const spans: SampledSpan[] = [];
  const waiting = [...cuts];
  for (let time = 0; time < duration; time += 0.25) {
    while (waiting[0] !== undefined && waiting[0] <= time) spans.push(...chunker.addCut(waiting.shift() as number));
    spans.push(...chunker.addSample({ time, picture }));
  }
  return [...spans, ...chunker.finish(duration)];
}

const times = (spans: SampledSpan[]) => spans.map(({ start, end }) => [start, end]);

test.each([
  [4, [], [[0, 4]]],
  [0.5, [], [[0, 0.5]]],
  [
    9,
    [3, 6],
    [
      [0, 3],
      [3, 6],
      [6, 9],
    ],
  ],
  [
    12,
    [],
    [
      [0, 6],
      [6, 12],
    ],
  ],
  [
    6,
    [0.4, 3],
    [
      [0, 3],
      [3, 6],
    ],
  ],
  [
    6,
    [3, 3.5],
    [
      [0, 3],
      [3, 6],
    ],
  ],
  [
    6.3,
    [3, 6],
    [
      [0, 3],
      [3, 6.3],
    ],
  ],
  [
    10.5,
    [9.9],
    [
      [0, 5.25],
      [5.25, 10.5],
    ],
  ],
])('%s s with cuts at %j', (duration, cuts, expected) => {
  expect(times(chunk(duration, cuts))).toEqual(expected);
});

test('chunks cover everything without gaps, last 1 to 10 seconds, and each has a sample', () => {
  for (const duration of [1, 10, 19.99, 20, 20.01, 37.4, 200]) {
    for (const cuts of [[], [0.1, 1.05, 2, 2.9, 15.5], [duration - 0.2], [7, 7.2, 7.4, 18.6]]) {
      const spans = chunk(
        duration,
        cuts.filter((cut) => cut > 0 && cut < duration),
      );
      expect(spans[0]?.start).toBe(0);
      expect(spans.at(-1)?.end).toBe(duration);
      for (const [i, { start, end, samples }] of spans.entries()) {
        if (i > 0) expect(start).toBe(spans[i - 1]?.end);
        expect(end - start).toBeLessThanOrEqual(10.001);
        expect(end - start).toBeGreaterThanOrEqual(0.999);
        expect(samples.length).toBeGreaterThan(0);
      }
    }
  }
});

test('a slide show with one frame every twelve seconds has a picture in each chunk', () => {
  const chunker = createChunker();
  const spans = [0, 12, 24, 36].flatMap((time) => chunker.addSample({ time, picture }));
  spans.push(...chunker.finish(48));
  expect(spans.at(-1)?.end).toBe(48);
  for (const { samples } of spans) expect(samples.length).toBeGreaterThan(0);
});
