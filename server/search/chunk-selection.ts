import { LRUCache } from 'lru-cache';
import { type ChunkFilter, countFilteredChunks, listFilteredNumbers, passFilter } from '../catalog/chunks.ts';
import type { Catalog } from '../catalog/schema.ts';

/** The chunks of a workspace that a search may find. */
export type ChunkSelection = {
  /** How many they are, more or less. */
  size: number;
  /** All of them, where that takes less than going through the nearest of the whole workspace. */
  numbers: number[] | null;
  /** Those of some chunks that are selected. */
  among: (numbers: number[]) => Promise<number[]>;
};

/** Counting what a filter lets through takes a while, and the count only decides which way is quicker, so it may be this old. */
const countedForMs = 30_000;
const keptCounts = 500;

export function createChunkSelector(db: Catalog) {
  const counts = new LRUCache<string, number>({ max: keptCounts, ttl: countedForMs });

  async function countRoughly(workspaceId: string, filter: ChunkFilter): Promise<number> {
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
        const passing = new Set(await passFilter(db, workspaceId, unknown, filter));
        return numbers.filter((number) => known.has(number) || passing.has(number));
      };
      return { size: known.size(), numbers: null, among };
    }
    const size = await countRoughly(workspaceId, filter);
    if (size > Math.max(count, windowFor(count, size, known.size()))) {
      return { size, numbers: null, among: (numbers) => passFilter(db, workspaceId, numbers, filter) };
    }
    const numbers = await listFilteredNumbers(db, workspaceId, filter);
    const selected = new Set(numbers);
    const among = (some: number[]) => Promise.resolve(some.filter((number) => selected.has(number)));
    return { size, numbers, among };
  };
}

/** So many of the nearest of all hold `count` that are selected, as a rule: as large a share as of all chunks, and half as many again. */
export const windowFor = (count: number, selected: number, all: number): number =>
  Math.ceil((1.5 * count * all) / Math.max(1, selected));
