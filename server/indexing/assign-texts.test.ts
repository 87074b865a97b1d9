import { expect, test } from 'vitest';
import { assignTexts } from './assign-texts.ts';

const chunks = [
  { start: 0, end: 2 },
  { start: 2, end: 5 },
  { start: 7, end: 9 },
];

test.each([
  ['within one', 0.5, 1, ['a', null, null]],
  ['over two', 1.5, 3, ['a', 'a', null]],
  ['up to a border', 1, 2, ['a', null, null]],
  ['over all', 0, 100, ['a', 'a', 'a']],
  ['in a gap, nearer to what is before', 5.2, 6, [null, 'a', null]],
  ['in a gap, nearer to what is behind', 5.8, 6.9, [null, null, 'a']],
  ['behind all', 20, 21, [null, null, 'a']],
])('a line %s goes where it is said', (_, start, end, texts) => {
  expect(assignTexts([{ start, end, text: 'a' }], chunks)).toEqual(texts);
});

test('lines keep their order, each once; without chunks they go nowhere', () => {
  const lines = ['b', 'a', 'b'].map((text) => ({ start: 0, end: 1, text }));
  expect(assignTexts(lines, chunks)).toEqual(['b\na', null, null]);
  expect(assignTexts(lines, [])).toEqual([]);
});

test('a hundred thousand lines that claim to be shown for ever fill no more than their share of ten thousand chunks', () => {
  const many = Array.from({ length: 10_000 }, (_, i) => ({ start: 10 * i, end: 10 * i + 10 }));
  const lines = Array.from({ length: 200_000 }, (_, i) => ({
    start: i / 100,
    end: Infinity,
    text: `${i} `.repeat(100),
  }));
  const texts = assignTexts(lines, many);
  expect(Math.max(...texts.map((text) => text?.length ?? 0))).toBeLessThan(10_200);
  expect(texts.reduce((sum, text) => sum + (text?.length ?? 0), 0)).toBeLessThan(10_000_000);
});
