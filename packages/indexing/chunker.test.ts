import { expect, test } from 'vitest';
import { createChunker, type SampledSpan } from './chunker.ts';

const image = { width: 1, height: 1, data: new Uint8Array(3) };

type Change = number | [from: number, to: number];

/** Runs a video of `duration` seconds with samples four times a second and cuts, or longer changes, at these times. */
function chunk(duration: number, changes: Change[] = []): SampledSpan[] {
  const chunker = createChunker();
  const spans: SampledSpan[] = [];
  const waiting = changes.map((change) =>
    typeof change === 'number' ? { from: change, to: change } : { from: change[0], to: change[1] },
  );
  for (let time = 0; time < duration; time += 0.25) {
    while (waiting[0] && waiting[0].to <= time) spans.push(...chunker.addShotChange(waiting.shift()!));
    spans.push(...chunker.addSample({ time, image }));
  }
  return [...spans, ...waiting.flatMap((change) => chunker.addShotChange(change)), ...chunker.finish(duration)];
}

const times = (spans: SampledSpan[]) => spans.map(({ start, end }) => [start, end]);

const cases: { name: string; duration: number; changes: Change[]; expected: string }[] = [
  { name: 'one shot', duration: 4, changes: [], expected: '0-4' },
  { name: 'a video shorter than any chunk', duration: 0.3, changes: [], expected: '0-0.3' },
  { name: 'three shots', duration: 9, changes: [3, 6], expected: '0-3 3-6 6-9' },
  { name: 'a long shot in equal parts', duration: 12, changes: [], expected: '0-6 6-12' },
  { name: 'a long shot after a short one', duration: 10.9, changes: [0.4], expected: '0-0.4 0.4-5.65 5.65-10.9' },
  { name: 'shots under a second', duration: 6, changes: [3, 3.5, 4.54], expected: '0-3 3-3.5 3.5-4.54 4.54-6' },
  { name: 'shots of exactly the least length', duration: 3.8, changes: [3, 3.4], expected: '0-3 3-3.4 3.4-3.8' },
  {
    name: 'shots of the least length, whose last frame may be of the next one',
    duration: 6,
    changes: [3, [3.383, 3.4], 3.8],
    expected: '0-3 3-3.383 3.4-3.8 3.8-6',
  },
  { name: 'a flicker between two shots', duration: 6, changes: [3, 3.3], expected: '0-3 3.3-6' },
  { name: 'a flicker at the beginning', duration: 6, changes: [0.2], expected: '0.2-6' },
  { name: 'a flicker at the end', duration: 6.2, changes: [6], expected: '0-6' },
  { name: 'a dissolve', duration: 9, changes: [[4, 5]], expected: '0-4 5-9' },
  { name: 'changes that overlap', duration: 9, changes: [4, [3.8, 4.5]], expected: '0-4 4.5-9' },
  { name: 'nothing but flicker', duration: 1, changes: [0.2, 0.55, 0.75], expected: '0.2-0.55' },
];

test.each(cases)('$name', ({ duration, changes, expected }) => {
  const spans = chunk(duration, changes);
  expect(
    times(spans)
      .map((span) => span.join('-'))
      .join(' '),
  ).toBe(expected);
  const ends = changes.map((change) => (typeof change === 'number' ? change : change[0]));
  const starts = changes.map((change) => (typeof change === 'number' ? change : change[1]));
  for (const { start, end, samples } of spans) {
    expect(samples.length).toBeGreaterThan(0);
    // Every sample is of the shot that the span lies in.
    const shotStart = Math.max(0, ...starts.filter((time) => time <= start));
    const shotEnd = Math.min(duration, ...ends.filter((time) => time >= end));
    for (const { time } of samples) {
      expect(time).toBeGreaterThanOrEqual(shotStart);
      expect(time).toBeLessThan(shotEnd);
    }
  }
});

test('shots are covered wholly by chunks of at most ten seconds, whatever their length', () => {
  for (const duration of [1, 10, 19.99, 20, 20.01, 37.4, 200]) {
    for (const changes of [[], [0.5, 1.05, 2, 2.9, 15.5], [duration - 0.5], [7, 7.4, 18.6]]) {
      const spans = chunk(
        duration,
        changes.filter((change) => change > 0 && change < duration),
      );
      expect(spans[0]?.start).toBe(0);
      expect(spans.at(-1)?.end).toBe(duration);
      for (const [i, { start, end }] of spans.entries()) {
        if (i > 0) expect(start).toBe(spans[i - 1]?.end);
        expect(end - start).toBeLessThanOrEqual(10.001);
      }
    }
  }
});

test('a gap without frames belongs to no chunk, and there are never more chunks than frames', () => {
  const run = (at: number[], duration: number) => {
    const chunker = createChunker();
    const spans = at.flatMap((time) => chunker.addSample({ time, image }));
    spans.push(...chunker.finish(duration));
    for (const { samples } of spans) expect(samples.length).toBeGreaterThan(0);
    expect(spans.length).toBeLessThanOrEqual(at.length);
    return times(spans);
  };
  expect(run([0, 12, 24, 36], 48)).toEqual([
    [0, 10],
    [12, 22],
    [24, 34],
    [36, 46],
  ]);
  expect(run([0, 50_000], 100_000)).toEqual([
    [0, 10],
    [50_000, 50_010],
  ]);
  expect(run([0, 9, 18, 27, 36, 45], 50)).toHaveLength(5);
});
