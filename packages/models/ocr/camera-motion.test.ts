import { expect, test } from 'vitest';
import { drawImage, type Paint } from '../../media/samples/draw-media.ts';
import { createCameraWatch } from './camera-motion.ts';
import { toEdgePicture } from './edge-picture.ts';

const [width, height] = [320, 180];
/** A landscape of blotches of some width that the camera looks at from a place, pixels. */
const landscape =
  (wide: number, left: number, top: number): Paint =>
  (x, y) => {
    const [column, row] = [Math.floor((x * width + left) / wide), Math.floor((y * height + top) / (wide - 2))];
    const value = 128 + 100 * Math.sin(column * column * 3 + row * row * 5 + column * row * 7);
    return [value, value, value];
  };
const look = (...place: Parameters<typeof landscape>) => toEdgePicture(drawImage(landscape(...place), width, height));
const still = { x: 0, y: 0 };

test('the camera is followed in all directions, and another shot is like nothing before', () => {
  const watch = createCameraWatch();
  expect(watch(look(9, 200, 200))).toEqual({ shift: still, likeness: 1 });
  // What is seen moves against the camera.
  for (const [left, top, shift] of [
    [219, 213, { x: -19, y: -13 }],
    [180, 213, { x: 39, y: 0 }],
    [180, 213, still],
    [180, 190, { x: 0, y: 23 }],
  ] as const) {
    const motion = watch(look(9, left, top));
    expect(motion.shift).toEqual(shift);
    expect(motion.likeness).toBeGreaterThan(0.6);
  }
  expect(watch(look(23, 180, 190)).likeness).toBeLessThan(0.3);
});

test('an empty picture stands still, and is not like one that shows something', () => {
  const watch = createCameraWatch();
  const empty = toEdgePicture(drawImage(() => [9, 9, 9], width, height));
  watch(empty);
  expect(watch(empty)).toEqual({ shift: still, likeness: 1 });
  expect(watch(look(9, 0, 0)).likeness).toBe(0);
});

test('what trembles, such as leaves in the wind, is no other shot', () => {
  const watch = createCameraWatch();
  // Each pair of rows moves on its own.
  const tremble = (phase: number) => {
    const paint = landscape(24, 200, 200);
    const shake = (y: number) => Math.round(3 * Math.sin(Math.floor((y * height) / 2) * 5 + phase)) / width;
    return toEdgePicture(drawImage((x, y, time) => paint(x + shake(y), y, time), width, height));
  };
  watch(tremble(0));
  expect(watch(tremble(2)).likeness).toBeGreaterThan(0.6);
});

test('cuts are seen in pictures too narrow to be made smaller', () => {
  const watch = createCameraWatch();
  const strip = (wide: number) => toEdgePicture(drawImage(landscape(wide, 0, 0), 640, 7));
  watch(strip(9));
  expect(watch(strip(9)).likeness).toBe(1);
  expect(watch(strip(23)).likeness).toBeLessThan(0.4);
});
