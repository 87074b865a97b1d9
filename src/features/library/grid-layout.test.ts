import { expect, test } from 'vitest';
import { createGridLayout } from './grid-layout.ts';

/** Three months of 5, 1 and 4 items, of which three stand in a row: rows 0 to 6 are heading, 3, 2, heading, 1, heading, 3, 1. */
const months = createGridLayout(
  [
    { heading: 'July', count: 5 },
    { heading: 'June', count: 1 },
    { heading: 'May', count: 4 },
  ],
  3,
);

test('each section begins with its heading in a row of its own', () => {
  expect(months.rows).toBe(8);
  expect(months.total).toBe(10);
  expect(Array.from({ length: 8 }, (_, row) => months.rowAt(row))).toEqual([
    { kind: 'heading', section: 0 },
    { kind: 'items', section: 0, first: 0, count: 3 },
    { kind: 'items', section: 0, first: 3, count: 2 },
    { kind: 'heading', section: 1 },
    { kind: 'items', section: 1, first: 5, count: 1 },
    { kind: 'heading', section: 2 },
    { kind: 'items', section: 2, first: 6, count: 3 },
    { kind: 'items', section: 2, first: 9, count: 1 },
  ]);
  expect(Array.from({ length: 10 }, (_, position) => months.rowOf(position))).toEqual([1, 1, 1, 2, 2, 4, 6, 6, 6, 7]);
  expect([0, 1, 2].map((section) => months.rowOfSection(section))).toEqual([0, 3, 5]);
  expect([0, 2, 3, 5].map((row) => months.firstIn(row))).toEqual([0, 3, 5, 6]);
});

test('up and down stay in their column, over headings and short rows', () => {
  expect(months.below(1, 1)).toBe(4);
  expect(months.below(2, 1)).toBe(4);
  expect(months.below(4, 1)).toBe(5);
  expect(months.below(5, 1)).toBe(6);
  expect(months.below(8, -1)).toBe(5);
  expect(months.below(8, 1)).toBe(9);
  expect(months.below(1, 4)).toBe(9);
  expect(months.below(9, 1)).toBeUndefined();
  expect(months.below(2, -1)).toBeUndefined();
});

test('one section without a heading is a plain grid, and none has no rows', () => {
  const plain = createGridLayout([{ heading: undefined, count: 7 }], 3);
  expect(plain.rows).toBe(3);
  expect(plain.rowAt(2)).toEqual({ kind: 'items', section: 0, first: 6, count: 1 });
  expect(plain.below(5, 1)).toBe(6);
  expect(createGridLayout([{ heading: undefined, count: 0 }], 3).rows).toBe(0);
  expect(createGridLayout([], 3)).toMatchObject({ rows: 0, total: 0 });
});
