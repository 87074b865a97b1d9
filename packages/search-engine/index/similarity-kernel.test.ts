import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import createWabt from 'wabt';
import { createRandom, drawVector, type Random } from '../testing/random.ts';
import { dot, toUnit } from '../vectors.ts';
import { createRotation } from './rotation.ts';
import { createVectorMemory, maxCompared, maxThreads, openVectors } from './vector-memory.ts';

test('the kernel is what its text says', async () => {
  const source = await readFile(new URL('./similarity-kernel.wat', import.meta.url), 'utf8');
  const features = { simd: true, relaxed_simd: true, threads: true, memory64: true };
  const module = (await createWabt()).parseWat('similarity-kernel.wat', source, features);
  const { buffer } = module.toBinary({});
  const compiled = await readFile(new URL('./similarity-kernel.wasm', import.meta.url));
  expect(Buffer.from(buffer).equals(compiled)).toBe(true);
});

function open(dimensions: number, vectors: (Float32Array | null)[], thread = 0) {
  const memory = createVectorMemory(dimensions);
  const opened = openVectors(memory, thread);
  opened.reserve(vectors.length);
  for (const [slot, vector] of vectors.entries()) opened.write(slot, vector);
  return { memory, opened };
}

/** Vectors as real ones are: a few dimensions hold most of their length. */
const drawUneven = (random: Random, dimensions: number): Float32Array =>
  toUnit(drawVector(random, dimensions).map((value, i) => (i % 50 === 7 ? 10 + value : value)));

describe.each([1, 3, 31, 32, 33, 48, 63, 64, 65, 100, 512, 768, 1152])('vectors of %d dimensions', (dimensions) => {
  const random = createRandom(dimensions);
  // More than a block, and not the same number in each of its lines.
  const vectors = Array.from({ length: 300 }, (_, i) =>
    i % 2 === 0 ? drawVector(random, dimensions) : drawUneven(random, dimensions),
  );
  const { opened } = open(dimensions, vectors, maxThreads - 1);
  const slots = Array.from({ length: 50 }, () => random.below(vectors.length));

  test('are read as they were written, and compared as in full precision, in any order and from any slot', () => {
    // Of 32,510 steps of the largest component each is at most half wrong; so is each of 65,534 of a query.
    const step = 1 / 32_510 + 1 / 65_534;
    for (const slot of slots) {
      for (const [i, value] of opened.read(slot).entries()) {
        expect(Math.abs(value - (vectors[slot]?.[i] as number))).toBeLessThan(Math.sqrt(dimensions) * step);
      }
    }
    for (const query of vectors.slice(0, 6)) {
      opened.setQuery(query);
      opened.list.set(slots);
      opened.similarities.fill(-9);
      opened.compare(slots.length);
      for (const [i, slot] of slots.entries()) {
        const error = Math.abs((opened.similarities[i] as number) - dot(query, vectors[slot] as Float32Array));
        expect(error).toBeLessThan(step * Math.min(4, Math.sqrt(dimensions)));
      }
      // And no more than that are compared.
      expect(opened.similarities[slots.length]).toBe(-9);
    }
  });

  test('are estimated from their high bytes exactly as plain arithmetic on those gives', () => {
    const [query = new Float32Array()] = vectors;
    const rotated = createRotation(dimensions).rotate(query);
    const largest = rotated.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    const rough = Array.from(rotated, (value) => Math.round((127 * value) / largest));
    const expected = slots.map((slot) => {
      const stored = createRotation(dimensions).rotate(opened.read(slot));
      const unit = stored.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / 16_255;
      const sum = rough.reduce((all, value, i) => all + value * ((Math.round((stored[i] ?? 0) / unit) + 128) >> 8), 0);
      return sum * (largest / 127) * 256 * unit;
    });
    opened.setQuery(query);
    opened.list.set(slots);
    opened.estimate(slots.length);
    for (const [i, estimate] of expected.entries()) expect(opened.similarities[i]).toBeCloseTo(estimate, 5);
  });

  test('are estimated about as they are, by a query and by the vector of a slot', () => {
    for (const slot of [0, 1, 255, 256, 299]) {
      const vector = vectors[slot] as Float32Array;
      const near = (i: number) => dot(vector, vectors[slots[i] as number] as Float32Array);
      opened.setQuery(vector);
      opened.list.set(slots);
      opened.estimate(slots.length);
      // Wholly even only where the dimensions have a large power of two.
      const tolerance = dimensions % 32 === 0 ? 0.012 : 0.04;
      for (const i of slots.keys())
        expect(Math.abs((opened.similarities[i] as number) - near(i))).toBeLessThan(tolerance);
      opened.setRoughQueryToSlot(slot);
      opened.list.set(slots);
      opened.estimate(slots.length);
      for (const i of slots.keys())
        expect(Math.abs((opened.similarities[i] as number) - near(i))).toBeLessThan(tolerance);
      opened.setQueryToSlot(slot);
      opened.list.set(slots);
      opened.compare(slots.length);
      for (const i of slots.keys()) expect(opened.similarities[i]).toBeCloseTo(near(i), 3);
    }
  });

  test('at their largest do not overflow, and opposite ones are the negative', () => {
    const flat = new Float32Array(dimensions).fill(1 / Math.sqrt(dimensions));
    const axis = Float32Array.from({ length: dimensions }, (_, i) => (i === dimensions - 1 ? 1 : 0));
    // What the rotation makes an axis of, and an axis as it is stored.
    const even = createRotation(dimensions).rotateBack(axis);
    // As long as rounding to 32 bits lets a unit vector become.
    const long = axis.map((value) => value * (1 + 2 ** -22));
    for (const vector of [flat, axis, even, long]) {
      const { opened } = open(dimensions, [vector, vector.map((value) => -value)]);
      opened.setQuery(vector);
      for (const ask of [opened.compare, opened.estimate]) {
        opened.list.set([0, 1]);
        ask(2);
        const [same = 0, opposite = 0] = opened.similarities;
        expect(same).toBeCloseTo(1, ask === opened.compare ? 4 : 1);
        expect(opposite).toBeCloseTo(-same, ask === opened.compare ? 4 : 1);
      }
    }
  });

  test('that are missing equal none, also where another was before, and copies are the same', () => {
    const [one, other, third] = vectors as [Float32Array, Float32Array, Float32Array];
    const { opened } = open(dimensions, [one, other, third, one]);
    opened.write(1, null);
    for (const ask of [opened.compare, opened.estimate]) {
      opened.setQuery(other);
      opened.list.set([0, 1, 2]);
      ask(3);
      expect(opened.similarities[1]).toBeCloseTo(0, 9);
      expect(opened.similarities[2]).not.toBe(0);
    }
    expect(opened.isSame(0, 3)).toBe(true);
    if (dimensions > 1) expect(opened.isSame(0, 2)).toBe(false);
  });
});

