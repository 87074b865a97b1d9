import { expect, test } from 'vitest';
import { boxOverlap, matchLines, textSimilarity } from './match-lines.ts';

const at = (x: number, y: number, text: string, width = 0.3, height = 0.05) => ({ text, box: { x, y, width, height } });

test('texts are as alike as their letters are in order, whatever their case and spaces', () => {
  expect(textSimilarity('Boarding Gate', 'boardinggate')).toBe(1);
  expect(textSimilarity('harbour', 'harb0ur')).toBeCloseTo(6 / 7);
  expect(textSimilarity('Exit', 'Entrance')).toBe(0);
  // Letters that are missing, too many or changed: three of 22 are within the limit, four are not.
  expect(textSimilarity('abcdefghijklmnopqrstuv', 'xbcdefhijklmnopqrstuvy')).toBeCloseTo(19 / 22);
  expect(textSimilarity('abcdefghijklmnopqrstuv', 'xbcdefhijkzmnopqrstuvy')).toBe(0);
  expect(textSimilarity('abcdefghijklmnopqrst', 'defghijklmnopqrst')).toBeCloseTo(17 / 20);
  // A line of any length is compared in bounded time.
  expect(textSimilarity('a'.repeat(1e6), 'a'.repeat(1e6))).toBe(1);
});

test('the overlap of boxes is about the smaller one', () => {
  expect(boxOverlap(at(0, 0, '').box, at(0.1, 0.01, '', 0.1, 0.02).box)).toBeCloseTo(1);
  expect(boxOverlap(at(0, 0, '').box, at(0.15, 0, '').box)).toBeCloseTo(0.5);
  expect(boxOverlap(at(0, 0, '').box, at(0, 0.06, '').box)).toBe(0);
});

test('a line continues the one of like text at its place, or on its way along a row or column', () => {
  expect(matchLines([at(0.1, 0.8, 'Behind the wa1l')], [at(0.1, 0.8, 'Behind the wall')])).toEqual([0]);
  expect(matchLines([at(0.1, 0.8, 'Beyond the hills')], [at(0.1, 0.8, 'Behind the wall')])).toEqual([null]);
  // Credits, and a ticker.
  expect(matchLines([at(0.3, 0.2, 'Sound')], [at(0.3, 0.7, 'Sound')])).toEqual([0]);
  expect(matchLines([at(0.1, 0.9, 'Breaking news')], [at(0.7, 0.9, 'Breaking news')])).toEqual([0]);
  // Elsewhere, or much larger, it is another.
  expect(matchLines([at(0.1, 0.2, 'Exit')], [at(0.7, 0.8, 'Exit')])).toEqual([null]);
  expect(matchLines([at(0.1, 0.2, 'Exit', 0.3, 0.1)], [at(0.1, 0.8, 'Exit')])).toEqual([null]);
});

test('of two equal lines each continues its own', () => {
  const signs = [at(0.1, 0.5, 'Exit', 0.1), at(0.1, 0.8, 'Exit', 0.1)];
  expect(matchLines(signs.toReversed(), signs)).toEqual([1, 0]);
  expect(matchLines([...signs, at(0.1, 0.2, 'Exit', 0.1)], signs)).toEqual([0, 1, null]);
});
