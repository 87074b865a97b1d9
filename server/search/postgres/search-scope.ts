import { once } from '@media-search/models/once';
import { findPassing, listPassing } from '../../catalog/postgres/chunk-scope.ts';
import {
  type ChunkScope,
  chooseScan,
  compareChunks,
  compareNewest,
  comparePassing,
  compareSome,
  estimateShare,
  isWhole,
  maxCompared,
  type NearQuery,
  searchIndex,
  type Similarities,
  type VectorSpace,
} from '../../catalog/postgres/near-chunks.ts';
import type { Catalog } from '../../catalog/schema.ts';
import type { Passing } from './search-passing.ts';

/**
 * The chunks among which one search looks. Its filter is asked as little as the answer allows: where few chunks pass (by the share of the sample's that
 * do), one statement reads all of them with their cosines, and the rest of the search asks nothing more. Where many pass, the index looks up whether
 * the nearest do, and texts whether their best do (`search-passing.ts`).
 */

/** Vectors that are compared one by one, and those where there is no index to find the nearest by. */
export type Limits = { compared: number; withoutIndex: number };

/** How much longer it takes to compare a vector that is looked up by its number than one that is read in the order of the table. */
const lookUpCost = 2.5;

const usualLimits: Limits = { compared: maxCompared, withoutIndex: 200_000 };

type Parts = {
  db: Catalog;
  space: VectorSpace;
  among: ChunkScope;
  /** A unit vector; null: nothing is compared. */
  query: Float32Array | null;
  signal?: AbortSignal | undefined;
  /** The share of the chunks that passes, 0..1, of the sample. */
  readShare: (estimate: (items: string[]) => Promise<number>) => Promise<number>;
  /** Whether there is an index of the vectors. */
  isIndexed: () => Promise<boolean>;
  limits?: Limits | undefined;
};

/** What one search knows of the chunks among which it looks. */
export class SearchScope {
  readonly #parts: Parts;
  readonly #limits: Limits;
  /** What is compared; null: nothing. */
  readonly #asked: NearQuery | null;
  /** Chunks of items that are not in the trash. */
  readonly #live: number;
  /** All that pass with their cosines, where they were read. */
  #all: Awaited<ReturnType<typeof comparePassing>> = null;
  #isCut = false;

  constructor(parts: Parts) {
    const { query, among, signal, limits = usualLimits } = parts;
    this.#parts = parts;
    this.#limits = limits;
    this.#asked = query && { query, among, signal };
    this.#live = Math.max(0, among.counts.all - among.counts.trashed);
  }

  /** Whether more chunks pass than were compared, of which there is no index. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** What texts ask; null: all chunks pass. Of items in the trash there are no texts. */
  get passing(): Passing | null {
    const { db, space, among } = this.#parts;
    if (isWhole(among)) return null;
    return {
      share: () => this.#share(),
      list: once(async () => {
        if (this.#all) return this.#all.passing;
        return (await this.#isFew()) ? listPassing(db, space.workspaceId, among, this.#mostOfFew) : null;
      }),
      find: (numbers) => findPassing(db, space.workspaceId, among, numbers),
    };
  }

  /** The chunks nearest to the query of those that pass, with their cosines. */
  async findNear(count: number): Promise<Similarities> {
    const asked = this.#asked;
    const { db, space, isIndexed } = this.#parts;
    if (!asked) return new Map();
    if (await this.#isFew()) this.#all ??= await comparePassing(db, space, asked, this.#mostOfFew);
    if (this.#all) return nearestOf(this.#all.similarities, count);
    const share = await this.#share();
    if (this.#isByIndex(share * this.#live) && (await isIndexed())) {
      const found = await searchIndex(db, space, asked, count, share);
      if (found.size === count) return found;
    }
    const { found, isCut } = await compareNewest(db, space, asked, count, this.#limits.withoutIndex);
    this.#isCut ||= isCut;
    return found;
  }

  /** The nearest of some chunks, as far as they pass. */
  async findNearAmong(count: number, numbers: number[]): Promise<Similarities> {
    const asked = this.#asked;
    const { db, space, isIndexed } = this.#parts;
    if (!asked) return new Map();
    if (this.#all) return nearestOf(pick(this.#all.similarities, numbers), count);
    if (this.#isByIndex(lookUpCost * numbers.length) && (await isIndexed())) {
      const share = (await this.#share()) * Math.min(1, numbers.length / this.#live);
      const found = await searchIndex(db, space, asked, count, share, numbers);
      if (found.size === count) return found;
    }
    return compareSome(db, space, asked, count, numbers);
  }

  /** The cosines of a unit vector and some chunks that pass; none for those without a vector. */
  async compare(vector: Float32Array, numbers: number[]): Promise<Similarities> {
    const { db, space, query, signal } = this.#parts;
    if (this.#all && vector === query) return pick(this.#all.similarities, numbers);
    return compareChunks(db, space, vector, numbers, signal);
  }

  /** About which share of the chunks passes. */
  readonly #share = once(async () => {
    const { db, space, among, readShare } = this.#parts;
    if (isWhole(among)) return 1;
    // So few are read in any case.
    if (among.mediaId !== undefined || this.#live <= this.#limits.compared) return 0;
    return readShare((items) => estimateShare(db, space.workspaceId, among, items));
  });

  #isByIndex(count: number): boolean {
    return chooseScan(count, this.#parts.space.dimensions, this.#limits.compared) === 'index';
  }

  /** Whether all that pass are read. */
  async #isFew(): Promise<boolean> {
    return !isWhole(this.#parts.among) && (await this.#share()) * this.#live <= this.#limits.compared;
  }

  /** The sample may be wrong by some. */
  get #mostOfFew(): number {
    return 2 * this.#limits.compared;
  }
}

/** Those of some chunks. */
function pick(similarities: Similarities, numbers: number[]): Similarities {
  const picked: Similarities = new Map();
  for (const number of numbers) {
    const similarity = similarities.get(number);
    if (similarity !== undefined) picked.set(number, similarity);
  }
  return picked;
}

/** The most similar ones, of equal ones the newest. */
function nearestOf(similarities: Similarities, count: number): Similarities {
  if (similarities.size <= count) return similarities;
  const sorted = Float64Array.from(similarities.values()).sort();
  const least = sorted[sorted.length - count] as number;
  const near: [number: number, similarity: number][] = [];
  for (const [number, similarity] of similarities) if (similarity >= least) near.push([number, similarity]);
  return new Map(near.sort(([a, one], [b, other]) => other - one || b - a).slice(0, count));
}
