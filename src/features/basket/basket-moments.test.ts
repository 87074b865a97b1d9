import { expect, test } from 'vitest';
import { type BasketMoment, isSameMoment, moveTo, parseBasket } from './basket-moments.ts';

const moment: BasketMoment = {
  key: 'k',
  mediaId: 'm',
  chunkId: null,
  type: 'video',
  start: 1.5,
  end: 4,
  filename: 'harbour.mp4',
  name: '',
};

test('only what this version wrote is read', () => {
  expect(parseBasket(JSON.stringify({ version: 1, moments: [moment] }))).toEqual([moment]);
  expect(parseBasket(JSON.stringify({ version: 2, moments: [moment] }))).toEqual([]);
  expect(parseBasket(JSON.stringify({ version: 1, moments: [moment, { ...moment, start: null }, null, 7] }))).toEqual([
    moment,
  ]);
  for (const text of [null, '', 'nonsense', 'null', '[]', '{"version":1,"moments":7}']) {
    expect(parseBasket(text)).toEqual([]);
  }
});

test('a moment is the same as another by its item and span', () => {
  expect(isSameMoment(moment, { ...moment, filename: 'renamed.mp4', chunkId: 'c' })).toBe(true);
  expect(isSameMoment(moment, { ...moment, end: 4.04 })).toBe(false);
  expect(isSameMoment(moment, { ...moment, mediaId: 'other' })).toBe(false);
});

test('an entry moves among the others, and not past the ends', () => {
  expect(moveTo(['a', 'b', 'c'], 0, 2)).toEqual(['b', 'c', 'a']);
  expect(moveTo(['a', 'b', 'c'], 2, 0)).toEqual(['c', 'a', 'b']);
  expect(moveTo(['a', 'b', 'c'], 2, 9)).toEqual(['a', 'b', 'c']);
  expect(moveTo(['a', 'b', 'c'], 0, -1)).toEqual(['a', 'b', 'c']);
  expect(moveTo(['a'], 5, 0)).toEqual(['a']);
});
