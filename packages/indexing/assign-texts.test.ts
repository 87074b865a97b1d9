import { expect, test } from 'vitest';
import { assignTexts } from './assign-texts.ts';

const chunks = [
  { start: 0, end: 2 },
  { start: 2, end: 5 },
  { start: 7, end: 9 },
];

test.each([
  ['within one', 0.5, 1, [[0], [], []]],
  ['over two', 1.5, 3, [[0], [0], []]],
  ['up to a border', 1, 2, [[0], [], []]],
  ['over all', 0, 100, [[0], [0], [0]]],
  ['in a gap, nearer to what is before', 5.2, 6, [[], [0], []]],
  ['in a gap, nearer to what is behind', 5.8, 6.9, [[], [], [0]]],
  ['behind all', 20, 21, [[], [], [0]]],
])('a line %s goes where it is said', (_, start, end, places) => {
  expect(assignTexts([{ start, end, text: 'a' }], chunks, 0)).toEqual(places);
});

test.each([
  ['reaches a little over a border', 0.5, 2.04, [[0], [], []]],
  ['begins a little before a border', 1.9, 4, [[], [0], []]],
  ['is short and lies on a border', 1.9, 2.1, [[0], [0], []]],
])('a line whose times are uncertain and that %s goes where it is for long', (_, start, end, places) => {
  expect(assignTexts([{ start, end, text: 'a' }], chunks, 0.25)).toEqual(places);
});

test('a text of a photograph goes to its only chunk', () => {
  expect(assignTexts([{ start: 0, end: 0, text: 'a' }], [{ start: 0, end: 0 }], 0)).toEqual([[0]]);
});

test('lines keep their order, each text once; without chunks they go nowhere', () => {
  const lines = ['b', 'a', 'b'].map((text) => ({ start: 0, end: 1, text }));
  expect(assignTexts(lines, chunks, 0)).toEqual([[0, 1], [], []]);
  expect(assignTexts(lines, [], 0)).toEqual([]);
});

test('a hundred thousand lines that claim to be shown for ever fill no more than their share of ten thousand chunks', () => {
  const many = Array.from({ length: 10_000 }, (_, i) => ({ start: 10 * i, end: 10 * i + 10 }));
  const lines = Array.from({ length: 200_000 }, (_, i) => ({
    start: i / 100,
    end: Infinity,
    text: `${i} `.repeat(100),
  }));
  const lengths = assignTexts(lines, many, 0).map((places) =>
    places.reduce((sum, place) => sum + (lines[place]?.text.length ?? 0), 0),
  );
  expect(Math.max(...lengths)).toBeLessThan(10_200);
  expect(lengths.reduce((sum, length) => sum + length, 0)).toBeLessThan(10_000_000);
});
