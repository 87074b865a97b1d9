import { setImmediate as nextTurn } from 'node:timers/promises';
import { TypedFastBitSet } from 'typedfastbitset';
import { Index, MetricKind, ScalarKind } from 'usearch';
import {
  listEmbeddedChunkNumbers,
  readChunkVectors,
  readVectorsAfter,
  type StoredVector,
} from '../catalog/chunk-vectors.ts';
import type { Catalog } from '../catalog/schema.ts';
import { isInHistory, readPosition } from '../catalog/timelines.ts';
import { readIndexDescription, removeIndex, saveIndex } from './index-file.ts';

export type Neighbor = { number: number; similarity: number };

export type VectorIndex = ReturnType<typeof createVectorIndex>;

/** Vectors read and added, by all processors, between two turns of the event loop: other requests go on while an index is built. */
const batchSize = 64;
/** How many vectors of the workspace stand for its background. */
const sampleSize = 500;

/**
 * So many new vectors, or such a share of all, are worth saving the index at once; fewer are read again from the catalog after a crash.
 * Saving a million vectors holds everything up for some seconds.
 */
const saveAfter = { count: 5000, share: 0.01 };
/** Fewer vectors than this are added anew as quickly as they are loaded. */
const minSavedVectors = 2000;

/**
 * A workspace's chunk vectors under one embedder in a graph for nearest-neighbour search (HNSW, Malkov & Yashunin 2016).
 * Derived from the catalog, which is the truth: built from it when first asked, and brought up to date before each search. What was
 * built is kept in a file, so that the next start only adds what came since.
 */
