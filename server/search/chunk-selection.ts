import { LRUCache } from 'lru-cache';
import type { MediaFilter } from '../../contract/filters.ts';
import { countFilteredChunks, filterChunkNumbers, listFilteredChunkNumbers } from '../catalog/chunks.ts';
import { filterKey, isUnfiltered } from '../catalog/media-filter.ts';
import type { Catalog } from '../catalog/schema.ts';

/** The chunks of a workspace that a search may find. */
export type ChunkSelection = {
  /** How many they are, approximately. */
  size: number;
  /** All of them, if comparing each takes less time than filtering the nearest of the whole workspace; else null. */
  numbers: number[] | null;
  /** Those of some chunks that are selected. */
  filter: (numbers: number[]) => Promise<number[]>;
};

/** The part of the vector index that a selection uses. */
type Index = { size(): Promise<number>; held(numbers: number[]): Promise<Set<number>> };

export type ChunkSelector = ReturnType<typeof createChunkSelector>;

/** Counting the chunks that pass a filter is slow. The count only decides which method is faster, so it may be this old. */
const countTtlMs = 30_000;
const maxCounts = 500;

export function createChunkSelector(db: Catalog) {
  const counts = new LRUCache<string, number>({ max: maxCounts, ttl: countTtlMs });

  async function estimateCount(workspaceId: string, filter: MediaFilter): Promise<number> {
    const key = JSON.stringify([workspaceId, filterKey(filter)]);
    const known = counts.get(key);
    if (known !== undefined) return known;
    const count = await countFilteredChunks(db, workspaceId, filter);
    counts.set(key, count);
    return count;
  }

  /**
   * The chunks that pass a filter.
   * @param count how many the search wants
   */
  return async function selectChunks(
    workspaceId: string,
    filter: MediaFilter,
    count: number,
    index: Index,
  ): Promise<ChunkSelection> {
    const all = await index.size();
    if (isUnfiltered(filter)) {
      return { size: all, numbers: null, filter: (numbers) => keepOwn(db, workspaceId, index, numbers) };
    }
    const size = await estimateCount(workspaceId, filter);
    if (size > Math.max(count, searchWindow(count, size, all))) {
      return { size, numbers: null, filter: (numbers) => filterChunkNumbers(db, workspaceId, numbers, filter) };
    }
    const numbers = await listFilteredChunkNumbers(db, workspaceId, filter);
    const selected = new Set(numbers);
    return { size, numbers, filter: (some) => Promise.resolve(some.filter((number) => selected.has(number))) };
  };
}

/**
 * Those of some chunks that belong to a workspace. What its vector index holds does, so the catalog is asked only about the others. Hits
 * are read from the catalog anyway.
 */
async function keepOwn(db: Catalog, workspaceId: string, index: Index, numbers: number[]): Promise<number[]> {
  const held = await index.held(numbers);
  const others = numbers.filter((number) => !held.has(number));
  if (others.length === 0) return numbers;
  const own = new Set(await filterChunkNumbers(db, workspaceId, others, {}));
  return numbers.filter((number) => held.has(number) || own.has(number));
}

/**
 * How many of the nearest of all chunks hold `count` selected ones, as a rule: that many for the share of chunks that is selected, and
 * half as many again.
 */
export const searchWindow = (count: number, selected: number, all: number): number =>
  Math.ceil((1.5 * count * all) / Math.max(1, selected));
