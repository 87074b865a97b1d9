import type { ExtractionCheckpoint, ExtractionEnd } from '@media-search/media/extracted-text';
import { sql } from 'kysely';
import type { MediaType } from '../../../contract/media.ts';
import { dialectOf } from '../dialect/dialect.ts';
import type { Catalog } from '../schema.ts';
import { requestMatches } from '../searches/saved-matches.ts';
import { holdFor } from '../sources/held-jobs.ts';
import type { ExtractionSource } from '../tables/texts.ts';
import type { FindContinued } from '../texts/continue-segments.ts';
import {
  addReadSegments,
  extractionOf,
  extractionSources,
  failExtraction,
  noteModel,
  resetExtractions,
  settleExtraction,
  warnOf,
} from '../texts/text-extractions.ts';
import { inService, inWorkspace } from '../transactions.ts';
import { brokeOff, priorityOf } from './job-kinds.ts';
import { endJob, type Job, keepJob, newJob } from './job-queue.ts';
import { noLease } from './leases.ts';
import { renewPassages } from './passage-jobs.ts';

type Owner = { workspace_id: string; id: string };
type Item = Owner & { type: MediaType };

/** A job that recognises text. Its kind is the source of the text. */
export type ExtractionJob = Job<ExtractionSource>;

/** Adds jobs that recognise text in an item, from its beginning. An attempt that is under way loses its lease. */
export async function enqueueExtractions(db: Catalog, item: Item, sources: readonly ExtractionSource[]): Promise<void> {
  if (sources.length === 0) return;
  await resetExtractions(db, item, sources);
  const jobs = sources.map((source) => ({
    workspace_id: item.workspace_id,
    media_id: item.id,
    ...newJob(source, {}),
    priority: sql<number>`${sql.lit(priorityOf(source, item.type))} + ${holdFor(item.workspace_id, item.id)}`,
  }));
  await db
    .insertInto('jobs')
    .values(jobs)
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'media_id', 'kind']).doUpdateSet((e) => ({
        priority: e.ref('excluded.priority'),
        payload: e.ref('excluded.payload'),
        created_at: e.ref('excluded.created_at'),
        attempts: 0,
        token: 0,
        available_at: null,
        ...noLease,
      })),
    )
    .execute();
}

/**
 * Prepares the queue at a start: each complete item in which text of these sources was never looked for gets a job, and so does one whose
 * job was taken away. Jobs of the other sources go; what they have done is kept for the day when the setting is on again.
 */
export async function enqueueMissingExtractions(db: Catalog, sources: readonly ExtractionSource[]): Promise<void> {
  // One time for all, so that both jobs of an item follow each other.
  const now = new Date().toISOString();
  await inService(db, async (transaction) => {
    for (const source of extractionSources) {
      if (sources.includes(source)) await addMissing(transaction, source, now);
      else await transaction.deleteFrom('jobs').where('kind', '=', source).execute();
    }
  });
}

async function addMissing(db: Catalog, source: ExtractionSource, now: string): Promise<void> {
  // A model may have been missing, and is there now. What ended its worker three times is not tried again.
  await sql`
    update text_extractions set state = 'pending', message = null
    where source = ${source} and state = 'failed' and position = 0 and message <> ${brokeOff}
  `.execute(db);
  await sql`
    insert into text_extractions (workspace_id, media_id, source, state, updated_at)
    select workspace_id, id, ${source}, 'pending', ${now} from media_items
    where status = 'complete' and not exists (select 1 from text_extractions extractions where
      extractions.workspace_id = media_items.workspace_id and extractions.media_id = media_items.id and source = ${source})
  `.execute(db);
  const job = newJob(source, {});
  await sql`
    insert into jobs (workspace_id, media_id, kind, priority, payload, created_at)
    select extractions.workspace_id, extractions.media_id, ${job.kind},
      cast(case media_items.type when 'image' then ${priorityOf(source, 'image')} else ${job.priority} end as integer)
        + ${holdFor(sql.ref('extractions.workspace_id'), sql.ref('extractions.media_id'))},
      ${job.payload}, ${now}
    from text_extractions extractions
    join media_items on media_items.workspace_id = extractions.workspace_id and media_items.id = extractions.media_id
    where source = ${source} and state = 'pending'
    on conflict do nothing
  `.execute(db);
}

