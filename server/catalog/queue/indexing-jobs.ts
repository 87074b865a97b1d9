import type { IndexedMedia } from '@media-search/indexing/indexed-media';
import type { IndexingStage } from '../../../contract/media.ts';
import { describeQuotaViolation, findDurationQuotaViolation, type QuotaViolation } from '../accounts/quota.ts';
import { enqueueReembedIfNeeded } from '../embedders.ts';
import { failItem, type ItemError } from '../media/item-status.ts';
import { joinStack } from '../media/stacks.ts';
import { replaceChunks, toIndexedColumns } from '../media/store-indexed-media.ts';
import type { Catalog } from '../schema.ts';
import { requestMatches } from '../searches/saved-matches.ts';
import { type FileHashes, noteHashes } from '../sources/source-files.ts';
import type { ExtractionSource } from '../tables/texts.ts';
import { inRows } from '../transactions.ts';
import { enqueueExtractions } from './extraction-jobs.ts';
import { completeJob, endJob, type Job, type Lease, renewLease } from './job-queue.ts';
import { requestPassages } from './passage-jobs.ts';

/**
 * Renews the lease and stores the progress; a fraction lower than the stored one (a second attempt) is not shown.
 * @param fraction of all the work, 0..1
 * @returns false when the lease is lost
 */
export function reportProgress(db: Catalog, job: Lease, stage: IndexingStage, fraction: number): Promise<boolean> {
  // The rows of the job and its item are locked, in the order of a claim: nobody else waits.
  return inRows(db, async (transaction) => {
    if (!(await renewLease(transaction, job))) return false;
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
 * this attempt are the item's. When the plan has no quota left for its seconds the item ends in `error` instead.
 * @param extractions what is to be recognised in it afterwards
 * @param isMeant whether its texts get vectors by what they mean afterwards
 * @param content what the file of an item in a source holds; null: of an upload
 * @returns the new status of the item, or null when the lease is lost and nothing was stored
 */
export function completeIndexing(
  db: Catalog,
  job: Job<'index'>,
  indexed: IndexedMedia,
  extractions: readonly ExtractionSource[] = [],
  isMeant = false,
  content: FileHashes | null = null,
): Promise<'complete' | 'over quota' | null> {
  return completeJob(db, job, async (transaction) => {
    const violation = await findDurationQuotaViolation(transaction, job.workspace_id, indexed.duration ?? 0);
    if (violation) {
      await failItem(transaction, job, quotaExceededError(violation));
      return 'over quota';
    }
    await replaceChunks(transaction, job, indexed);
    await transaction
      .updateTable('media_items')
      .set({ status: 'complete', stage: null, fraction: null, ...toIndexedColumns(indexed, job.token) })
      .where('workspace_id', '=', job.workspace_id)
      .where('id', '=', job.id)
      .execute();
    if (indexed.rating !== null) await rateAsInFile(transaction, job, indexed.rating);
    if (content) await noteHashes(transaction, job, content);
    await joinStack(transaction, job, indexed.stackKey ?? null);
    await enqueueReembedIfNeeded(transaction, job, indexed.chunks);
    await enqueueExtractions(transaction, { ...job, type: indexed.type }, extractions);
    if (isMeant) await requestPassages(transaction, job);
    await requestMatches(transaction, job.workspace_id, [job.id]);
    return 'complete';
  });
}

/** Takes the rating of a file for that of its new item, unless somebody rated it meanwhile. An item that is indexed again keeps its own: it may have been taken away. */
const rateAsInFile = (db: Catalog, job: Job<'index'>, rating: number) =>
  db
    .updateTable('media_items')
    .set({ rating })
    .where('workspace_id', '=', job.workspace_id)
    .where('id', '=', job.id)
    .where('rating', '=', 0)
    .execute();

/**
 * Ends a job whose file cannot be indexed, with the reason that the uploader sees.
 * @returns false, storing nothing, when the lease is lost
 */
export function failIndexing(db: Catalog, job: Job<'index'>, error: ItemError): Promise<boolean> {
  return endJob(db, job, async (transaction) => {
    await failItem(transaction, job, error);
  });
}

/** The error of an item that the plan has no quota left for. */
export const quotaExceededError = (violation: QuotaViolation): ItemError => ({
  code: 'quota_exceeded',
  message: `${describeQuotaViolation(violation).message} Delete something or get a larger plan, then try this one again.`,
});
