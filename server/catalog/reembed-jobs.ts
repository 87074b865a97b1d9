import type { ChunkEmbedding } from '../indexing/indexed-media.ts';
import { storeEmbedding } from './chunk-views.ts';
import {
  type Claim,
  claimLease,
  type Lease,
  listLeasedJobs,
  maxAttempts,
  requeueJob,
  type ReleaseReason,
  deleteJob,
  renewLease,
} from './leases.ts';
import type { MediaRow } from './media-items.ts';
import type { Catalog } from './schema.ts';

/** An item whose chunks are to be embedded again. */
export type ReembedJob = MediaRow & Claim & { chunks: { number: number; start_time: number; end_time: number }[] };

/** Takes a free job for this worker. */
export function claimReembedJob(db: Catalog, worker: string): Promise<ReembedJob | undefined> {
  return db.transaction().execute(async (transaction) => {
    let claim = await claimLease(transaction, 'embedding_jobs', worker);
    for (; claim && claim.attempts > maxAttempts; claim = await claimLease(transaction, 'embedding_jobs', worker)) {
      await deleteJob(transaction, 'embedding_jobs', claim);
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
export const renewReembedLease = (db: Catalog, job: Lease): Promise<boolean> => renewLease(db, 'embedding_jobs', job);

/**
 * Stores an item's new vectors and ends its job, all at once.
 * @returns false, storing nothing, when the lease is lost
 */
export function completeReembedJob(
  db: Catalog,
  job: ReembedJob,
  embedderId: string,
  embeddings: ChunkEmbedding[],
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    if (!(await renewLease(transaction, 'embedding_jobs', job))) return false;
    for (const [i, { number }] of job.chunks.entries()) {
      const chunk = { workspaceId: job.workspace_id, number };
      await storeEmbedding(transaction, chunk, embedderId, embeddings[i] as ChunkEmbedding);
    }
    await deleteJob(transaction, 'embedding_jobs', job);
    return true;
  });
}

/**
 * Ends a job whose item cannot be embedded again: it is found by its texts only.
 * @returns false when the lease is lost
 */
export function abandonReembedJob(db: Catalog, job: Lease): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    if (!(await renewLease(transaction, 'embedding_jobs', job))) return false;
    await deleteJob(transaction, 'embedding_jobs', job);
    return true;
  });
}

/**
 * Puts a job back; one that was begun too often ends.
 * @returns false when the lease is lost
 */
export function releaseReembedJob(db: Catalog, job: Claim, reason: ReleaseReason): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    if (!(await renewLease(transaction, 'embedding_jobs', job))) return false;
    if (reason === 'broke off' && job.attempts >= maxAttempts) await deleteJob(transaction, 'embedding_jobs', job);
    else await requeueJob(transaction, 'embedding_jobs', job, reason);
    return true;
  });
}

/**
 * Takes jobs away from a worker that is gone.
 * @param worker the worker, or null for all
 */
export async function releaseReembedJobsOf(db: Catalog, worker: string | null, reason: ReleaseReason): Promise<void> {
  for (const job of await listLeasedJobs(db, 'embedding_jobs', worker)) await releaseReembedJob(db, job, reason);
}
