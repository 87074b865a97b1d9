import type { FileTags } from '@media-search/media/file-tags';
import { sql } from 'kysely';
import { markWithoutDetails } from '../media/item-status.ts';
import { toTagColumns } from '../media/store-indexed-media.ts';
import type { Catalog } from '../schema.ts';
import { completeJob, type Job, newJob } from './job-queue.ts';

/**
 * Adds a job for each complete item of a version that did not read what files say of themselves. When nothing is to be done, it is one look
 * into an empty index.
 */
export async function enqueueDetailsJobs(db: Catalog): Promise<void> {
  const job = newJob('details', {});
  await sql`
    insert into jobs (workspace_id, media_id, kind, priority, payload, created_at)
    select workspace_id, id, ${job.kind}, ${job.priority}, ${job.payload}, ${job.created_at}
    from media_items where details is null and status = 'complete'
    on conflict do nothing
  `.execute(db);
}

/**
 * Stores what the file of an item says of itself and ends its job.
 * @returns false, storing nothing, when the lease is lost
 */
export async function completeDetails(db: Catalog, job: Job<'details'>, tags: FileTags): Promise<boolean> {
  const stored = await completeJob(db, job, async (transaction) => {
    await transaction
      .updateTable('media_items')
      .set({ ...toTagColumns(tags), updated_at: new Date().toISOString() })
      .where('workspace_id', '=', job.workspace_id)
      .where('id', '=', job.id)
      .execute();
    return true;
  });
  return stored ?? false;
}

/**
 * Ends a job whose file cannot be read: the item has no details.
 * @returns false when the lease is lost
 */
export async function abandonDetails(db: Catalog, job: Job<'details'>): Promise<boolean> {
  const stored = await completeJob(db, job, async (transaction) => {
    await markWithoutDetails(transaction, job);
    return true;
  });
  return stored ?? false;
}
