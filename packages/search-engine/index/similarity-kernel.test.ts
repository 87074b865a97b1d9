import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import createWabt from 'wabt';
import { createRandom, drawVector } from '../testing/random.ts';
import { dot } from '../vectors.ts';
import { createVectorMemory, maxCompared, maxThreads, openVectors, toSimilarity } from './vector-memory.ts';

test('the kernel is what its text says', async () => {
  const source = await readFile(new URL('./similarity-kernel.wat', import.meta.url), 'utf8');
  const features = { simd: true, threads: true, memory64: true };
  const module = (await createWabt()).parseWat('similarity-kernel.wat', source, features);
  const { buffer } = module.toBinary({});
  const compiled = await readFile(new URL('./similarity-kernel.wasm', import.meta.url));
  expect(Buffer.from(buffer).equals(compiled)).toBe(true);
});

/** Integers as an index holds them, 32,767 for 1. */
const toIntegers = (vector: Float32Array): number[] => Array.from(vector, (value) => Math.round(32_767 * value));

const multiply = (a: number[], b: number[]): number => a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);

function open(dimensions: number, vectors: (Float32Array | null)[], thread = 0) {
  const memory = createVectorMemory(dimensions);
  const opened = openVectors(memory, thread);
  opened.reserve(vectors.length);
  for (const [slot, vector] of vectors.entries()) opened.write(slot, vector);
  return { memory, opened };
}

describe.each([1, 3, 31, 32, 33, 48, 63, 64, 65, 100, 512, 768, 1152])('vectors of %d dimensions', (dimensions) => {
  const random = createRandom(dimensions);
  const vectors = Array.from({ length: 40 }, () => drawVector(random, dimensions));

  test('have exactly the dot products that plain arithmetic gives, in any order and from any slot', () => {
    const { opened } = open(dimensions, vectors, maxThreads - 1);
    const slots = Array.from({ length: 100 }, () => random.below(vectors.length));
    for (const query of vectors.slice(0, 5)) {
      opened.setQuery(query);
      opened.list.set(slots);
      opened.products.fill(-1);
      opened.compare(slots.length);
      const expected = slots.map((slot) => multiply(toIntegers(query), toIntegers(vectors[slot] as Float32Array)));
      expect([...opened.products.subarray(0, slots.length)]).toEqual(expected);
      // And no more than that are compared.
      expect(opened.products[slots.length]).toBe(-1);
    }
    opened.setQueryToSlot(7);
    opened.compare(slots.length);
    const own = toIntegers(vectors[7] as Float32Array);
    expect(opened.products[0]).toBe(multiply(own, toIntegers(vectors[slots[0] as number] as Float32Array)));
  });

  test('have cosines that differ from those in full precision by rounding only', () => {
    const { opened } = open(dimensions, vectors);
    const [query = new Float32Array()] = vectors;
    opened.setQuery(query);
    opened.list.set([...vectors.keys()]);
    opened.compare(vectors.length);
    for (const [slot, vector] of vectors.entries()) {
      const error = Math.abs(toSimilarity(opened.products[slot] as number) - dot(query, vector));
      expect(error).toBeLessThan(Math.sqrt(dimensions) / 32_767);
    }
  });

  test('at their largest do not overflow, and opposite ones are the negative', () => {
    const flat = new Float32Array(dimensions).fill(1 / Math.sqrt(dimensions));
    const axis = Float32Array.from({ length: dimensions }, (_, i) => (i === dimensions - 1 ? 1 : 0));
    // As long as rounding to 32 bits lets a unit vector become.
    const long = axis.map((value) => value * (1 + 2 ** -22));
    for (const vector of [flat, axis, long]) {
      const { opened } = open(dimensions, [vector, vector.map((value) => -value)]);
      opened.setQuery(vector);
      opened.list.set([0, 1]);
      opened.compare(2);
      const [same = 0, opposite = 0] = opened.products;
      expect(toSimilarity(same)).toBeCloseTo(1, 2);
      expect(opposite).toBe(-same);
    }
  });

  test('that are missing equal none, also where another was before', () => {
    const { opened } = open(dimensions, [
      vectors[0] as Float32Array,
      vectors[1] as Float32Array,
      vectors[2] as Float32Array,
    ]);
    opened.write(1, null);
    opened.setQuery(vectors[1] as Float32Array);
    opened.list.set([0, 1, 2]);
    opened.compare(3);
    const expected = [0, 2].map((slot) =>
      multiply(toIntegers(vectors[1] as Float32Array), toIntegers(vectors[slot] as Float32Array)),
    );
    expect([...opened.products.subarray(0, 3)]).toEqual([expected[0], 0, expected[1]]);
  });
});

test('as many as fit a list are compared at once', () => {
  const random = createRandom(1);
  const vectors = Array.from({ length: maxCompared }, () => drawVector(random, 40));
  const { opened } = open(40, vectors);
  opened.setQuery(vectors[3] as Float32Array);
  opened.list.set([...vectors.keys()]);
  opened.compare(maxCompared);
  const query = toIntegers(vectors[3] as Float32Array);
  expect([...opened.products]).toEqual(vectors.map((vector) => multiply(query, toIntegers(vector))));
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
  for (const [thread, { products }] of all.entries()) {
    const vector = toIntegers(vectors[thread % 20] as Float32Array);
    expect(new Set(products)).toEqual(new Set([multiply(vector, vector)]));
  }
  // Nor do they touch the vectors.
  const { opened } = open(33, vectors);
  expect(openVectors(memory, 0).bytesOf(0, 20)).toEqual(opened.bytesOf(0, 20));
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
