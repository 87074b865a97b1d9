import { expect, test } from 'vitest';
import { groupWords } from './group-words.ts';

/** Decodes tokens that are bytes, as the vocabulary's smallest are. */
const decode = (tokens: number[]) => new TextDecoder().decode(Uint8Array.from(tokens));

function group(text: string) {
  const bytes = [...new TextEncoder().encode(text)];
  const starts = [...bytes, 0].map((_, i) => i);
  return groupWords(
    bytes,
    starts,
    bytes.map(() => -0.5),
    decode,
  );
}

test('tokens become words with their punctuation, each from its first token to its last', () => {
  expect(group(' Well, it is.')).toEqual([
    // The comma is not said.
    { text: ' Well,', start: 0, end: 5, logProbability: -0.5 },
    { text: ' it', start: 6, end: 9, logProbability: -0.5 },
    { text: ' is.', start: 9, end: 12, logProbability: -0.5 },
  ]);
});

test('a quotation mark opens what follows it', () => {
  const tokens = [' said', ' "', 'Yes', '."'];
  const words = groupWords(
    tokens.map((_, i) => i),
    [0, 1, 2, 3, 4],
    [0, 0, 0, 0],
    (some) => some.map((i) => tokens[i]).join(''),
  );
  expect(words.map(({ text }) => text)).toEqual([' said', ' "Yes."']);
});

test('a letter of several tokens stays whole, and scripts without spaces are parted by letters', () => {
  expect(group(' Grüße').map(({ text }) => text)).toEqual([' Grüße']);
  expect(group('天气好。').map(({ text, start, end }) => [text, start, end])).toEqual([
    ['天', 0, 3],
    ['气', 3, 6],
    ['好。', 6, 9],
  ]);
});
