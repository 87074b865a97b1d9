import type { ChunkSelection } from './chunk-selection.ts';

/** A chunk and its similarity to a query: the cosine, -1..1 but for rounding. */
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
  /** Similarities of a query to up to 500 chunks drawn at random: what a workspace looks like to it on average. */
  background(query: Float32Array): Promise<number[]>;
  /** The numbers of the chunks drawn at random. */
  sample(): Promise<number[]>;
  /** Compares some chunks with each other. */
  pairs(numbers: number[]): Promise<PairSimilarity>;
};

/** A vector index together with what keeps it up to date with the catalog. */
export type ManagedVectorIndex = VectorIndex & {
  /** Adds what the catalog holds and the index does not. */
  refresh(): Promise<void>;
  /** Drops deleted chunks. Chunks that it does not hold are ignored. */
  remove(numbers: number[]): void;
  /** Writes to disk what is not there yet. */
  save(): Promise<void>;
  /** Removes what is on disk: another embedder answers now. */
  discard(): Promise<void>;
};

/** Makes the vector index of a workspace under an embedder. */
export type OpenVectorIndex = (workspaceId: string, embedder: { id: string; dimensions: number }) => ManagedVectorIndex;
