import { sql } from 'kysely';
import { packIntegers } from '../dialect/binary-arrays.ts';
import type { Catalog } from '../schema.ts';

/** A chunk by its number, with its item and its span in it, seconds. */
type ChunkSpan = { number: number; media_id: string; start_time: number; end_time: number };

/** Some chunks of a workspace, and those of their items that end at most so many seconds before one of them begins, or begin so many after it ends. */
export async function findChunksAround(
  db: Catalog,
  workspaceId: string,
  numbers: number[],
  seconds: number,
): Promise<ChunkSpan[]> {
  if (numbers.length === 0) return [];
  const { rows } = await sql<ChunkSpan>`
    select distinct other.number, other.media_id, other.start_time, other.end_time
    from unnest(${packIntegers(numbers)}::bigint[]) wanted (number)
    join chunks own on own.workspace_id = ${workspaceId} and own.number = wanted.number
    join chunks other on other.workspace_id = ${workspaceId} and other.media_id = own.media_id
      and other.end_time >= own.start_time - ${seconds} and other.start_time <= own.end_time + ${seconds}`.execute(db);
  return rows;
}
