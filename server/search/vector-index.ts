import type { ChunkSelection } from './chunk-selection.ts';

/** A chunk and its similarity to a query: the cosine, -1..1 except for rounding. */
export type Neighbor = { number: number; similarity: number };

/** The cosine of two chunks, or undefined when one of them has no vector. */
export type PairSimilarity = (a: number, b: number) => number | undefined;

/**
 * The vectors of a workspace's chunks under one embedder, as a search needs them. Queries are unit vectors of that embedder. All methods
 * are asynchronous, so that an index may live in another thread or in a database.
 */
export type VectorIndex = {
  /** How many chunks it holds. */
  size(): Promise<number>;
  /** Those of some chunks that it holds. */
  held(numbers: number[]): Promise<Set<number>>;
  /** The `count` nearest of the selected chunks, the nearest first; all of them when there are fewer. */
  search(query: Float32Array, count: number, selection: ChunkSelection): Promise<Neighbor[]>;
  /** For each query its exact similarities to some chunks. Chunks without a vector are left out. */
  compare(queries: Float32Array[], numbers: number[]): Promise<Neighbor[][]>;
  /** Similarities of a query to up to 500 chunks drawn at random: the background of the query in a workspace. */
  background(query: Float32Array): Promise<number[]>;
  /** The numbers of the chunks drawn at random. */
  sample(): Promise<number[]>;
  /** Compares some chunks with each other. */
  pairs(numbers: number[]): Promise<PairSimilarity>;
};

/** A vector index that can be updated from the catalog. */
export type ManagedVectorIndex = VectorIndex & {
  /** Adds the vectors of the catalog that the index lacks. */
  refresh(): Promise<void>;
  /** Drops deleted chunks. Unknown chunks are ignored. */
  remove(numbers: number[]): void;
  /** Saves unsaved changes to disk. */
  save(): Promise<void>;
  /** Removes its files: another embedder is active now. */
  discard(): Promise<void>;
};

/** Creates the vector index of a workspace under an embedder. */
export type OpenVectorIndex = (workspaceId: string, embedder: { id: string; dimensions: number }) => ManagedVectorIndex;
