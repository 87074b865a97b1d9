import { expect, test } from 'vitest';
import { findHoles, isRepetitive, partWindow, wordsWithin } from './doubt-text.ts';

const wordsOf = (text: string) => text.split(' ').map((word) => ({ text: ` ${word}` }));

test.each([
  ['a sentence', 'The ferry was late this morning and so they had to walk.', false],
  [
    'a phrase that comes back once in a long text',
    `${'It is late. '.repeat(2)}We have to go home before it is dark out there.`,
    false,
  ],
  ['a few words', 'No no no', false],
  [
    'long phrases in turn',
    'that they are not allowed to be in the park. The first thing I have seen is that they are not allowed to be in the park. The first thing I have seen is that they are not allowed to be in the park.',
    true,
  ],
  ['the same with other punctuation', "I'm just about to talk. I'm just about to talk, I'm just about to talk", true],
])('text that goes round in circles: %s', (_, text, repetitive) => {
  expect(isRepetitive(wordsOf(text))).toBe(repetitive);
});

const window = {
  samples: Float32Array.from({ length: 10 * 16_000 }, (_, i) => (i < 4 * 16_000 ? 1 : 2)),
  pieces: [
    { offset: 0, start: 100 },
    { offset: 4, start: 120 },
    { offset: 9, start: 140 },
  ],
};
const word = (start: number, end: number) => ({ text: ' word', start, end, logProbability: 0 });

test('a piece with a long word, or speech without words, is one where something was left out', () => {
  expect(findHoles(window, [word(0, 1), word(1, 3.9), word(4.2, 6)])).toEqual([0]);
  expect(findHoles(window, [word(0, 1), word(2, 3.9)])).toEqual([1]);
  // A word that was stretched over a whole piece: it is unknown which one it belongs to.
  expect(findHoles(window, [word(0, 1), word(3.8, 9.2)])).toEqual([0, 1, 2]);
  // The last piece is a breath.
  expect(findHoles(window, [word(0, 1), word(2, 3.9), word(4.2, 6)])).toEqual([]);
});

test('the words of a piece are those that lie mostly in it, from its start', () => {
  const words = [word(0, 1), word(3, 4.4), word(4.4, 6), word(9.5, 10)];
  const spans = [0, 1, 2].map((i) => wordsWithin(window, i, words).map(({ start, end }) => [start, end]));
  expect(spans).toEqual([
    [
      [0, 1],
      [3, 4],
    ],
    [[expect.closeTo(0.4), 2]],
    [[0.5, 1]],
  ]);
});

test('the pieces of a window are windows at their times, with all of its sound', () => {
  const parts = partWindow(window);
  expect(parts.map(({ pieces }) => pieces)).toEqual([100, 120, 140].map((start) => [{ offset: 0, start }]));
  expect(parts.map(({ samples }) => samples.length / 16_000)).toEqual([4, 5, 1]);
  expect(parts.map(({ samples }) => [samples[0], samples.at(-1)])).toEqual([
    [1, 1],
    [2, 2],
    [2, 2],
  ]);
});
