import { expect, test } from 'vitest';
import { clampView, fitSize, mostZoom, realZoom, wholeView, zoomAbout } from './zoom-view.ts';

const room = { width: 1000, height: 500 };

test('a picture fits its place, and a small one grows to twice its pixels', () => {
  expect(fitSize({ width: 4000, height: 3000 }, room, 1)).toEqual({ width: 4000 / 6, height: 500 });
  expect(fitSize({ width: 4000, height: 1000 }, room, 1)).toEqual({ width: 1000, height: 250 });
  expect(fitSize({ width: 100, height: 80 }, room, 1)).toEqual({ width: 200, height: 160 });
  expect(fitSize({ width: 100, height: 80 }, room, 2)).toEqual({ width: 100, height: 80 });
});

test('real pixels are those of the screen', () => {
  const natural = { width: 4000, height: 2000 };
  const fit = fitSize(natural, room, 2);
  expect(realZoom(natural, fit, 2) * fit.width * 2).toBe(4000);
  expect(realZoom(natural, { width: 0, height: 0 }, 2)).toBe(1);
  expect(mostZoom(5)).toBe(10);
  expect(mostZoom(0.5)).toBe(4);
});

test('a zoom keeps the point below the pointer', () => {
  const point = { x: 200, y: -50 };
  const view = zoomAbout(wholeView, 3, point);
  // Where that part of the picture was in the middle's own measure.
  expect((point.x - view.x) / view.k).toBe(200);
  expect((point.y - view.y) / view.k).toBe(-50);
  expect(zoomAbout(view, 1, point)).toEqual(wholeView);
});

test('no gap opens beside a picture that is larger than its place, and a smaller one stays in the middle', () => {
  const fit = { width: 1000, height: 200 };
  expect(clampView({ k: 2, x: 900, y: 80 }, fit, room)).toEqual({ k: 2, x: 500, y: 0 });
  expect(clampView({ k: 2, x: -900, y: 0 }, fit, room)).toEqual({ k: 2, x: -500, y: 0 });
  expect(clampView({ k: 1, x: 30, y: -30 }, fit, room)).toEqual(wholeView);
});
