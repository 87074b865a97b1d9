import { expect, test } from 'vitest';
import { decodeCtc } from './decode-ctc.ts';

test('repeats are one character, a blank between two keeps both, and a character is as sure as its surest step', () => {
  const classes = 4;
  const steps: [best: number, probability: number][] = [
    [1, 0.6],
    [1, 0.9],
    [0, 1],
    [1, 0.8],
    [3, 0.7],
    [0, 1],
    [2, 0.5],
  ];
  const probabilities = new Float32Array(steps.length * classes);
  for (const [step, [best, probability]] of steps.entries()) probabilities[step * classes + best] = probability;
  const read = decodeCtc(probabilities, classes, ['a', 'b', ' ']);
  expect(read.map(({ character }) => character).join('')).toBe('aa b');
  const confidences = [0.9, 0.8, 0.7, 0.5];
  for (const [i, each] of read.entries()) expect(each.confidence).toBeCloseTo(confidences[i] as number);
});
