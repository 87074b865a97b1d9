import { expect, test } from 'vitest';
import { isInBox, isInCircle, parseBox, parseCircle } from './positions.ts';

test('a circle is a latitude, a longitude and kilometres', () => {
  expect(parseCircle('53.55,9.99,5')).toEqual({ latitude: 53.55, longitude: 9.99, km: 5 });
  expect(parseCircle(' -90 , 180 , 0.5')).toEqual({ latitude: -90, longitude: 180, km: 0.5 });
  for (const wrong of ['', '53.55,9.99', '53.55,9.99,0', '53.55,9.99,-1', '91,0,5', '0,181,5', '1,2,3,4', '1,2,30000'])
    expect(parseCircle(wrong), wrong).toBeNull();
  for (const wrong of ['1e1,2,3', '0x1,2,3', 'NaN,1,1', '1,,1', '1,2,Infinity', '1;2;3'])
    expect(parseCircle(wrong), wrong).toBeNull();
});

test('a box is south, west, north, east; only its west may be above its east', () => {
  expect(parseBox('53,9,54,10')).toEqual({ south: 53, west: 9, north: 54, east: 10 });
  expect(parseBox('-20,170,-10,-170')).toEqual({ south: -20, west: 170, north: -10, east: -170 });
  for (const wrong of ['', '54,9,53,10', '53,9,54', '-91,0,0,0', '0,0,0,181'])
    expect(parseBox(wrong), wrong).toBeNull();
});

test('a circle goes across the date line and over the pole', () => {
  const fiji = { latitude: -17, longitude: 179.9, km: 50 };
  expect(isInCircle(fiji, -17, -179.9)).toBe(true);
  expect(isInCircle(fiji, -17, 179)).toBe(false);
  const pole = { latitude: 89.9, longitude: 0, km: 30 };
  expect(isInCircle(pole, 89.9, 180)).toBe(true);
  expect(isInCircle(pole, 89.6, 180)).toBe(false);
  expect(isInCircle({ latitude: 0, longitude: 0, km: 20_100 }, 0, 180)).toBe(true);
  // Where nothing is known, nothing is near.
  expect(isInCircle(fiji, NaN, NaN)).toBe(false);
});

test('a box goes across the date line, and holds its bounds', () => {
  const box = { south: -20, west: 170, north: -10, east: -170 };
  expect([170, 179, 180, -180, -170].map((longitude) => isInBox(box, -20, longitude))).toEqual(Array(5).fill(true));
  expect([169.9, 0, -169.9, NaN].map((longitude) => isInBox(box, -15, longitude))).toEqual(Array(4).fill(false));
  expect(isInBox(box, -9.9, 175)).toBe(false);
});
