import { expect, test } from 'vitest';
import { boxedTexts, describeFoundText, type FoundText, momentOfText, widenSpan } from './found-text.ts';

const said: FoundText = { source: 'speech', start: 12.4, end: 14, box: null };
const sign: FoundText = { source: 'ocr', start: 12.4, end: 20, box: { x: 0.1, y: 0.2, width: 0.3, height: 0.1 } };
const named: FoundText = { source: 'creator', start: null, end: null, box: null };

test('a text says how it was found, and when where it has a time', () => {
  expect(describeFoundText(said, 'video')).toBe('Heard 0:12');
  expect(describeFoundText(sign, 'video')).toBe('Shown 0:12');
  expect(describeFoundText({ ...sign, start: 0, end: 0 }, 'image')).toBe('Shown');
  expect(describeFoundText(named, 'video')).toBe('Named');
});

test('what is said plays from half a second before, what is shown from when it can be seen', () => {
  expect(momentOfText(said, 'video')).toBeCloseTo(11.9);
  expect(momentOfText({ ...said, source: 'subtitle', start: 0.2 }, 'video')).toBe(0);
  expect(momentOfText(sign, 'video')).toBe(12.4);
  expect(momentOfText({ ...sign, start: 0, end: 0 }, 'image')).toBeNull();
  expect(momentOfText(named, 'video')).toBeNull();
});

test('a span grows to hold what begins before it and ends after it, and nothing else', () => {
  const span = { start: 13, end: 16 };
  expect(widenSpan(span, 11.9, [said, sign])).toEqual({ start: 11.9, end: 16 });
  expect(widenSpan(span, 12.4, [said, sign])).toEqual({ start: 12.4, end: 20 });
  expect(widenSpan(span, 15, [said, named])).toEqual(span);
});

test('texts without a place in the picture have no box', () => {
  expect(boxedTexts([said, sign, named])).toEqual([{ start: 12.4, end: 20, box: sign.box }]);
  expect(boxedTexts([{ ...sign, start: null, end: null }])).toEqual([{ start: 0, end: 0, box: sign.box }]);
});