/** Up to where a job's item is read already, seconds. */
export async function readExtractionPosition(db: Catalog, job: ExtractionJob): Promise<number> {
  const row = await db
    .selectFrom('text_extractions')
    .select('position')
    .where('workspace_id', '=', job.workspace_id)
    .where('media_id', '=', job.id)
    .where('source', '=', job.kind)
    .executeTakeFirst();
  return row?.position ?? 0;
}

/**
 * Stores what was read since the last checkpoint and up to where, all at once: an attempt that breaks off after it goes on from there, and
 * nothing is stored twice. It counts as the first attempt from there. What was on the screen at the last checkpoint and still is stays one.
 * @returns false, storing nothing, when the lease is lost
 */
export async function storeCheckpoint(
  db: Catalog,
  job: ExtractionJob,
  { segments, position, model, warning }: ExtractionCheckpoint,
  findContinued: FindContinued,
): Promise<boolean> {
  const stored = await inWorkspace(db, job.workspace_id, async (transaction) => {
    if (!(await keepJob(transaction, job))) return false;
    const seam = { position: await readExtractionPosition(transaction, job), findContinued };
    await addReadSegments(transaction, job, job.kind, segments, seam);
    if (model) await noteModel(transaction, job, job.kind, model);
    await extractionOf(transaction, job, job.kind).set({ position, updated_at: new Date().toISOString() }).execute();
    if (warning) await warnOf(transaction, job, warning);
    return true;
  });
  if (stored) job.attempts = 1;
  return stored;
}

/**
 * Ends the recognition in an item and its job.
 * @returns false, storing nothing, when the lease is lost
 */
export function completeExtraction(
  db: Catalog,
  job: ExtractionJob,
  { segments = [], ...end }: ExtractionEnd,
): Promise<boolean> {
  return endJob(db, job, async (transaction) => {
    await addReadSegments(transaction, job, job.kind, segments);
    const hasTexts = await settleExtraction(transaction, job, job.kind, end);
    await renewPassages(transaction, job);
    if (hasTexts) await requestMatches(transaction, job.workspace_id, [job.id]);
  });
}

/**
 * Ends a job whose file cannot be read, with the reason that the uploader sees.
 * @returns false, storing nothing, when the lease is lost
 */
export function abandonExtraction(db: Catalog, job: ExtractionJob, message: string): Promise<boolean> {
  return endJob(db, job, async (transaction) => {
    await failExtraction(transaction, job, job.kind, message);
  });
}

/** Begins again what failed in an item, of these sources. @returns whether anything had */
export async function retryExtractions(
  db: Catalog,
  item: Item,
  recognised: readonly ExtractionSource[],
): Promise<boolean> {
  const failed = await db
    .selectFrom('text_extractions')
    .select('source')
    .where('workspace_id', '=', item.workspace_id)
    .where('media_id', '=', item.id)
    .where('state', '=', 'failed')
    .execute();
  const sources = failed.map(({ source }) => source).filter((source) => recognised.includes(source));
  await enqueueExtractions(db, item, sources);
  return sources.length > 0;
}

/** Items that begin again in one transaction: few enough not to block the service. */
const batchSize = 100;

/** Begins again in all complete items of a workspace. @returns how many there are */
export async function readAgain(db: Catalog, workspaceId: string, source: ExtractionSource): Promise<number> {
  const items = await db
    .selectFrom('media_items')
    .select(['workspace_id', 'id', 'type'])
    .where('workspace_id', '=', workspaceId)
    .where('status', '=', 'complete')
    .execute();
  let count = 0;
  for (let first = 0; first < items.length; first += batchSize) {
    count += await inWorkspace(db, workspaceId, async (transaction) => {
      const present = await findStoredItems(transaction, workspaceId, items.slice(first, first + batchSize));
      for (const item of present) await enqueueExtractions(transaction, item, [source]);
      return present.length;
    });
  }
  return count;
}

/** Those of some items that were not deleted meanwhile. */
const findStoredItems = (db: Catalog, workspaceId: string, items: Item[]): Promise<Item[]> =>
  db
    .selectFrom('media_items')
    .select(['workspace_id', 'id', 'type'])
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', dialectOf(db).textsIn(items.map(({ id }) => id)))
    .execute();
