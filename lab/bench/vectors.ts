import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { toUnit } from '@media-search/search-engine/vectors';

/**
 * Vectors distributed like real ones: each is one of the vectors in a file, moved by noise. They are the same in each run, and computed on
 * demand, because a million would fill the memory.
 */
export type VectorSource = {
  dimensions: number;
  /** The vector of a place, of unit length. */
  vectorAt: (place: number) => Float32Array;
  /** A vector near that of a place, like a query for it. */
  near: (place: number) => Float32Array;
};

/** Reads real vectors, one after another as float32 of unit length. Throws when no file is named. */
export async function openVectors(file: string | undefined, dimensions: number): Promise<VectorSource> {
  if (file === undefined) throw new Error('Name a file of vectors: --vectors <file>');
  const bytes = await readFile(path.resolve(file));
  const all = new Float32Array(Uint8Array.from(bytes).buffer);
  const base = Array.from({ length: all.length / dimensions }, (_, i) =>
    all.slice(i * dimensions, (i + 1) * dimensions),
  );
  const move = (place: number, noise: number, random: () => number) => {
    const gauss = () => Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random());
    return toUnit(
      (base[place % base.length] as Float32Array).map((value) => value + (noise * gauss()) / Math.sqrt(dimensions)),
    );
  };
  return {
    dimensions,
    vectorAt: (place) => move(place, 0.55, createRandom('vector', place)),
    near: (place) => move(place, 0.4, createRandom('query', place)),
  };
}

/** Numbers in 0..1 that look random, the same each time for one purpose and place (mulberry32). */
export function createRandom(purpose: 'vector' | 'query' | 'text', place: number): () => number {
  let state = Math.imul(place + 1, 0x9e3779b1) ^ Math.imul(purpose.length, 0x85ebca6b);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A quantile of some values, 0..1. */
export function quantile(values: number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))] ?? 0;
}
