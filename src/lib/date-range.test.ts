import { expect, test } from 'vitest';
import { addDays, readDates, takenWithin, today, yearOf, yearRange } from './date-range.ts';

const read = (query: string) => readDates(new URLSearchParams(query));

test('a range is read from the URL, without days that do not exist', () => {
  expect(read('from=2026-07-01&to=2026-07-14')).toEqual({ from: '2026-07-01', to: '2026-07-14' });
  expect(read('from=2024-02-29')).toEqual({ from: '2024-02-29', to: undefined });
  for (const nonsense of ['2023-02-29', '2026-13-01', '0202-07-01', '2026-7-1', '2026-07-01T10:00', 'soon', '']) {
    expect(read(`from=${nonsense}&to=${nonsense}`)).toEqual({ from: undefined, to: undefined });
  }
});

test('the last day counts', () => {
  expect(takenWithin({ from: '2026-12-31', to: '2026-12-31' })).toEqual({
    taken_after: '2026-12-31',
    taken_before: '2027-01-01',
  });
  expect(takenWithin({ from: undefined, to: undefined })).toEqual({ taken_after: undefined, taken_before: undefined });
  expect(addDays('2024-03-01', -1)).toBe('2024-02-29');
});

test('a year is a range, and a range may be a year', () => {
  expect(yearOf(yearRange('2026'))).toBe('2026');
  expect(yearOf({ from: '2026-01-01', to: '2026-12-30' })).toBeUndefined();
  expect(yearOf({ from: undefined, to: undefined })).toBeUndefined();
});

test('today is a day of the local calendar', () => expect(today(new Date(2026, 0, 2, 0, 30))).toBe('2026-01-02'));
