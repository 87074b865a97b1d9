import { describe, expect, test } from 'vitest';
import {
  createJustifiedLayout,
  createListLayout,
  firstIn,
  headingHeight,
  joinMonths,
  positionAt,
  positionBelow,
  positionsIn,
} from './grid-layout.ts';

const measures = { width: 608, target: 200, gap: 4 };
const square = (count: number) => new Float32Array(count).fill(1);

/** Three months of 5, 1 and 4 square pictures of 200 pixels, of which three stand in a row: heading, 3, 2, heading, 1, heading, 3, 1. */
const months = createJustifiedLayout(
  [
    { heading: 'July', count: 5 },
    { heading: 'June', count: 1 },
    { heading: 'May', count: 4 },
  ],
  square(10),
  measures,
);

describe('sections', () => {
  test('each begins with its heading in a row of its own', () => {
    expect(months.rowCount).toBe(8);
    expect(months.total).toBe(10);
    const rows = Array.from({ length: 8 }, (_, row) => months.rowAt(row));
    expect(rows.map((row) => row?.kind)).toEqual([
      'heading',
      'items',
      'items',
      'heading',
      'items',
      'heading',
      'items',
      'items',
    ]);
    expect(rows.map((row) => row?.section)).toEqual([0, 0, 0, 1, 1, 2, 2, 2]);
    const tops = [0, headingHeight, headingHeight + 204, headingHeight + 408];
    expect(rows.slice(0, 4).map((row) => row?.top)).toEqual(tops);
    expect(Array.from({ length: 10 }, (_, position) => months.rowOf(position))).toEqual([1, 1, 1, 2, 2, 4, 6, 6, 6, 7]);
    expect([0, 1, 2].map((section) => months.rowOfSection(section))).toEqual([0, 3, 5]);
    expect([0, 2, 3, 5].map((row) => firstIn(months.rowAt(row), months))).toEqual([0, 3, 5, 6]);
    expect(months.height).toBe(3 * headingHeight + 5 * 200 + 4 * 4);
  });

  test('one without a heading is a plain grid, and none has no rows', () => {
    const plain = createJustifiedLayout([{ heading: undefined, count: 7 }], square(7), measures);
    expect(plain.rowCount).toBe(3);
    expect(plain.rowAt(2)).toMatchObject({ kind: 'items', first: 6, count: 1, top: 408 });
    expect(positionBelow(plain, 5, 1)).toBe(6);
    for (const none of [[], [{ heading: undefined, count: 0 }]]) {
      const empty = createJustifiedLayout(none, square(0), measures);
      expect(empty).toMatchObject({ rowCount: 0, total: 0, height: 0 });
      expect(empty.rowAt(empty.rowAtOffset(100))).toBeUndefined();
    }
  });

  test('the row at a distance from the top is the last that begins there or before', () => {
    expect(
      [-50, 0, headingHeight - 1, headingHeight, headingHeight + 203, headingHeight + 204, 9999].map((offset) =>
        months.rowAtOffset(offset),
      ),
    ).toEqual([0, 0, 0, 1, 1, 2, 7]);
  });
});

describe('up and down', () => {
  test('stay in their column, over headings and short rows', () => {
    expect(positionBelow(months, 1, 1)).toBe(4);
    expect(positionBelow(months, 2, 1)).toBe(4);
    expect(positionBelow(months, 4, 1)).toBe(5);
    expect(positionBelow(months, 5, 1)).toBe(6);
    expect(positionBelow(months, 8, -1)).toBe(5);
    expect(positionBelow(months, 8, 1)).toBe(9);
    expect(positionBelow(months, 1, 4)).toBe(9);
    expect(positionBelow(months, 9, 1)).toBeUndefined();
    expect(positionBelow(months, 2, -1)).toBeUndefined();
  });

  test('lead to the picture nearest to the middle of the one before, whatever their shapes', () => {
    // One panorama above three narrow ones.
    const ratios = new Float32Array([3, 1, 1, 1]);
    const layout = createJustifiedLayout([{ heading: undefined, count: 4 }], ratios, measures);
    expect(layout.rowAt(0)).toMatchObject({ first: 0, count: 1 });
    expect(positionBelow(layout, 0, 1)).toBe(2);
    for (const from of [1, 2, 3]) expect(positionBelow(layout, from, -1)).toBe(0);
  });
});

describe('places', () => {
  test('a frame meets what it touches, rows that are full follow each other', () => {
    const layout = createJustifiedLayout([{ heading: undefined, count: 9 }], square(9), measures);
    const box = (left: number, top: number, right: number, bottom: number) =>
      positionsIn(layout, { left, top, right, bottom });
    expect(box(10, 10, 20, 20)).toEqual([[0, 0]]);
    expect(box(210, 10, 500, 300)).toEqual([
      [1, 2],
      [4, 5],
    ]);
    expect(box(-20, 100, 700, 420)).toEqual([[0, 8]]);
    // In the gap between two pictures, and beyond the grid.
    expect(box(201, 10, 202, 20)).toEqual([]);
    expect(box(10, 201, 20, 203)).toEqual([]);
    expect(box(620, 0, 700, 900)).toEqual([]);
    expect(box(0, -90, 600, -10)).toEqual([]);
  });

  test('a place has the picture there, a gap the one before it, a heading the one below', () => {
    expect(positionAt(months, 210, headingHeight + 10)).toBe(1);
    expect(positionAt(months, 202, headingHeight + 10)).toBe(0);
    expect(positionAt(months, 500, headingHeight + 220)).toBe(4);
    expect(positionAt(months, 500, 5)).toBe(0);
    expect(positionAt(months, 0, 99_999)).toBe(9);
  });
});

describe('months', () => {
  const name = (first: string | null, last: string | null) => (first === last ? String(first) : `${first}–${last}`);
  const join = (counts: [string | null, number][]) =>
    joinMonths(
      counts.map(([month, count]) => ({ month, count })),
      square(counts.reduce((sum, [, count]) => sum + count, 0)),
      measures,
      name,
    ).map(({ heading, count, mark }) => [heading, count, mark]);

  test('that follow each other stand in one row as long as all of them fit', () => {
    expect(
      join([
        ['2024-05', 1],
        ['2024-03', 2],
        ['2024-02', 1],
        ['2023-12', 7],
        ['2023-11', 1],
        ['2022-01', 1],
        [null, 1],
      ]),
    ).toEqual([
      ['2024-05–2024-03', 3, '2024'],
      ['2024-02', 1, '2024'],
      ['2023-12', 7, '2023'],
      ['2023-11–2022-01', 2, '2023'],
      ['null', 1, undefined],
    ]);
  });

  test('without pictures there are none', () => {
    expect(join([])).toEqual([]);
  });
});

test('a list has an item in each line', () => {
  const list = createListLayout(100_000, 800, 52);
  expect(list.height).toBe(5_200_000);
  expect(list.rowAt(list.rowAtOffset(52 * 7 + 51))).toMatchObject({ first: 7, count: 1, top: 364, widths: [800] });
  expect(positionBelow(list, 99_998, 1)).toBe(99_999);
  expect(positionBelow(list, 99_999, 1)).toBeUndefined();
  expect(positionsIn(list, { left: 0, right: 9, top: 60, bottom: 200 })).toEqual([[1, 3]]);
});
