import { randomUUIDv7 } from 'node:crypto';
import type { IndexingStage } from '../../contract/media.ts';
import type { IndexedMedia } from '../indexing/indexed-media.ts';
import { storeEmbedding } from './chunk-views.ts';
import { enqueueReembedIfNeeded } from './embedders.ts';
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
import { describeQuotaViolation, type QuotaViolation, findDurationQuotaViolation } from './quota.ts';
import type { Catalog } from './schema.ts';

export type ClaimedJob = MediaRow & Claim;

/** Takes the oldest free job for this worker and puts its item in status `indexing`. */
export function claimJob(db: Catalog, worker: string): Promise<ClaimedJob | undefined> {
  return db.transaction().execute(async (transaction) => {
    for (;;) {
      const claim = await claimLease(transaction, 'jobs', worker);
      if (!claim) return undefined;
      if (claim.attempts <= maxAttempts) {
        const media = await transaction
          .updateTable('media_items')
          .set({ status: 'indexing', updated_at: new Date().toISOString() })
          .where('workspace_id', '=', claim.workspace_id)
          .where('id', '=', claim.id)
          .returningAll()
          .executeTakeFirstOrThrow();
        return { ...media, ...claim };
      }
      await abandonIndexing(transaction, claim, attemptsExhaustedError);
    }
  });
}

/**
 * Renews the lease and notes how far the job has come; a fraction lower than the stored one (a second attempt) is not shown.
 * @returns false when the lease is lost
 */
export function reportProgress(db: Catalog, job: Lease, stage: IndexingStage, fraction: number): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    if (!(await renewLease(transaction, 'jobs', job))) return false;
    await transaction
      .updateTable('media_items')
      .set({ stage, fraction, updated_at: new Date().toISOString() })
      .where('workspace_id', '=', job.workspace_id)
      .where('id', '=', job.id)
      .where('fraction', '<=', fraction)
      .execute();
    return true;
  });
}

/**
 * Stores what indexing found and completes the item, all at once: from this commit on every search finds it, and the renditions of
 * this attempt are the item's. When the plan has no room for its seconds the item ends in `error` instead.
 * @returns what became of the item; `lost`: nothing, as the lease is lost
 */
export function completeJob(
  db: Catalog,
  job: ClaimedJob,
  indexed: IndexedMedia,
): Promise<'complete' | 'over quota' | 'lost'> {
  return db.transaction().execute(async (transaction) => {
    if (!(await renewLease(transaction, 'jobs', job))) return 'lost';
    const violation = await findDurationQuotaViolation(transaction, job.workspace_id, indexed.duration ?? 0);
    if (violation) {
      await abandonIndexing(transaction, job, quotaExceededError(violation));
      return 'over quota';
    }
    await replaceChunks(transaction, job, indexed);
    await transaction
      .updateTable('media_items')
      .set({ status: 'complete', stage: null, fraction: null, ...toIndexedColumns(indexed, job.token) })
      .where('workspace_id', '=', job.workspace_id)
      .where('id', '=', job.id)
      .execute();
    await deleteJob(transaction, 'jobs', job);
    await enqueueReembedIfNeeded(transaction, job);
    return 'complete';
  });
}

/**
 * What an item's row says of what indexing found.
 * @param token which names the folder of the renditions
 */
export function toIndexedColumns(indexed: IndexedMedia, token: number) {
  const now = new Date().toISOString();
  return {
    type: indexed.type,
    mime_type: indexed.mimeType,
    duration: indexed.duration,
    width: indexed.width,
    height: indexed.height,
    chunk_count: indexed.chunks.length,
    poster_file: indexed.poster,
    placeholder: indexed.placeholder,
    rendition_file: indexed.rendition?.file ?? null,
    rendition_mime_type: indexed.rendition?.mimeType ?? null,
    renditions_token: token,
    warning_code: indexed.warning?.code ?? null,
    warning_message: indexed.warning?.message ?? null,
    updated_at: now,
    indexed_at: now,
  };
}

