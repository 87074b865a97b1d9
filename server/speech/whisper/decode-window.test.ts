import { expect, test } from 'vitest';
import { countRepeated } from './decode-window.ts';

test.each([
  ['nothing', [], 0],
  ['a sentence', [1, 2, 3, 4, 5, 6], 0],
  ['a word that is said twice', [1, 2, 2], 0],
  ['a phrase that is said twice', [1, 2, 3, 4, 5, 1, 2, 3, 4, 5], 0],
  ['a phrase three times', [9, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5], 10],
  ['a word six times', [1, 7, 7, 7, 7, 7, 7], 5],
  ['two words six times', [3, 7, 8, 7, 8, 7, 8, 7, 8, 7, 8, 7, 8], 10],
])('a loop of the decoder keeps its first round: %s', (_, tokens, repeated) => {
  expect(countRepeated(tokens)).toBe(repeated);
});
