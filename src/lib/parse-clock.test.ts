import { expect, test } from 'vitest';
import { formatTime } from './format.ts';
import { parseClock } from './parse-clock.ts';

test.each([
  ['7', 7],
  [' 7.4 ', 7.4],
  ['7,4', 7.4],
  ['1:02.5', 62.5],
  ['1:02:03', 3723],
  ['90', 90],
  ['', null],
  ['1:', null],
  ['a', null],
  ['-1', null],
  ['1:2:3:4', null],
])('%j is %j', (text, seconds) => {
  expect(parseClock(text)).toBe(seconds);
});

test('what is shown is read back', () => {
  for (const seconds of [0, 7.4, 62.5, 3599.9, 3723]) expect(parseClock(formatTime(seconds, true))).toBe(seconds);
});
