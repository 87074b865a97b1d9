import { LRUCache } from 'lru-cache';
import {
  type ChunkFilter,
  countFilteredChunks,
  listFilteredChunkNumbers,
  filterChunkNumbers,
} from '../catalog/chunks.ts';
import type { Catalog } from '../catalog/schema.ts';

/** The chunks of a workspace that a search may find. */
export type ChunkSelection = {
  /** How many they are, more or less. */
  size: number;
  /** All of them, where that takes less than going through the nearest of the whole workspace. */
  numbers: number[] | null;
  /** Those of some chunks that are selected. */
  filter: (numbers: number[]) => Promise<number[]>;
};

/** Counting what a filter lets through takes a while, and the count only decides which way is quicker, so it may be this old. */
const countTtlMs = 30_000;
const maxCounts = 500;

export function createChunkSelector(db: Catalog) {
  const counts = new LRUCache<string, number>({ max: maxCounts, ttl: countTtlMs });

  async function estimateCount(workspaceId: string, filter: ChunkFilter): Promise<number> {
    const key = JSON.stringify([workspaceId, filter.creator_id, filter.category_id, filter.type]);
    const known = counts.get(key);
    if (known !== undefined) return known;
    const count = await countFilteredChunks(db, workspaceId, filter);
    counts.set(key, count);
    return count;
  }

  /**
   * The chunks that a filter lets through.
   * @param count how many are to be found among them
   * @param known what the workspace is known to hold, so that the catalog need not be asked about each chunk; hits are read from it
   * anyway
   */
  return async function selectChunks(
    workspaceId: string,
    filter: ChunkFilter,
    count: number,
    known: { size: () => number; has: (number: number) => boolean },
  ): Promise<ChunkSelection> {
    if (!filter.creator_id && !filter.category_id && !filter.type) {
      const among = async (numbers: number[]) => {
        const unknown = numbers.filter((number) => !known.has(number));
        if (unknown.length === 0) return numbers;
        const passing = new Set(await filterChunkNumbers(db, workspaceId, unknown, filter));
        return numbers.filter((number) => known.has(number) || passing.has(number));
      };
      return { size: known.size(), numbers: null, filter: among };
    }
    const size = await estimateCount(workspaceId, filter);
    if (size > Math.max(count, searchWindow(count, size, known.size()))) {
      return { size, numbers: null, filter: (numbers) => filterChunkNumbers(db, workspaceId, numbers, filter) };
    }
    const numbers = await listFilteredChunkNumbers(db, workspaceId, filter);
    const selected = new Set(numbers);
    const among = (some: number[]) => Promise.resolve(some.filter((number) => selected.has(number)));
    return { size, numbers, filter: among };
  };
}

/** So many of the nearest of all hold `count` that are selected, as a rule: as large a share as of all chunks, and half as many again. */
export const searchWindow = (count: number, selected: number, all: number): number =>
  Math.ceil((1.5 * count * all) / Math.max(1, selected));
