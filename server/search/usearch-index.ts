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
import { dot } from '../vectors.ts';
import { type ChunkSelection, searchWindow } from './chunk-selection.ts';
import { readIndexDescription, removeIndex, saveIndex } from './index-file.ts';
import type { ManagedVectorIndex, Neighbor } from './vector-index.ts';
import { createVectorSample, type VectorSample } from './vector-sample.ts';

/** Vectors read and added, by all processor cores, per turn of the event loop: other requests are served while an index is built. */
const batchSize = 64;

/**
 * With this many new vectors, or this share of all, the index is saved at once; fewer are read again from the catalog after a crash.
 * Saving a million vectors blocks the process for some seconds.
 */
const saveAfter = { count: 5000, share: 0.01 };
/** Fewer vectors than this are added from the catalog as quickly as they are loaded from a file. */
const minSavedVectors = 2000;

type Graph = {
  db: Catalog;
  workspaceId: string;
  embedder: { id: string; dimensions: number };
  /** The file in which it is saved. */
  file: string;
  index: Index;
  /** Chunks that it holds: a bit for each number in use in any workspace. */
  numbers: TypedFastBitSet;
  sample: VectorSample;
  /** The position in the catalog up to which it holds the vectors. */
  sequence: number;
  /** Vectors added since the last save. */
  unsaved: number;
  loaded: boolean;
};

/**
 * A workspace's chunk vectors under one embedder in a graph for nearest-neighbour search (HNSW, Malkov & Yashunin 2016), at half
 * precision. It is derived from the catalog: built at the first refresh, and updated by each later one. It is saved to a
 * file, so that the next start only adds what has been stored since.
 */
export function createUsearchIndex(
  db: Catalog,
  workspaceId: string,
  embedder: { id: string; dimensions: number },
  file: string,
): ManagedVectorIndex {
  const graph: Graph = {
    db,
    workspaceId,
    embedder,
    file,
    index: createEmptyIndex(embedder.dimensions),
    numbers: new TypedFastBitSet(),
    sample: createVectorSample(),
    sequence: 0,
    unsaved: 0,
    loaded: false,
  };
  let refreshing: Promise<void> | undefined;
  const readVectors = (numbers: number[]) => readChunkVectors(db, embedder.id, numbers);
  return {
    size: () => Promise.resolve(graph.index.size()),
    held: (numbers) => Promise.resolve(new Set(numbers.filter((number) => graph.numbers.has(number)))),
    search: (query, count, selection) => searchSelected(graph, query, count, selection),
    compare: async (queries, numbers) => compareAll(queries, await readVectors(numbers)),
    background: (query) => Promise.resolve(graph.sample.entries().map(({ vector }) => dot(vector, query))),
    sample: () => Promise.resolve(graph.sample.entries().map(({ number }) => number)),
    async pairs(numbers) {
      const vectors = await readVectors(numbers);
      return (a, b) => {
        const [left, right] = [vectors.get(a), vectors.get(b)];
        return left && right && dot(left, right);
      };
    },
    async refresh() {
      // A refresh in progress may already be past the vectors that the caller has stored, so wait for it and then refresh again. Searches that arrive
      // meanwhile wait for the same refresh.
      await refreshing;
      refreshing ??= addNewVectors(graph).finally(() => {
        refreshing = undefined;
      });
      await refreshing;
    },
    remove(numbers) {
      const deleted = new Set(numbers);
      for (const number of deleted) {
        graph.index.remove(BigInt(number));
        graph.numbers.remove(number);
      }
      graph.sample.remove(deleted);
    },
    async save() {
      await refreshing;
      await save(graph);
    },
    discard: () => removeIndex(file),
  };
}

const createEmptyIndex = (dimensions: number): Index =>
  new Index({
    dimensions,
    metric: MetricKind.Cos,
    quantization: ScalarKind.F16,
    connectivity: 16,
    expansion_add: 128,
    expansion_search: 96,
    multi: false,
  });

