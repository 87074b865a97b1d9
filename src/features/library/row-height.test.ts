import { expect, test } from 'vitest';
import { justifyRows } from '../../lib/justified-rows.ts';
import { gridSizes, rowHeight } from './row-height.ts';

/** How many photographs of 3:2 stand in a row of the usual size. */
const inRow = (width: number) =>
  justifyRows(
    Array.from({ length: 50 }, () => 1.5),
    width,
    rowHeight(gridSizes.usual, { width }),
    4,
  )[0]?.count ?? 0;

test('a phone has three to four pictures in a row, and wider pages more', () => {
  expect(inRow(390)).toBeGreaterThanOrEqual(3);
  expect(inRow(390)).toBeLessThanOrEqual(4);
  expect(inRow(564)).toBeGreaterThanOrEqual(4);
  expect(inRow(1184)).toBeGreaterThanOrEqual(5);
});

test('the largest pictures still stand beside each other on wide pages, and fit on a phone', () => {
  expect(rowHeight(gridSizes.most, { width: 1184 })).toBe(360);
  expect(rowHeight(gridSizes.most, { width: 390 })).toBeLessThan(390);
  expect(rowHeight(gridSizes.least, { width: 1184 })).toBe(90);
});
