import { expect, test } from 'vitest';
import { stripMarkup } from './subtitles.ts';

test.each([
  ['tags', '<i>Good</i> <font color="#ffffff">morning</font>', 'Good morning'],
  ['overrides', '{\\an8}Good {\\i1\\b1}morning{\\r}', 'Good morning'],
  ['codes of line breaks', 'Good\\Nmorning\\hVienna', 'Good morning Vienna'],
  ['nothing from what only looks like it', 'a < b, {c} and {\\d', 'a < b, {c} and {\\d'],
])('markup: %s are taken out', (_, text, plain) => {
  expect(stripMarkup(text)).toBe(plain);
});

// Each of them took minutes where a pattern reads to the end of the text from every place at which it could begin.
test.each(['{\\', '{\\a', '<', '<a ', '\\', ' ', '{', '{}', '<{\\'])('a megabyte of %j is read at once', (piece) => {
  const text = piece.repeat(2 ** 20 / piece.length);
  expect(stripMarkup(text).length).toBeLessThanOrEqual(text.length);
});
