import type { ChunkEmbedding } from '../indexing/indexed-media.ts';
import { storeEmbedding } from './chunk-views.ts';
import { maxAttempts } from './jobs.ts';
import { leaseEnd } from './leases.ts';
import type { MediaRow } from './media-items.ts';
import type { Catalog } from './schema.ts';

export type EmbeddingJob = { media: MediaRow; chunks: { number: number; start_time: number; end_time: number }[] };

/** Takes a free job for this worker: an item whose chunks are to be embedded anew. */
export function claimEmbeddingJob(db: Catalog, worker: string): Promise<EmbeddingJob | undefined> {
  return db.transaction().execute(async (transaction) => {
    const now = new Date().toISOString();
    const job = await transaction
      .selectFrom('embedding_jobs')
      .selectAll()
      .where((e) => e.or([e('lease_until', 'is', null), e('lease_until', '<', now)]))
      .orderBy('media_id')
      .limit(1)
      .executeTakeFirst();
    if (!job) return undefined;
    await transaction
      .updateTable('embedding_jobs')
      .set({ attempts: job.attempts + 1, lease_owner: worker, lease_until: leaseEnd() })
      .where('workspace_id', '=', job.workspace_id)
      .where('media_id', '=', job.media_id)
      .execute();
    const media = await transaction
      .selectFrom('media_items')
      .selectAll()
      .where('workspace_id', '=', job.workspace_id)
      .where('id', '=', job.media_id)
      .executeTakeFirstOrThrow();
    const chunks = await transaction
      .selectFrom('chunks')
      .where('workspace_id', '=', job.workspace_id)
      .where('media_id', '=', job.media_id)
      .orderBy('position')
      .select(['number', 'start_time', 'end_time'])
      .execute();
    return { media, chunks };
  });
}

/** Keeps a job. @returns false when it is no longer this worker's: its item was deleted, or another embedder is wanted now */
export async function renewEmbeddingLease(db: Catalog, worker: string, media: MediaRow): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('embedding_jobs')
    .set({ lease_until: leaseEnd() })
    .where('workspace_id', '=', media.workspace_id)
    .where('media_id', '=', media.id)
    .where('lease_owner', '=', worker)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/**
 * Stores an item's new vectors and ends its job, all at once.
 * @returns false, storing nothing, when the job is no longer this worker's
 */
export function completeEmbedding(
  db: Catalog,
  worker: string,
  { media, chunks }: EmbeddingJob,
  embedderId: string,
  embeddings: ChunkEmbedding[],
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    if (!(await renewEmbeddingLease(transaction, worker, media))) return false;
    for (const [i, { number }] of chunks.entries()) {
      const chunk = { workspaceId: media.workspace_id, number };
      await storeEmbedding(transaction, chunk, embedderId, embeddings[i] as ChunkEmbedding);
    }
    await endEmbedding(transaction, media);
    return true;
  });
}

/** Ends a job whose item cannot be embedded anew: it is found by its texts only. */
export async function endEmbedding(db: Catalog, media: MediaRow): Promise<void> {
  await db
    .deleteFrom('embedding_jobs')
    .where('workspace_id', '=', media.workspace_id)
    .where('media_id', '=', media.id)
    .execute();
}

/**
 * Takes jobs away from a worker that is gone; those begun too often end.
 * @param worker the worker, or null for all
 * @param counted whether the broken-off attempt counts
 */
export async function releaseEmbeddingJobs(db: Catalog, worker: string | null, counted: boolean): Promise<void> {
  const held = () => {
    const all = db.updateTable('embedding_jobs').where('lease_owner', 'is not', null);
    return worker === null ? all : all.where('lease_owner', '=', worker);
  };
  await db
    .deleteFrom('embedding_jobs')
    .where('lease_owner', 'is not', null)
    .$if(worker !== null, (query) => query.where('lease_owner', '=', worker))
    .where('attempts', '>=', counted ? maxAttempts : maxAttempts + 1)
    .execute();
  await held()
    .set(({ eb }) => ({
      lease_owner: null,
      lease_until: null,
      ...(counted ? {} : { attempts: eb('attempts', '-', 1) }),
    }))
    .execute();
}
