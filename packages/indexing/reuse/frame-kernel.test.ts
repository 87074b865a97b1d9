import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import createWabt from 'wabt';
import { drawImage, type Paint } from '../../media/samples/draw-media.ts';
import { scenery } from '../../media/testing/draw-scenery.ts';
import { columns, correlate, cutPart, describeFrame, mirror, normalise, type Part, rows } from './frame-descriptor.ts';
import { type ComparedFrame, compareRoughly, findCrop } from './frame-kernel.ts';
import { whole } from './geometry.ts';

const frameOf = (paint: Paint): ComparedFrame => {
  const described = describeFrame(drawImage(paint, 192, 128), whole);
  return { cells: described!.cells, rough: -1, crops: -1 };
};

/** The means of two by two cells. */
function halve(frame: Float32Array): Float32Array {
  const halved = new Float32Array((columns * rows) / 4);
  for (const [cell, value] of frame.entries()) {
    const [column, row] = [(cell % columns) >> 1, Math.floor(cell / columns) >> 1];
    halved[(row * columns) / 2 + column]! += value / 4;
  }
  normalise(halved);
  return halved;
}

const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, i) => sum + value * b[i]!, 0);

/** How alike a part of a frame and another one are at half their resolution. */
const fitOf = (frame: Float32Array, part: Part, other: Float32Array): number =>
  dot(halve(cutPart(frame, part)), halve(other));

test('the kernel is what its text says', async () => {
  const source = await readFile(new URL('./frame-kernel.wat', import.meta.url), 'utf8');
  const module = (await createWabt()).parseWat('frame-kernel.wat', source, { simd: true });
  const { buffer } = module.toBinary({});
  const compiled = await readFile(new URL('./frame-kernel.wasm', import.meta.url));
  expect(Buffer.from(buffer).equals(compiled)).toBe(true);
});

const pairs = Array.from({ length: 12 }, (_, i) => [frameOf(scenery(i)), frameOf(scenery(100 + i))] as const);

test('frames are compared at half their resolution, as they are and mirrored', () => {
  for (const [a, b] of pairs) {
    const plain = dot(halve(a.cells), halve(b.cells));
    const mirrored = dot(halve(a.cells), halve(mirror(b.cells)));
    expect(compareRoughly(a, b)).toBeCloseTo(Math.max(plain, mirrored), 4);
  }
});

test('the similarity of a crop is that of the part that it names, and none of the usual ones fits better', () => {
  const corners = [0, 0.3].flatMap((left) =>
    [0, 0.3].map((top) => ({ left, top, right: left + 0.7, bottom: top + 0.7 })),
  );
  const bands = [0, 0.25, 0.5].map((top) => ({ ...whole, top, bottom: top + 0.5 }));
  for (const [a, b] of pairs) {
    const { geometry, similarity } = findCrop(a, b);
    const turned = geometry.mirrored ? mirror(b.cells) : b.cells;
    const named = geometry.b === whole ? fitOf(a.cells, geometry.a, turned) : fitOf(turned, geometry.b, a.cells);
    expect(similarity).toBeCloseTo(named, 4);
    for (const part of [...corners, ...bands]) {
      for (const other of [b.cells, mirror(b.cells)]) {
        expect(fitOf(a.cells, part, other)).toBeLessThan(similarity + 1e-4);
        expect(fitOf(other, part, a.cells)).toBeLessThan(similarity + 1e-4);
      }
    }
  }
});

test.each([false, true])('the crop of a frame is found on either side (mirrored: %s)', (mirrored) => {
  const picture = scenery(5);
  const cropped = frameOf((x, y, time) => picture(0.3 + 0.7 * (mirrored ? 1 - x : x), 0.3 + 0.7 * y, time));
  const all = frameOf(picture);
  const part = { left: 0.3, top: 0.3, right: 1, bottom: 1 };
  const close = (found: Part) =>
    Math.max(...(['left', 'top', 'right', 'bottom'] as const).map((side) => Math.abs(found[side] - part[side])));
  const first = findCrop(all, cropped);
  expect(first).toMatchObject({ geometry: { b: whole, mirrored }, similarity: expect.closeTo(1, 1) as number });
  expect(close(first.geometry.a)).toBeLessThan(0.01);
  const second = findCrop(cropped, all);
  expect(second.geometry).toMatchObject({ a: whole, mirrored });
  // Counted in the second frame as it is mirrored.
  const { left, right } = second.geometry.b;
  expect(close(mirrored ? { ...second.geometry.b, left: 1 - right, right: 1 - left } : second.geometry.b)).toBeLessThan(
    0.01,
  );
});

test('more frames are compared than there is room for', () => {
  const [first, second] = pairs[0]!;
  const [rough, crop] = [compareRoughly(first, second), findCrop(first, second)];
  // Each of the next takes the oldest place, that of one of the two among others.
  for (let i = 0; i < 9000; i++) {
    const other = { cells: pairs[1 + (i % 11)]![0].cells, rough: -1, crops: -1 };
    if (i % 4 === 0) findCrop(other, second);
    else compareRoughly(other, second);
  }
  expect(compareRoughly(first, second)).toBe(rough);
  expect(findCrop(first, second)).toEqual(crop);
});

test('what is even is like nothing', () => {
  const even = { cells: new Float32Array(columns * rows), rough: -1, crops: -1 };
  const [frame] = pairs[0]!;
  expect(compareRoughly(even, frame)).toBe(0);
  expect(correlate(even.cells, frame.cells)).toBe(0);
  expect(findCrop(even, even).similarity).toBe(0);
});
