import { expect, test } from 'vitest';
import { drawImage, type Paint } from '../../media/samples/draw-media.ts';
import { comparePictures, countNewBlocks, findShift, toEdgePicture } from './edge-picture.ts';

const [width, height] = [320, 180];
const grey: Paint = () => [90, 90, 90];

/** Marks like letters in a row; `seed` chooses which. `left` and `top` in pixels. */
const letters =
  (seed: number, left: number, top: number, behind: Paint = grey): Paint =>
  (x, y, time) => {
    const [column, row] = [Math.floor(x * width) - left, Math.floor(y * height) - top];
    const isInside = column >= 0 && column < 120 && row >= 0 && row < 10;
    const cell = Math.floor(column / 4) * 7 + Math.floor(row / 4) * 13 + seed;
    return isInside && Math.sin(cell * cell) > 0 ? [250, 250, 250] : behind(x, y, time);
  };
const edges = (paint: Paint) => toEdgePicture(drawImage(paint, width, height));
const part = { left: 98, top: 98, width: 124, height: 14 };
const still = { x: 0, y: 0 };

test('a line is found at its place, on its way, and whatever the light is', () => {
  const before = edges(letters(1, 100, 100));
  expect(findShift(before, part, before, [still])).toEqual(still);
  expect(findShift(before, part, edges(letters(1, 100, 70)), [still])).toEqual({ x: 0, y: -30 });
  expect(findShift(before, part, edges(letters(1, 60, 100)), [still])).toEqual({ x: -40, y: 0 });
  expect(findShift(before, part, edges(letters(1, 81, 60)), [{ x: -20, y: -39 }])).toEqual({ x: -19, y: -40 });
  const brighter: Paint = (x) => [90 + 60 * x, 90 + 60 * x, 90 + 60 * x];
  expect(findShift(before, part, edges(letters(1, 100, 100, brighter)), [still])).toEqual(still);
});

test('another line at the same place is not the same, nor is none', () => {
  const before = edges(letters(1, 100, 100));
  expect(findShift(before, part, edges(letters(5, 100, 100)), [still])).toBeNull();
  expect(findShift(before, part, edges(grey), [still])).toBeNull();
});

test('blocks are new where a line stands that was not there, not where it moves or was read', () => {
  const [empty, line, moved] = [edges(grey), edges(letters(1, 100, 100)), edges(letters(1, 100, 85))];
  expect(countNewBlocks(line, line, empty, still)).toBeGreaterThanOrEqual(4);
  expect(countNewBlocks(line, line, line, still)).toBe(0);
  expect(countNewBlocks(line, moved, empty, still)).toBe(0);
  expect(countNewBlocks(empty, empty, line, still)).toBe(0);
});

test('pictures of two shots are less alike than those of a moving camera', () => {
  const scene =
    (shift: number, kind: number): Paint =>
    (x, y) => {
      const value = Math.sin((x + shift) * 19 * kind) * Math.cos(y * 13) * Math.sin((x + shift) * 5) > 0.2 ? 220 : 60;
      return [value, value, value];
    };
  expect(comparePictures(edges(scene(0, 1)), edges(scene(0.015, 1)))).toBeGreaterThan(0.6);
  expect(comparePictures(edges(scene(0, 1)), edges(scene(0, 1.7)))).toBeLessThan(0.6);
  expect(comparePictures(edges(grey), edges(grey))).toBe(1);
});
