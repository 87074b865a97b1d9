import { expect, test } from 'vitest';
import { formatMonths, formatTaken, formatTakenDay } from './taken.ts';

test('a date is that of the clock where something was recorded, wherever it is read', () => {
  expect(formatTaken('2026-12-31T22:30:00.000Z', '+02:00')).toBe(formatTaken('2027-01-01T00:30:00.000Z', null));
  expect(formatTaken('2026-12-31T22:30:00.000Z', '-03:30')).toBe(formatTaken('2026-12-31T19:00:00.000Z', null));
  expect(formatTakenDay('2026-12-31T22:30:00.000Z', '+02:00')).toContain('2027');
  expect(formatTakenDay('2026-12-31T23:30:00.000Z', null)).toContain('2026');
});

test('months are named, several from the first to the last, and what has none too', () => {
  expect(formatMonths('2026-07', '2026-07')).toContain('2026');
  expect(formatMonths('2026-07', '2026-07')).not.toBe(formatMonths('2026-08', '2026-08'));
  expect(formatMonths('2026-05', '2026-03')).toMatch(/^Mar.*May 2026$/);
  expect(formatMonths('2026-05', '2026-03')).toBe(formatMonths('2026-03', '2026-05'));
  expect(formatMonths('2026-01', '2025-11')).toMatch(/^Nov 2025.*Jan 2026$/);
  expect(formatMonths(null, null)).toBe('No date');
});
