import { randomUUIDv7 } from 'node:crypto';
import type { IndexingStage } from '../../contract/media.ts';
import type { IndexedMedia } from '../indexing/indexed-media.ts';
import { storeEmbedding } from './chunk-views.ts';
import { leaseEnd } from './leases.ts';
import type { MediaRow } from './media-items.ts';
import { describeExcess, type Excess, findDurationExcess } from './quota.ts';
import type { Catalog } from './schema.ts';

/** A job that was begun this often and never came to an end is given up. */
export const maxAttempts = 3;
export type ClaimedJob = MediaRow & { attempts: number };

/** Takes the oldest free job for this worker and puts its item in status `indexing`. */
export function claimJob(db: Catalog, worker: string): Promise<ClaimedJob | undefined> {
  return db.transaction().execute(async (transaction) => {
    const now = new Date().toISOString();
    const job = await transaction
      .selectFrom('jobs')
      .selectAll()
      .where((e) => e.or([e('lease_until', 'is', null), e('lease_until', '<', now)]))
      .orderBy('created_at')
      .limit(1)
      .executeTakeFirst();
    if (!job) return undefined;
    const attempts = job.attempts + 1;
    await transaction
      .updateTable('jobs')
      .set({ attempts, lease_owner: worker, lease_until: leaseEnd() })
      .where('workspace_id', '=', job.workspace_id)
      .where('media_id', '=', job.media_id)
      .execute();
    const media = await transaction
      .updateTable('media_items')
      .set({ status: 'indexing', updated_at: now })
      .where('workspace_id', '=', job.workspace_id)
      .where('id', '=', job.media_id)
      .returningAll()
      .executeTakeFirstOrThrow();
    return { ...media, attempts };
  });
}

/**
 * Renews the lease and notes how far the job has come; a fraction lower than the stored one (a second attempt) is not shown.
 * @returns false when the job is no longer this worker's: the item was deleted, or somebody else took it
 */
export function reportProgress(
  db: Catalog,
  worker: string,
  media: MediaRow,
  stage: IndexingStage,
  fraction: number,
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    if (!(await renewLease(transaction, worker, media))) return false;
    await transaction
      .updateTable('media_items')
      .set({ stage, fraction, updated_at: new Date().toISOString() })
      .where('workspace_id', '=', media.workspace_id)
      .where('id', '=', media.id)
      .where('fraction', '<=', fraction)
      .execute();
    return true;
  });
}

async function renewLease(db: Catalog, worker: string, media: MediaRow): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('jobs')
    .set({ lease_until: leaseEnd() })
    .where('workspace_id', '=', media.workspace_id)
    .where('media_id', '=', media.id)
    .where('lease_owner', '=', worker)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/**
 * Stores what indexing found and completes the item, all at once: from this commit on every search finds it. When the plan has
 * no room for its seconds the item ends in `error` instead.
 * @returns false, storing nothing, when the job is no longer this worker's
 */
export function completeJob(db: Catalog, worker: string, media: MediaRow, indexed: IndexedMedia): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    if (!(await renewLease(transaction, worker, media))) return false;
    const excess = await findDurationExcess(transaction, media.workspace_id, indexed.duration ?? 0);
    if (excess) {
      await giveUp(transaction, media.workspace_id, media.id, overQuota(excess));
      return true;
    }
    await storeChunks(transaction, media, indexed);
    const now = new Date().toISOString();
    await transaction
      .updateTable('media_items')
      .set({
        status: 'complete',
        stage: null,
        fraction: null,
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
        warning_code: indexed.warning?.code ?? null,
        warning_message: indexed.warning?.message ?? null,
        updated_at: now,
        indexed_at: now,
      })
      .where('workspace_id', '=', media.workspace_id)
      .where('id', '=', media.id)
      .execute();
    await transaction
      .deleteFrom('jobs')
      .where('workspace_id', '=', media.workspace_id)
      .where('media_id', '=', media.id)
      .execute();
    return true;
  });
}

async function storeChunks(db: Catalog, media: MediaRow, indexed: IndexedMedia): Promise<void> {
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
      .values({ rowid: number, text: chunk.text ?? '', filename: searchableName(media.filename), tags: indexed.tags })
      .execute();
  }
}

/** A file name as words: split at letter case, digits and separators, so that "RedCar_02.mp4" is found by "red car". */
export function searchableName(filename: string): string {
  return filename
    .replace(/\.[^.]*$/, '')
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{L})(\p{N})|(\p{N})(\p{L})/gu, '$1$3 $2$4')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** The error of an item that the plan has no room for. */
export const overQuota = (excess: Excess): { code: string; message: string } => ({
  code: 'quota_exceeded',
  message: `${describeExcess(excess).message} Delete something or get a larger plan, then try this one again.`,
});

/** Ends a job whose file cannot be indexed, with the reason the uploader sees. */
export function failJob(db: Catalog, media: MediaRow, error: { code: string; message: string }): Promise<void> {
  return db.transaction().execute((transaction) => giveUp(transaction, media.workspace_id, media.id, error));
}

async function giveUp(
  db: Catalog,
  workspaceId: string,
  mediaId: string,
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
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', mediaId)
    .execute();
  await db.deleteFrom('jobs').where('workspace_id', '=', workspaceId).where('media_id', '=', mediaId).execute();
}

/**
 * Takes jobs away from a worker that is gone and puts their items back to `pending`; those begun too often end in `error`.
 * @param worker the worker, or null for all: at the start of the service nobody holds a job rightfully
 * @param counted whether the broken-off attempt counts; not when the worker was asked to stop
 */
export async function releaseJobs(db: Catalog, worker: string | null, counted: boolean): Promise<void> {
  let held = db.selectFrom('jobs').where('lease_owner', 'is not', null);
  if (worker !== null) held = held.where('lease_owner', '=', worker);
  for (const job of await held.selectAll().execute()) {
    await db.transaction().execute((transaction) => releaseJob(transaction, job, counted));
  }
}

async function releaseJob(
  db: Catalog,
  job: { workspace_id: string; media_id: string; attempts: number },
  counted: boolean,
): Promise<void> {
  if (counted && job.attempts >= maxAttempts) {
    await giveUp(db, job.workspace_id, job.media_id, {
      code: 'indexing_failed',
      message: `Indexing broke off ${maxAttempts} times. The file may be damaged: play it, export it anew and upload that.`,
    });
    return;
  }
  await db
    .updateTable('jobs')
    .set({ attempts: counted ? job.attempts : job.attempts - 1, lease_owner: null, lease_until: null })
    .where('workspace_id', '=', job.workspace_id)
    .where('media_id', '=', job.media_id)
    .execute();
  await db
    .updateTable('media_items')
    .set({ status: 'pending', stage: 'queued', updated_at: new Date().toISOString() })
    .where('workspace_id', '=', job.workspace_id)
    .where('id', '=', job.media_id)
    .execute();
}