export function createVectorIndex(
  db: Catalog,
  workspaceId: string,
  embedder: { id: string; dimensions: number },
  file: string,
) {
  const newIndex = () =>
    new Index({
      dimensions: embedder.dimensions,
      metric: MetricKind.Cos,
      quantization: ScalarKind.F16,
      connectivity: 16,
      expansion_add: 128,
      expansion_search: 96,
      multi: false,
    });
  let index = newIndex();
  /** Chunks that it holds; a bit for each that any workspace ever had. */
  let numbers = new TypedFastBitSet();
  let unsaved = 0;
  let loaded = false;
  /** Chunk vectors drawn evenly from all (reservoir sampling, Vitter 1985), by chunk number. */
  const sample: { number: number; vector: Float32Array }[] = [];
  let seen = 0;
  let sequence = 0;
  let refreshing: Promise<void> | undefined;

  /** Takes the saved index, without what was deleted since. */
  async function load(): Promise<void> {
    loaded = true;
    const saved = await readIndexDescription(file);
    // One of before a copy of the catalog was put back holds other vectors under the same numbers.
    if (!saved || !(await isInHistory(db, saved.position))) return;
    const stored = await listEmbeddedChunkNumbers(db, workspaceId, embedder.id, saved.position.sequence);
    const held = new TypedFastBitSet(saved.numbers);
    const known = new TypedFastBitSet(stored);
    // It lacks what the catalog holds: that was deleted before the index was saved, and is back with a copy of the catalog.
    if (known.difference_size(held) > 0) return;
    index = newIndex();
    index.load(file);
    numbers = known;
    for (const number of held.difference(known)) index.remove(BigInt(number));
    sequence = saved.position.sequence;
    const chosen =
      stored.length <= sampleSize
        ? stored
        : Array.from(
            { length: sampleSize },
            (_, i) => stored[Math.floor(((i + Math.random()) * stored.length) / sampleSize)] as number,
          );
    for (const [number, vector] of await readChunkVectors(db, embedder.id, chosen)) sample.push({ number, vector });
    seen = stored.length;
  }

  async function save(): Promise<void> {
    if (unsaved === 0 || index.size() < minSavedVectors) return;
    unsaved = 0;
    const { timeline } = await readPosition(db);
    await saveIndex(file, { position: { timeline, sequence }, numbers: numbers.array() }, (target) =>
      index.save(target),
    );
  }

  async function addNewVectors(): Promise<void> {
    if (!loaded) await load();
    for (;;) {
      const rows = await readVectorsAfter(db, workspaceId, embedder.id, sequence, batchSize);
      addAll(rows);
      for (const row of rows) {
        numbers.add(row.chunk_number);
        unsaved += 1;
        addToSample(row.chunk_number, row.vector);
        sequence = row.sequence;
      }
      if (rows.length < batchSize) {
        if (unsaved >= Math.max(saveAfter.count, saveAfter.share * index.size())) await save();
        return;
      }
      await nextTurn();
    }
  }

  function addAll(rows: StoredVector[]): void {
    if (rows.length === 0) return;
    const matrix = new Float32Array(rows.length * embedder.dimensions);
    for (const [i, { vector }] of rows.entries()) matrix.set(vector, i * embedder.dimensions);
    index.add(
      BigUint64Array.from(rows, ({ chunk_number }) => BigInt(chunk_number)),
      matrix,
    );
  }

  function addToSample(number: number, vector: Float32Array): void {
    seen += 1;
    if (sample.length < sampleSize) {
      sample.push({ number, vector });
      return;
    }
    const place = Math.floor(Math.random() * seen);
    if (place < sampleSize) sample[place] = { number, vector };
  }

  return {
    /** Adds what the catalog holds and the index does not. Searches that come in meanwhile wait for the same pass. */
    async refresh(): Promise<void> {
      // A pass under way may have read past what the caller knows to be stored, so wait for it and then look again.
      await refreshing;
      refreshing ??= addNewVectors().finally(() => {
        refreshing = undefined;
      });
      await refreshing;
    },

    /** The `count` nearest chunks, the nearest first. Similarity is the cosine, -1..1. */
    search(query: Float32Array, count: number): Neighbor[] {
      const wanted = Math.min(count, index.size());
      if (wanted === 0) return [];
      const { keys, distances } = index.search(query, wanted, 1);
      return Array.from(keys, (key, i) => ({ number: Number(key), similarity: 1 - (distances[i] ?? 1) }));
    },

    /** Drops deleted chunks. Ones that it does not hold are passed over. */
    remove(deleted: number[]): void {
      const gone = new Set(deleted);
      for (const number of gone) {
        index.remove(BigInt(number));
        numbers.remove(number);
      }
      const kept = sample.filter((entry) => !gone.has(entry.number));
      sample.splice(0, sample.length, ...kept);
    },

    size: (): number => index.size(),

    /** Whether it holds a chunk. */
    has: (number: number): boolean => numbers.has(number),

    /** Keeps what is not in the file yet. */
    async save(): Promise<void> {
      await refreshing;
      await save();
    },

    /** Removes the file: another embedder answers now. */
    discard: (): Promise<void> => removeIndex(file),

    /** Up to 500 chunks drawn at random. */
    sample: (): readonly { number: number; vector: Float32Array }[] => sample,

    /** Similarities of the query to chunks drawn at random: what "nothing in particular" looks like here. */
    background: (query: Float32Array): number[] => sample.map((entry) => dot(entry.vector, query)),
  };
}

/** Dot product; for unit vectors the cosine. Four sums at once, which the processor adds side by side. */
export function dot(a: Float32Array, b: Float32Array): number {
  let [first, second, third, fourth] = [0, 0, 0, 0];
  const whole = a.length - (a.length % 4);
  for (let i = 0; i < whole; i += 4) {
    first += a[i]! * b[i]!;
    second += a[i + 1]! * b[i + 1]!;
    third += a[i + 2]! * b[i + 2]!;
    fourth += a[i + 3]! * b[i + 3]!;
  }
  for (let i = whole; i < a.length; i++) first += a[i]! * b[i]!;
  return first + second + third + fourth;
}
