import { expect, test } from 'vitest';
import { moveEnd, parseTime, writeTime } from './clip-span.ts';

const video = { duration: 10, frame: 0.04 };

test('an end of a span moves within the video, and the other gives way', () => {
  const span = { start: 2, end: 4 };
  expect(moveEnd(span, 'start', 3.04, video)).toEqual({ start: 3.04, end: 4 });
  expect(moveEnd(span, 'start', 5, video)).toEqual({ start: 5, end: 5.04 });
  expect(moveEnd(span, 'start', -1, video)).toEqual({ start: 0, end: 4 });
  expect(moveEnd(span, 'start', 99, video)).toEqual({ start: 9.96, end: 10 });
  expect(moveEnd(span, 'end', 1, video)).toEqual({ start: 0.96, end: 1 });
  expect(moveEnd(span, 'end', 99, video)).toEqual({ start: 2, end: 10 });
  expect(moveEnd(span, 'end', 0, video)).toEqual({ start: 0, end: 0.04 });
});

test.each([
  ['12.5', 12.5],
  ['1:02.500', 62.5],
  ['01:02:03,5', 3723.5],
  ['.5', 0.5],
  ['7', 7],
])('%s is a time', (text, seconds) => expect(parseTime(text)).toBeCloseTo(seconds, 6));

test.each(['', ' ', 'x', '1:2:3:4', '-1', '1:', '1e3', ':', '.'])('"%s" is none', (text) =>
  expect(parseTime(text)).toBeUndefined(),
);

test('a time is written so that it is read again', () => {
  for (const seconds of [0, 0.04, 62.5, 3723.999]) expect(parseTime(writeTime(seconds))).toBeCloseTo(seconds, 6);
  expect(writeTime(62.5)).toBe('1:02.500');
  expect(writeTime(3723.5)).toBe('1:02:03.500');
});
