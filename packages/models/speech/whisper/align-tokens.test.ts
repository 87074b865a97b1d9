import { expect, test } from 'vitest';
import { alignTokens } from './align-tokens.ts';

/** Attention of a head that looks at one stretch of the sound, over a little at all of it. */
function lookAt(from: number, to: number): Float32Array {
  return Float32Array.from({ length: 1500 }, (_, i) => (i >= from * 50 && i < to * 50 ? 1 : 0.01));
}

test('tokens start where the decoder begins to look, in order', () => {
  const stretches = [
    [0, 1],
    [1, 1.6],
    [1.6, 3],
    [3, 5],
  ] as const;
  const starts = alignTokens(
    stretches.map(([from, to]) => [lookAt(from, to), lookAt(from, to)]),
    5,
  );
  expect(starts).toHaveLength(4);
  for (const [i, [from]] of stretches.entries()) expect(starts[i]).toBeCloseTo(from, 1);
});

test('one head that looks elsewhere does not lead the others astray, and time never runs back', () => {
  const starts = alignTokens(
    [
      [lookAt(0, 1), lookAt(0, 1), lookAt(4, 5)],
      [lookAt(1, 2), lookAt(1, 2), lookAt(0, 1)],
      [lookAt(2, 5), lookAt(2, 5), lookAt(2, 5)],
    ],
    5,
  );
  expect(starts[1]).toBeCloseTo(1, 1);
  expect(starts).toEqual(starts.toSorted((a, b) => a - b));
});

test('without attention there are no times', () => {
  expect(alignTokens([], 5)).toEqual([]);
  expect(alignTokens([[], []], 5)).toEqual([]);
});
