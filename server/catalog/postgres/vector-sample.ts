import { sql, type SqlBool } from 'kysely';
import { notInTrash } from '../media/media-filter.ts';
import type { Catalog } from '../schema.ts';
import type { ChunkCounts, VectorSpace } from './near-chunks.ts';

/** Chunks that the background of a query is measured by, at most. */
export const sampleSize = 500;

/** A chunk of the sample and its item. */
export type SampledChunk = { number: number; media_id: string };

/**
 * The chunks with a vector that the background of a query is measured by: those whose numbers have the smallest hashes. So they are spread evenly over
 * all, each process takes the same, and a chunk that is added or deleted changes one of them at most. An index keeps them.
 */
export async function readSample(
  db: Catalog,
  { workspaceId, embedderId }: Pick<VectorSpace, 'workspaceId' | 'embedderId'>,
  { trashed }: ChunkCounts,
): Promise<SampledChunk[]> {
  const { rows } = await sql<SampledChunk>`
    select chunks.number, chunks.media_id from chunk_vectors
    join chunks on chunks.workspace_id = chunk_vectors.workspace_id and chunks.number = chunk_vectors.chunk_number
    where chunk_vectors.workspace_id = ${workspaceId} and chunk_vectors.embedder_id = ${embedderId}
      and ${trashed > 0 ? isLive : sql`true`}
    order by hashint8extended(chunk_vectors.chunk_number, 18) limit ${sql.lit(sampleSize)}
  `.execute(db);
  return rows;
}

const isLive = sql<SqlBool>`(select ${notInTrash} from media_items
  where media_items.workspace_id = chunks.workspace_id and media_items.id = chunks.media_id)`;
