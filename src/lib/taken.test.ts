import { expect, test } from 'vitest';
import { formatMonth, formatTaken, formatTakenDay } from './taken.ts';

test('a date is that of the clock where something was recorded, wherever it is read', () => {
  expect(formatTaken('2026-12-31T22:30:00.000Z', '+02:00')).toBe('Jan 1, 2027, 12:30 AM');
  expect(formatTaken('2026-12-31T22:30:00.000Z', '-03:30')).toBe('Dec 31, 2026, 7:00 PM');
  expect(formatTakenDay('2026-12-31T23:30:00.000Z', null)).toBe('Dec 31, 2026');
});

test('months are named', () => {
  expect([formatMonth('2026-07'), formatMonth('2026-07', 'short'), formatMonth(null)]).toEqual([
    'July 2026',
    'Jul 2026',
    'No date',
  ]);
});
