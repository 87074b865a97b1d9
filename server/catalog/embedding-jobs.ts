import type { ChunkEmbedding } from '../indexing/indexed-media.ts';
import { storeEmbedding } from './chunk-views.ts';
import {
  type Claim,
  claimLease,
  type Lease,
  listHeldJobs,
  maxAttempts,
  putBack,
  type PutBackReason,
  removeJob,
  renewLease,
} from './leases.ts';
import type { MediaRow } from './media-items.ts';
import type { Catalog } from './schema.ts';

/** An item whose chunks are to be embedded again. */
export type EmbeddingJob = MediaRow & Claim & { chunks: { number: number; start_time: number; end_time: number }[] };

/** Takes a free job for this worker. */
export function claimEmbeddingJob(db: Catalog, worker: string): Promise<EmbeddingJob | undefined> {
  return db.transaction().execute(async (transaction) => {
    let claim = await claimLease(transaction, 'embedding_jobs', worker);
    for (; claim && claim.attempts > maxAttempts; claim = await claimLease(transaction, 'embedding_jobs', worker)) {
      await removeJob(transaction, 'embedding_jobs', claim);
    }
    if (!claim) return undefined;
    const media = await transaction
      .selectFrom('media_items')
      .selectAll()
      .where('workspace_id', '=', claim.workspace_id)
      .where('id', '=', claim.id)
      .executeTakeFirstOrThrow();
    const chunks = await transaction
      .selectFrom('chunks')
      .where('workspace_id', '=', claim.workspace_id)
      .where('media_id', '=', claim.id)
      .orderBy('position')
      .select(['number', 'start_time', 'end_time'])
      .execute();
    return { ...media, ...claim, chunks };
  });
}

/** Keeps a job. @returns false when the lease is lost: the item was deleted, or another embedder is wanted now */
export const renewEmbeddingLease = (db: Catalog, job: Lease): Promise<boolean> => renewLease(db, 'embedding_jobs', job);

/**
 * Stores an item's new vectors and ends its job, all at once.
 * @returns false, storing nothing, when the lease is lost
 */
export function completeEmbedding(
  db: Catalog,
  job: EmbeddingJob,
  embedderId: string,
  embeddings: ChunkEmbedding[],
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    if (!(await renewLease(transaction, 'embedding_jobs', job))) return false;
    for (const [i, { number }] of job.chunks.entries()) {
      const chunk = { workspaceId: job.workspace_id, number };
      await storeEmbedding(transaction, chunk, embedderId, embeddings[i] as ChunkEmbedding);
    }
    await removeJob(transaction, 'embedding_jobs', job);
    return true;
  });
}

/**
 * Ends a job whose item cannot be embedded again: it is found by its texts only.
 * @returns false when the lease is lost
 */
export function endEmbedding(db: Catalog, job: Lease): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    if (!(await renewLease(transaction, 'embedding_jobs', job))) return false;
    await removeJob(transaction, 'embedding_jobs', job);
    return true;
  });
}

/**
 * Puts a job back; one that was begun too often ends.
 * @returns false when the lease is lost
 */
export function releaseEmbeddingJob(db: Catalog, job: Claim, reason: PutBackReason): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    if (!(await renewLease(transaction, 'embedding_jobs', job))) return false;
    if (reason === 'broke off' && job.attempts >= maxAttempts) await removeJob(transaction, 'embedding_jobs', job);
    else await putBack(transaction, 'embedding_jobs', job, reason);
    return true;
  });
}

/**
 * Takes jobs away from a worker that is gone.
 * @param worker the worker, or null for all
 */
export async function releaseEmbeddingJobsOf(db: Catalog, worker: string | null, reason: PutBackReason): Promise<void> {
  for (const job of await listHeldJobs(db, 'embedding_jobs', worker)) await releaseEmbeddingJob(db, job, reason);
}
