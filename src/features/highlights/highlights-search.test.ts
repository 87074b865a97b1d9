import { expect, test } from 'vitest';
import { highlightMethods, readMethod } from './highlight-methods.ts';
import { isInBox, type MapBox, readBox, writeBox } from './map-box.ts';

test('every method is read back from its URL, and anything else is the first', () => {
  for (const { value } of highlightMethods) expect(readMethod(new URLSearchParams({ method: value }))).toBe(value);
  for (const query of ['', 'method=', 'method=LOF', 'method=average']) {
    expect(readMethod(new URLSearchParams(query))).toBe('knn');
  }
});

test('a part of the map survives its URL, to three decimal places', () => {
  const boxes: [MapBox, MapBox][] = [
    [
      [-1.25, 0, 3.5, 12],
      [-1.25, 0, 3.5, 12],
    ],
    [
      [0.12345, -0.98765, 1e-9, 1234.5678],
      [0.123, -0.988, 0, 1234.568],
    ],
  ];
  for (const [box, expected] of boxes) {
    const query = new URLSearchParams({ box: writeBox(box) }).toString();
    expect(readBox(new URLSearchParams(query).get('box'))).toEqual(expected);
  }
  expect(writeBox([-1.25, 0, 3.5, 12])).toBe('-1.250,0.000,3.500,12.000');
});

test.each([
  null,
  '',
  ',,,',
  '1,2,3',
  '1,2,3,',
  '1,2,3, ',
  '1,2,3,4,5',
  '1,2,3,x',
  '1,2,NaN,4',
  '1,2,3,Infinity',
  '1;2;3;4',
])('%j is no part of the map', (text) => {
  expect(readBox(text)).toBeNull();
});

test('a part of the map includes its edges', () => {
  const box: MapBox = [0, 10, 2, 20];
  expect([isInBox({ x: 0, y: 20 }, box), isInBox({ x: 2, y: 10 }, box)]).toEqual([true, true]);
  const outside = [
    { x: -0.1, y: 15 },
    { x: 2.1, y: 15 },
    { x: 1, y: 9.9 },
    { x: 1, y: 20.1 },
  ];
  expect(outside.filter((point) => isInBox(point, box))).toEqual([]);
});