/** Loads the saved index, without chunks that were deleted since. */
async function load(graph: Graph): Promise<void> {
  const { db, workspaceId, embedder, file } = graph;
  graph.loaded = true;
  const saved = await readIndexDescription(file);
  // One that was saved before a copy of the catalog was restored holds other vectors under the same numbers.
  if (!saved || !(await isInHistory(db, saved.position))) return;
  const stored = await listEmbeddedChunkNumbers(db, workspaceId, embedder.id, saved.position.sequence);
  const held = new TypedFastBitSet(saved.numbers);
  const known = new TypedFastBitSet(stored);
  // It lacks chunks of the catalog: they were deleted before the index was saved, and a restored copy of the catalog has them.
  if (known.difference_size(held) > 0) return;
  graph.index = createEmptyIndex(embedder.dimensions);
  graph.index.load(file);
  graph.numbers = known;
  for (const number of held.difference(known)) graph.index.remove(BigInt(number));
  graph.sequence = saved.position.sequence;
  await graph.sample.fill(stored, (drawn) => readChunkVectors(db, embedder.id, drawn));
}

async function save(graph: Graph): Promise<void> {
  if (graph.unsaved === 0 || graph.index.size() < minSavedVectors) return;
  graph.unsaved = 0;
  const { timeline } = await readPosition(graph.db);
  const position = { timeline, sequence: graph.sequence };
  await saveIndex(graph.file, { position, numbers: graph.numbers.array() }, (target) => graph.index.save(target));
}

async function addNewVectors(graph: Graph): Promise<void> {
  if (!graph.loaded) await load(graph);
  const { db, workspaceId, embedder } = graph;
  for (;;) {
    const rows = await readVectorsAfter(db, workspaceId, embedder.id, graph.sequence, batchSize);
    addRows(graph, rows);
    if (rows.length < batchSize) {
      if (graph.unsaved >= Math.max(saveAfter.count, saveAfter.share * graph.index.size())) await save(graph);
      return;
    }
    await nextTurn();
  }
}

function addRows(graph: Graph, rows: StoredVector[]): void {
  if (rows.length === 0) return;
  const { dimensions } = graph.embedder;
  const matrix = new Float32Array(rows.length * dimensions);
  for (const [i, { vector }] of rows.entries()) matrix.set(vector, i * dimensions);
  graph.index.add(
    BigUint64Array.from(rows, ({ chunk_number }) => BigInt(chunk_number)),
    matrix,
  );
  for (const { chunk_number, vector, sequence } of rows) {
    graph.numbers.add(chunk_number);
    graph.sample.add(chunk_number, vector);
    graph.sequence = sequence;
  }
  graph.unsaved += rows.length;
}

/** Few selected chunks are compared one by one; for many, the nearest of the whole workspace are filtered until there are enough. */
async function searchSelected(
  graph: Graph,
  query: Float32Array,
  count: number,
  selection: ChunkSelection,
): Promise<Neighbor[]> {
  const { db, embedder, index } = graph;
  if (selection.numbers) {
    const [similarities = []] = compareAll([query], await readChunkVectors(db, embedder.id, selection.numbers));
    return similarities.toSorted((a, b) => b.similarity - a.similarity).slice(0, count);
  }
  const all = index.size();
  const first = selection.size >= all ? count : searchWindow(count, selection.size, all);
  for (let window = first; ; window *= 4) {
    const nearest = searchAll(index, query, window);
    const passing = new Set(await selection.filter(nearest.map(({ number }) => number)));
    if (passing.size < count && window < all) continue;
    return nearest.filter(({ number }) => passing.has(number)).slice(0, count);
  }
}

function searchAll(index: Index, query: Float32Array, count: number): Neighbor[] {
  const wanted = Math.min(count, index.size());
  if (wanted === 0) return [];
  const { keys, distances } = index.search(query, wanted, 1);
  return Array.from(keys, (key, i) => ({ number: Number(key), similarity: 1 - (distances[i] ?? 1) }));
}

const compareAll = (queries: Float32Array[], vectors: Map<number, Float32Array>): Neighbor[][] =>
  queries.map((query) => Array.from(vectors, ([number, vector]) => ({ number, similarity: dot(vector, query) })));
