import { type JoinBuilder, sql } from 'kysely';
import type { MediaFilter } from '../../../contract/filters.ts';
import { dialectOf } from '../dialect/dialect.ts';
import type { Catalog, Database } from '../schema.ts';
import { filteredChunks } from './chunks.ts';
import { readTrashVersion } from './trash.ts';

/** The vectors of chunks, by their numbers: by the index of workspaces SQLite would read all vectors of one. */
export const joinVectors = (db: Catalog) => (join: JoinBuilder<Database, 'chunks' | 'chunk_vectors'>) =>
  join
    .onRef('chunk_vectors.chunk_number', '=', 'chunks.number')
    .on(dialectOf(db).withoutIndex('chunk_vectors.workspace_id'), '=', sql.ref('chunks.workspace_id'));

/** The vectors of the chunks that pass a filter and are not blank, the newest first, at most `limit`. */
export async function readFilteredVectors(
  db: Catalog,
  workspaceId: string,
  embedderId: string,
  filter: MediaFilter,
  limit: number,
): Promise<{ number: number; vector: Float32Array }[]> {
  const { vectorBytes, withoutIndex, decodeVector } = dialectOf(db);
  const rows = await filteredChunks(db, workspaceId, filter)
    .innerJoin('chunk_vectors', joinVectors(db))
    .where('chunk_vectors.embedder_id', '=', embedderId)
    .where('chunks.blank', '=', 0)
    .select(['chunks.number', vectorBytes('chunk_vectors.vector').as('vector')])
    // Sorts only the filtered chunks; otherwise SQLite would read all vectors in this order.
    .orderBy(withoutIndex('chunk_vectors.sequence'), 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...row, vector: decodeVector(row.vector) }));
}

/**
 * A version of a workspace's vectors under an embedder: changes with each vector that is added or deleted, and with each item that moves into
 * the trash or out of it. `count` leaves out the trash.
 */
export type VectorVersion = { latest: number; count: number; moves: number };

export async function readVectorVersion(db: Catalog, workspaceId: string, embedderId: string): Promise<VectorVersion> {
  const row = await db
    .selectFrom('chunk_vectors')
    .select((e) => [e.fn.max('sequence').as('latest'), e.fn.countAll<number>().as('count')])
    .where('workspace_id', '=', workspaceId)
    .where('embedder_id', '=', embedderId)
    .executeTakeFirstOrThrow();
  const trash = await readTrashVersion(db, workspaceId);
  return { latest: row.latest ?? 0, count: Math.max(0, row.count - trash.chunks), moves: trash.moves };
}

/** How many vectors were stored after `sequence`. */
export async function countVectorsAfter(
  db: Catalog,
  workspaceId: string,
  embedderId: string,
  sequence: number,
): Promise<number> {
  const { count } = await db
    .selectFrom('chunk_vectors')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('workspace_id', '=', workspaceId)
    .where('embedder_id', '=', embedderId)
    .where('sequence', '>', sequence)
    .executeTakeFirstOrThrow();
  return count;
}

/** All chunks that pass a filter, have a vector and are not blank, with their positions in their items; the oldest first. */
export function listEmbeddedChunks(
  db: Catalog,
  workspaceId: string,
  embedderId: string,
  filter: MediaFilter,
): Promise<{ number: number; media_id: string; position: number }[]> {
  return filteredChunks(db, workspaceId, filter)
    .innerJoin('chunk_vectors', joinVectors(db))
    .where('chunk_vectors.embedder_id', '=', embedderId)
    .where('chunks.blank', '=', 0)
    .select(['chunks.number', 'chunks.media_id', 'chunks.position'])
    .orderBy('chunks.number')
    .execute();
}

/** The vectors of these chunks, by chunk number. */
export async function readChunkVectors(
  db: Catalog,
  workspaceId: string,
  embedderId: string,
  numbers: number[],
): Promise<Map<number, Float32Array>> {
  const { numbersIn, withoutIndex, vectorBytes, decodeVector } = dialectOf(db);
  const rows = await db
    .selectFrom('chunk_vectors')
    .select(['chunk_number', vectorBytes('vector').as('vector')])
    .where(withoutIndex('workspace_id'), '=', workspaceId)
    .where('embedder_id', '=', embedderId)
    .where('chunk_number', 'in', numbersIn(numbers))
    .execute();
  return new Map(rows.map((row) => [row.chunk_number, decodeVector(row.vector)]));
}

/** The vectors of an item's chunks, or of one of them. */
export async function readItemVectors(
  db: Catalog,
  workspaceId: string,
  embedderId: string,
  mediaId: string,
  chunkId: string | undefined,
): Promise<Float32Array[]> {
  const { vectorBytes, decodeVector } = dialectOf(db);
  let query = db
    .selectFrom('chunks')
    .innerJoin('chunk_vectors', joinVectors(db))
    .where('chunks.workspace_id', '=', workspaceId)
    .where('chunks.media_id', '=', mediaId)
    .where('chunk_vectors.embedder_id', '=', embedderId);
  if (chunkId !== undefined) query = query.where('chunks.id', '=', chunkId);
  const rows = await query.select(vectorBytes('chunk_vectors.vector').as('vector')).execute();
  return rows.map(({ vector }) => decodeVector(vector));
}
