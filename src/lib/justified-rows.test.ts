import { expect, test } from 'vitest';
import { justifyRows } from './justified-rows.ts';

const mixed = Array.from({ length: 500 }, (_, i) => [1.5, 0.67, 1.78, 1, 0.56, 2.4, 1.33][(i * 5) % 7] ?? 1);

test.each([390, 820, 1440])('fills rows of %i pixels to the right edge, each picture once and in order', (width) => {
  const rows = justifyRows(mixed, width, 200, 4);
  let next = 0;
  for (const [index, { first, count, lefts, widths }] of rows.entries()) {
    expect(first).toBe(next);
    next += count;
    expect(lefts[0]).toBe(0);
    for (let i = 1; i < count; i++) expect(lefts[i]).toBe((lefts[i - 1] ?? 0) + (widths[i - 1] ?? 0) + 4);
    if (index < rows.length - 1) expect((lefts[count - 1] ?? 0) + (widths[count - 1] ?? 0)).toBe(width);
  }
  expect(next).toBe(mixed.length);
});

test('keeps the shape of each picture, to a pixel or two', () => {
  for (const { first, height, widths } of justifyRows(mixed, 1440, 200, 4)) {
    for (const [i, own] of widths.entries()) {
      expect(Math.abs(own - (mixed[first + i] ?? 0) * height)).toBeLessThan(widths.length + 2);
    }
  }
});

test('keeps rows near the target, and follows each other without overlap', () => {
  const rows = justifyRows(mixed, 1440, 200, 4);
  for (const [i, row] of rows.entries()) {
    expect(row.height).toBeGreaterThan(130);
    expect(row.height).toBeLessThan(300);
    const before = rows[i - 1];
    expect(row.top).toBe(before ? before.top + before.height + 4 : 0);
  }
});

test('does not stretch what is left over in the last row', () => {
  expect(justifyRows([1, 1], 1440, 200, 4)).toEqual([
    { first: 0, count: 2, top: 0, height: 200, lefts: [0, 204], widths: [200, 200] },
  ]);
});

test('cuts a panorama and a strip instead of making a thread of them', () => {
  const [row] = justifyRows([20, 0.05], 2000, 200, 4);
  expect(row?.widths).toEqual([600, 100]);
});

test('lays out nothing as nothing, and survives shapes that are no numbers', () => {
  expect(justifyRows([], 1440, 200, 4)).toEqual([]);
  expect(justifyRows([0, Infinity], 1440, 200, 4)[0]?.widths).toEqual([100, 600]);
});
