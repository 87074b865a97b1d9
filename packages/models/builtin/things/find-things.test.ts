import { expect, test } from 'vitest';
import { findThings } from './find-things.ts';
import { mostClasses, mostObjects } from './frame-things.ts';

const [width, height] = [100, 80];
/** Grey, with a red part to the left of the middle. */
function picture() {
  const data = new Uint8Array(width * height * 3).fill(128);
  for (let i = 0; i < width * height; i++) if (i % width < width / 2) data.set([210, 15, 20], 3 * i);
  return { width, height, data };
}
const left = [0, 0, 1, 0.5];
const right = [0, 0.5, 1, 1];
const rows = (...each: number[][]) => Float32Array.from(each.flat());
const noClasses = new Float32Array(1000);
const kindsOf = (detections: Float32Array) =>
  findThings(detections, noClasses, picture()).objects.map(({ kind }) => kind);

test('boxes of one kind over each other are one object, of two kinds or apart they are two', () => {
  const shifted = [0, 0.05, 1, 0.5];
  expect(kindsOf(rows([...left, 0.9, 17], [...shifted, 0.8, 17], [...right, 0.7, 17], [...left, 0.6, 2]))).toEqual([
    17, 17, 2,
  ]);
});

test('what is hardly seen is left out, and no more is kept than has room', () => {
  expect(kindsOf(rows([...left, 0.5, 1], [...right, 0.19, 2]))).toEqual([1]);
  const many = Array.from({ length: 64 }, (_, kind) => [...left, 0.9, kind]);
  expect(kindsOf(rows(...many))).toHaveLength(mostObjects);
});

test('the colours are those inside the box, which may reach beyond the image', () => {
  const { objects } = findThings(rows([-0.2, -0.1, 1.1, 0.5, 0.9, 2], [...right, 0.8, 2]), noClasses, picture());
  expect(objects.map(({ colours }) => colours)).toEqual([['red'], ['grey']]);
  expect(objects[0]?.box).toEqual({ top: 0, left: 0, bottom: 1, right: 0.5 });
});

test('the likeliest classes are kept, the first first', () => {
  const probabilities = new Float32Array(1000);
  for (const [number, probability] of [
    [7, 0.3],
    [999, 0.5],
    [1, 0.005],
  ] as const)
    probabilities[number] = probability;
  const { classes } = findThings(rows(), probabilities, picture());
  expect(classes.map(({ number }) => number)).toEqual([999, 7]);
  expect(findThings(rows(), new Float32Array(1000).fill(0.02), picture()).classes).toHaveLength(mostClasses);
});
