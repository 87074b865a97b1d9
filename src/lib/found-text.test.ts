import { expect, test } from 'vitest';
import { boxedTexts, describeFoundText, type FoundText, momentOfText, widenSpan } from './found-text.ts';

const said: FoundText = { source: 'speech', start: 12.4, end: 14, box: null };
const sign: FoundText = { source: 'ocr', start: 12.4, end: 20, box: { x: 0.1, y: 0.2, width: 0.3, height: 0.1 } };
const named: FoundText = { source: 'creator', start: null, end: null, box: null };

test('a text says how it was found, and when where it has a time', () => {
  expect(describeFoundText(said, 'video')).toBe('Said 0:12');
  expect(describeFoundText(sign, 'video')).toBe('Shown 0:12');
  expect(describeFoundText({ ...sign, start: 0, end: 0 }, 'image')).toBe('Shown');
  expect(describeFoundText(named, 'video')).toBe('Named');
});

test('what is said plays from half a second before, but not from another scene; what is shown from when it can be seen', () => {
  const scene = { type: 'video', start: 10 } as const;
  expect(momentOfText(said, scene)).toBeCloseTo(11.9);
  expect(momentOfText({ ...said, source: 'subtitle', start: 10.2 }, scene)).toBe(10);
  // It began in the scene before.
  expect(momentOfText({ ...said, start: 9 }, scene)).toBe(8.5);
  expect(momentOfText({ ...said, start: 0.2 }, scene)).toBe(0);
  expect(momentOfText(sign, scene)).toBe(12.4);
  expect(momentOfText({ ...sign, start: 0, end: 0 }, { type: 'image', start: 0 })).toBeNull();
  expect(momentOfText(named, scene)).toBeNull();
});

test('a scene grows to hold what begins before it and ends after it, and nothing else', () => {
  const scene = { type: 'video', start: 13, end: 16 } as const;
  const span = { start: 13, end: 16 };
  expect(widenSpan(scene, 11.9, [said])).toEqual({ start: 11.9, end: 16 });
  expect(widenSpan(scene, 12.4, [said, sign])).toEqual({ start: 12.4, end: 20 });
  expect(widenSpan(scene, 15, [said, named])).toEqual(span);
  expect(widenSpan(scene, 13, [{ ...said, start: 13.3, end: 17 }])).toEqual({ start: 13, end: 17 });
});

test('texts without a place in the picture have no box, and the same text has one', () => {
  expect(boxedTexts([said, sign, named, { ...sign }])).toEqual([{ start: 12.4, end: 20, box: sign.box }]);
  expect(boxedTexts([{ ...sign, start: null, end: null }])).toEqual([{ start: 0, end: 0, box: sign.box }]);
});