/** Stores the chunks of an item in the place of those that it has. */
export async function replaceChunks(db: Catalog, media: MediaRow, indexed: IndexedMedia): Promise<void> {
  await db
    .deleteFrom('chunks')
    .where('workspace_id', '=', media.workspace_id)
    .where('media_id', '=', media.id)
    .execute();
  for (const [position, chunk] of indexed.chunks.entries()) {
    const { number } = await db
      .insertInto('chunks')
      .values({
        workspace_id: media.workspace_id,
        id: randomUUIDv7(),
        media_id: media.id,
        position,
        start_time: chunk.start,
        end_time: chunk.end,
        thumbnail_file: chunk.thumbnail,
        text: chunk.text,
        blank: chunk.blank ? 1 : 0,
      })
      .returning('number')
      .executeTakeFirstOrThrow();
    for (const { embedderId, ...embedding } of chunk.embeddings) {
      await storeEmbedding(db, { workspaceId: media.workspace_id, number }, embedderId, embedding);
    }
    await db
      .insertInto('chunk_texts')
      .values({
        rowid: number,
        text: chunk.text ?? '',
        filename: splitFilenameIntoWords(media.filename),
        tags: indexed.tags,
      })
      .execute();
  }
}

/** A file name as words: split at letter case, digits and separators, so that "RedCar_02.mp4" is found by "red car". */
export function splitFilenameIntoWords(filename: string): string {
  return filename
    .replace(/\.[^.]*$/, '')
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{L})(\p{N})|(\p{N})(\p{L})/gu, '$1$3 $2$4')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** The error of an item that the plan has no room for. */
export const quotaExceededError = (violation: QuotaViolation): { code: string; message: string } => ({
  code: 'quota_exceeded',
  message: `${describeQuotaViolation(violation).message} Delete something or get a larger plan, then try this one again.`,
});

/** An item whose attempts all broke off. */
const attemptsExhaustedError = {
  code: 'indexing_failed',
  message: `Indexing broke off ${maxAttempts} times. The file may be damaged: play it, export it again and upload that.`,
};

/**
 * Ends a job whose file cannot be indexed, with the reason the uploader sees.
 * @returns false, storing nothing, when the lease is lost
 */
export function failJob(db: Catalog, job: Lease, error: { code: string; message: string }): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    if (!(await renewLease(transaction, 'jobs', job))) return false;
    await abandonIndexing(transaction, job, error);
    return true;
  });
}

async function abandonIndexing(
  db: Catalog,
  job: Pick<Lease, 'workspace_id' | 'id'>,
  error: { code: string; message: string },
): Promise<void> {
  await db
    .updateTable('media_items')
    .set({
      status: 'error',
      stage: null,
      fraction: null,
      error_code: error.code,
      error_message: error.message,
      updated_at: new Date().toISOString(),
    })
    .where('workspace_id', '=', job.workspace_id)
    .where('id', '=', job.id)
    .execute();
  await deleteJob(db, 'jobs', job);
}

/**
 * Puts a job back and its item to `pending`; one that was begun too often ends in `error`.
 * @returns false, storing nothing, when the lease is lost
 */
export function releaseJob(db: Catalog, job: Claim, reason: ReleaseReason): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    if (!(await renewLease(transaction, 'jobs', job))) return false;
    if (reason === 'broke off' && job.attempts >= maxAttempts) {
      await abandonIndexing(transaction, job, attemptsExhaustedError);
      return true;
    }
    await requeueJob(transaction, 'jobs', job, reason);
    await transaction
      .updateTable('media_items')
      .set({ status: 'pending', stage: 'queued', updated_at: new Date().toISOString() })
      .where('workspace_id', '=', job.workspace_id)
      .where('id', '=', job.id)
      .execute();
    return true;
  });
}

/**
 * Takes jobs away from a worker that is gone.
 * @param worker the worker, or null for all: at the start of the service nobody holds a job rightfully
 */
export async function releaseJobsOf(db: Catalog, worker: string | null, reason: ReleaseReason): Promise<void> {
  for (const job of await listLeasedJobs(db, 'jobs', worker)) await releaseJob(db, job, reason);
}
