import { expect, test } from 'vitest';
import { decodeCtc } from './decode-ctc.ts';

const classes = 4;
const characters = ['a', 'b', ' '];

/** @param steps the likeliest class of each and its probability, and the probability of a space where it is another */
function decode(steps: [best: number, probability: number, space?: number][]) {
  const probabilities = new Float32Array(steps.length * classes);
  for (const [step, [best, probability, space]] of steps.entries()) {
    if (space !== undefined) probabilities[step * classes + 3] = space;
    probabilities[step * classes + best] = probability;
  }
  return decodeCtc(probabilities, classes, characters);
}
const textOf = (read: ReturnType<typeof decode>) => read.map(({ character }) => character).join('');

test('repeats are one character, a blank between two keeps both, and a character is as sure as its surest step', () => {
  const read = decode([
    [1, 0.6],
    [1, 0.9],
    [0, 1],
    [1, 0.8],
    [3, 0.7],
    [0, 1],
    [2, 0.5],
  ]);
  expect(textOf(read)).toBe('aa b');
  const confidences = [0.9, 0.8, 0.7, 0.5];
  for (const [i, each] of read.entries()) expect(each.confidence).toBeCloseTo(confidences[i] as number);
});

test('a space between two characters is believed before it is the likeliest, but not twice and not in front', () => {
  expect(
    textOf(
      decode([
        [1, 1],
        [0, 0.9, 0.06],
        [2, 1],
      ]),
    ),
  ).toBe('a b');
  expect(
    textOf(
      decode([
        [1, 1],
        [0, 0.9, 0.03],
        [2, 1],
      ]),
    ),
  ).toBe('ab');
  expect(
    textOf(
      decode([
        [1, 1],
        [2, 0.8, 0.1],
      ]),
    ),
  ).toBe('a b');
  expect(
    textOf(
      decode([
        [1, 1],
        [0, 0.8, 0.2],
        [3, 0.9],
        [0, 0.8, 0.2],
        [2, 1],
      ]),
    ),
  ).toBe('a b');
  expect(
    textOf(
      decode([
        [0, 0.5, 0.4],
        [1, 1],
        [2, 1],
      ]),
    ),
  ).toBe('ab');
});
