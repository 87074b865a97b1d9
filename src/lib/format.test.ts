import { expect, test } from 'vitest';
import { formatBytes, formatTime, formatTimeLeft } from './format.ts';

test.each([
  [0, false, '0:00'],
  [7.96, false, '0:07'],
  [7.96, true, '0:08.0'],
  [59.99, true, '1:00.0'],
  [75.5, true, '1:15.5'],
  [3723, false, '1:02:03'],
])('%s s (tenths: %s) is %s', (seconds, tenths, text) => expect(formatTime(seconds, tenths)).toBe(text));

test('bytes take the largest unit that leaves at least one', () => {
  expect(formatBytes(0)).toMatch(/^0/);
  expect(formatBytes(999)).toMatch(/^999/);
  expect(formatBytes(1500)).toMatch(/^1.5 ?kB/);
  expect(formatBytes(20_000_000)).toMatch(/^20 ?MB/);
});

test('the time left is rough', () => {
  expect(formatTimeLeft(0.2)).toBe('10 s left');
  expect(formatTimeLeft(43)).toBe('50 s left');
  expect(formatTimeLeft(61)).toBe('2 min left');
  expect(formatTimeLeft(200)).toBe('4 min left');
  expect(formatTimeLeft(9000)).toMatch(/^2.5 hr? left$/);
  expect(formatTimeLeft(Infinity)).toBe('');
});
