import { expect, test } from 'vitest';
import { leaveOutGuesses } from './doubt-text.ts';

/** A line of words with the logarithms of their probabilities. */
const lineOf = (text: string, ...values: number[]) =>
  text.split(' ').map((word, i) => ({ text: ` ${word}`, start: i, end: i + 1, logProbability: values[i] ?? 0 }));

test.each([
  [
    'a sure word in good company may be rare',
    'We meet again in Valdemoro today',
    [-0.1, -0.1, -0.1, -0.1, -2.2, -0.1],
    'We meet again in Valdemoro today',
  ],
  [
    'guesses in a doubtful line',
    'Now we eat the whole game',
    [-0.6, -0.4, -1.9, -0.3, -0.5, -2.1],
    'Now we … the whole …',
  ],
  ['several in one place', 'We took the great rage home', [-0.5, -0.4, -1.9, -1.6, -2.1, -0.7], 'We took … home'],
  [
    'at the start',
    'Mixed her flowers with warm water',
    [-2.4, -2.8, -0.5, -0.2, -0.3, -0.3],
    '… flowers with warm water',
  ],
  ['a line that is nothing else', 'See you in the next video', [-1.3, -1.3, -1.5, -1.2, -1.6, -1.9], null],
  ['a first word that is rare', 'Welcome to the museum', [-2.1, -0.3, -0.2, -0.9], 'Welcome to the museum'],
  ['doubtful, but no word is a guess', 'My garden is green', [-0.9, -1.1, -0.7, -0.8], 'My garden is green'],
])('%s', (_, text, values, written) => {
  expect(leaveOutGuesses(lineOf(text, ...values))).toBe(written);
});

test('of nothing nothing is left', () => {
  expect(leaveOutGuesses([])).toBeNull();
});
