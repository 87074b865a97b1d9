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
  searchIndex,
  type Similarities,
  type VectorSpace,
} from '../../catalog/postgres/near-chunks.ts';
import type { Catalog } from '../../catalog/schema.ts';
import type { Passing } from './search-passing.ts';

/**
 * The chunks among which one search looks. Its filter is asked as little as the answer allows: where few chunks pass (by the share of the sample's that
 * do), one statement reads all of them with their cosines, and the rest of the search asks nothing more. Where many pass, the index looks up whether
 * the nearest do, and texts whether their best do (`verdicts.ts`).
 */

/** Chunks of many, whose nearest are wanted; and those that are known to pass, whose cosines are wanted as well. */
export type Among = { numbers: number[]; more: number[] };

/** Vectors that are compared one by one, and those where there is no index to find the nearest by. */
export type Limits = { compared: number; withoutIndex: number };

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
  limits?: Limits;
};

export type SearchScope = ReturnType<typeof createSearchScope>;

/** What one search knows of the chunks among which it looks. */
export function createSearchScope({
  db,
  space,
  among,
  query,
  signal,
  readShare,
  isIndexed,
  limits = usualLimits,
}: Parts) {
  const most = limits.compared;
  const asked = query && { query, among, signal };
  const live = Math.max(0, among.counts.all - among.counts.trashed);
  /** All that pass with their cosines, where they were read. */
  let all: Awaited<ReturnType<typeof comparePassing>> = null;
  /** Chunks whose cosines were asked for. */
  const compared = new Set<number>();
  let isCut = false;

  /** About which share passes. */
  const share = once(async () => {
    if (isWhole(among)) return 1;
    if (among.mediaId !== undefined || live <= most) return 0;
    return readShare((items) => estimateShare(db, space.workspaceId, among, items));
  });
  const isFew = async (): Promise<boolean> =>
    !isWhole(among) && chooseScan((await share()) * live, space.dimensions, most) === 'exact';

  async function findNearest(count: number): Promise<Similarities> {
    if (!asked) return new Map();
    // The sample may be wrong by some.
    if (await isFew()) all ??= await comparePassing(db, space, asked, 2 * most);
    if (all) return nearestOf(all.similarities, count);
    if (chooseScan((await share()) * live, space.dimensions, most) === 'index' && (await isIndexed())) {
      const found = await searchIndex(db, space, asked, count, await share());
      if (found.size === count) return found;
    }
    const { found, isCut: wasCut } = await compareNewest(db, space, asked, count, limits.withoutIndex);
    isCut ||= wasCut;
    return found;
  }

  async function findAmong(count: number, { numbers, more }: Among): Promise<Similarities> {
    if (!asked) return new Map();
    if (all) return nearestOf(pick(all.similarities, numbers), count);
    if (chooseScan(numbers.length, space.dimensions, most) === 'index' && (await isIndexed())) {
      const found = await searchIndex(
        db,
        space,
        asked,
        count,
        (await share()) * Math.min(1, numbers.length / live),
        numbers,
      );
      if (found.size === count) return found;
    }
    for (const number of more) compared.add(number);
    return compareSome(db, space, asked, count, { numbers, more });
  }

  return {
    /** Whether more chunks pass than were compared, of which there is no index. */
    get isCut(): boolean {
      return isCut;
    },

    /** The chunks nearest to the query of those that pass, with their cosines; of some, also the cosines of some more. */
    findNear: (count: number, some?: Among): Promise<Similarities> =>
      some ? findAmong(count, some) : findNearest(count),

    /** The cosines of a unit vector and some chunks that pass; none for those without a vector. */
    async compare(vector: Float32Array, numbers: number[]): Promise<Similarities> {
      if (vector !== query) return compareChunks(db, space, vector, numbers, signal);
      if (all) return pick(all.similarities, numbers);
      // One that was asked for and is unknown has no vector.
      const missing = numbers.filter((number) => !compared.has(number));
      return compareChunks(db, space, vector, missing, signal);
    },

    /** What texts ask; null: all chunks pass. Of items in the trash there are no texts. */
    passing: (isWhole(among)
      ? null
      : {
          share,
          /** All that pass, where they are few; null where they are many. */
          list: once(async (): Promise<{ has(number: number): boolean } | null> => {
            if (all) return all.passing;
            return (await isFew()) ? listPassing(db, space.workspaceId, among, 2 * most) : null;
          }),
          /** Those of some chunks that pass. */
          find: (numbers: ArrayLike<number>) => findPassing(db, space.workspaceId, among, numbers),
        }) satisfies Passing | null,
  };
}

const pick = (similarities: Similarities, numbers: number[]): Similarities =>
  new Map(
    numbers.flatMap((number) => (similarities.has(number) ? [[number, similarities.get(number) as number]] : [])),
  );

/** The most similar ones, of equal ones the newest. */
function nearestOf(similarities: Similarities, count: number): Similarities {
  if (similarities.size <= count) return similarities;
  const sorted = Float64Array.from(similarities.values()).sort();
  const least = sorted[sorted.length - count] as number;
  const near = [...similarities].filter(([, similarity]) => similarity >= least);
  return new Map(near.toSorted(([a, near], [b, other]) => other - near || b - a).slice(0, count));
}