test('vectors that differ in a low byte alone are not the same', () => {
  const vector = drawVector(createRandom(9), 512);
  const { opened } = open(512, [vector, vector.map((value, i) => (i === 3 ? value + 3e-4 : value))]);
  expect(opened.isSame(0, 1)).toBe(false);
});

test('as many as fit a list are compared at once', () => {
  const random = createRandom(1);
  const vectors = Array.from({ length: maxCompared }, () => drawVector(random, 40));
  const { opened } = open(40, vectors);
  opened.setQuery(vectors[3] as Float32Array);
  opened.list.set([...vectors.keys()]);
  opened.compare(maxCompared);
  for (const [i, vector] of vectors.entries()) {
    expect(opened.similarities[i]).toBeCloseTo(dot(vector, vectors[3] as Float32Array), 3);
  }
});

test('threads do not disturb each other', () => {
  const random = createRandom(2);
  const vectors = Array.from({ length: 20 }, () => drawVector(random, 33));
  const { memory } = open(33, vectors);
  const all = Array.from({ length: maxThreads }, (_, thread) => openVectors(memory, thread));
  for (const [thread, opened] of all.entries()) {
    opened.setQuery(vectors[thread % 20] as Float32Array);
    opened.list.fill(thread % 20);
  }
  for (const opened of all) opened.compare(maxCompared);
  for (const [thread, { similarities }] of all.entries()) {
    expect(new Set(similarities).size).toBe(1);
    expect(similarities[0]).toBeCloseTo(1, 4);
    expect(similarities[0]).not.toBe(all[(thread + 1) % 20]?.similarities[0]);
  }
  // Nor do they touch the vectors.
  const { opened } = open(33, vectors);
  expect(openVectors(memory, 0).bytesOf(20)).toEqual(opened.bytesOf(20));
});

test('what a thread compares while another adds vectors and the memory grows is right throughout', async () => {
  const dimensions = 96;
  const random = createRandom(3);
  const vectors = Array.from({ length: 500 }, () => drawVector(random, dimensions));
  const { memory, opened } = open(dimensions, vectors);
  // Opened before the memory grows.
  const reader = new Worker(new URL('../testing/compare-in-thread.ts', import.meta.url), {
    workerData: { memory, query: vectors[0], known: vectors.length },
  });
  const [expected] = (await once(reader, 'message')) as [number[]];
  let added = vectors.length;
  const before = memory.memory.buffer.byteLength;
  while (added < 60_000) {
    opened.reserve(added + 1000);
    for (let i = 0; i < 1000; i++) opened.write(added + i, vectors[(added + i) % 500] as Float32Array);
    added += 1000;
  }
  expect(memory.memory.buffer.byteLength).toBeGreaterThan(before + 8 * 2 ** 20);
  reader.postMessage(added);
  const [{ rounds, wrong, last }] = (await once(reader, 'message')) as [
    { rounds: number; wrong: number; last: number },
  ];
  await reader.terminate();
  expect(rounds).toBeGreaterThan(0);
  expect(wrong).toBe(0);
  // Vectors that came after it was opened are there as well.
  expect(last).toBe(expected[(added - 1) % 500]);
});
