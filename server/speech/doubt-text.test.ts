import { expect, test } from 'vitest';
import { hasHoles, isRepetitive, partWindow } from './doubt-text.ts';

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

test('a long word, or speech without words, says that something was left out', () => {
  expect(hasHoles(window, [word(0, 1), word(1, 3.9), word(4.2, 6)])).toBe(true);
  expect(hasHoles(window, [word(0, 1), word(2, 3.9)])).toBe(true);
  // The last piece is a breath.
  expect(hasHoles(window, [word(0, 1), word(2, 3.9), word(4.2, 6)])).toBe(false);
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
