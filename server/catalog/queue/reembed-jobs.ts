import type { ChunkEmbedding } from '@media-search/indexing/indexed-media';
import { removeUnusedVectors } from '../embedders.ts';
import { storeEmbeddings } from '../media/chunk-views.ts';
import type { Catalog } from '../schema.ts';
import { endJob, type Job } from './job-queue.ts';

/** A chunk to be re-embedded: its span in seconds. */
export type ReembedChunk = { number: number; start_time: number; end_time: number };

/** The chunks of a job's item, in order of time. */
export function listReembedChunks(db: Catalog, job: Job<'reembed'>): Promise<ReembedChunk[]> {
  return db
    .selectFrom('chunks')
    .where('workspace_id', '=', job.workspace_id)
    .where('media_id', '=', job.id)
    .orderBy('position')
    .select(['number', 'start_time', 'end_time'])
    .execute();
}

/**
 * Stores the vectors of an item's chunks and ends its job, all at once. They are vectors of the embedder that the job names: a worker may
 * have been started for another one.
 * @param embeddings one for each of `chunks`
 * @returns false, storing nothing, when the lease is lost
 */
export function completeReembedding(
  db: Catalog,
  job: Job<'reembed'>,
  chunks: ReembedChunk[],
  embeddings: ChunkEmbedding[],
): Promise<boolean> {
  return endJob(db, job, async (transaction) => {
    const embedderId = job.payload.embedder_id;
    const stored = chunks.map(({ number }, i) => ({
      ...(embeddings[i] as ChunkEmbedding),
      chunkNumber: number,
      embedderId,
    }));
    await storeEmbeddings(transaction, job.workspace_id, stored);
    await removeUnusedVectors(transaction, job);
  });
}
