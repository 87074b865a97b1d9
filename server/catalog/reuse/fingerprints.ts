import { type Fingerprint, fingerprintVersion } from '@media-search/indexing/reuse/fingerprint';
import { sql } from 'kysely';
import { dialectOf } from '../dialect/dialect.ts';
import { newJob } from '../queue/job-queue.ts';
import type { Catalog } from '../schema.ts';
import { holdFor } from '../sources/held-jobs.ts';
import { inService, inWorkspace } from '../transactions.ts';
import { writeFingerprint } from './write-fingerprint.ts';

/**
 * Fingerprints of items, and the jobs about them. Indexing makes one of each new item. Items that have none, or one that was made otherwise, get theirs by jobs of the kind
 * `fingerprint`, which read the original again and can be paused. What has one is compared with all others by a job of the kind `copies`.
 */

type Owner = { workspace_id: string; id: string };

/**
 * Stores the fingerprint of an item in place of an earlier one, and has the item compared: what was found of it before may have been of another file at its
 * place. To be called in the transaction that stores its chunks.
 */
export async function storeFingerprint(db: Catalog, item: Owner, fingerprint: Fingerprint): Promise<void> {
  await writeFingerprint(db, item, fingerprint);
  await db
    .deleteFrom('item_copies')
    .where('workspace_id', '=', item.workspace_id)
    .where((e) => e.or([e('media_id', '=', item.id), e('other_id', '=', item.id)]))
    .where('dismissed_at', 'is', null)
    .execute();
  if (fingerprint.some((frame) => frame !== null)) await requestCopies(db, item.workspace_id, [item.id]);
}

/** Whether a fingerprint was made as they are made now. */
const isCurrent = sql`fingerprints.version = ${sql.lit(fingerprintVersion)}`;

/** Has items compared with all others, in the transaction that makes them complete or restores them. An item that is being compared is compared again. */
export async function requestCopies(db: Catalog, workspaceId: string, mediaIds: string[]): Promise<void> {
  const { kind, priority, payload, created_at } = newJob('copies', {});
  await sql`
    insert into jobs (workspace_id, media_id, kind, priority, payload, created_at)
    select workspace_id, media_id, ${kind}, ${sql.lit(priority)}, ${payload}, ${created_at} from fingerprints
    where workspace_id = ${workspaceId} and media_id in ${dialectOf(db).textsIn(mediaIds)} and ${isCurrent}
    on conflict (workspace_id, media_id, kind) do update set attempts = 0, lease_owner = null, lease_until = null, available_at = null
  `.execute(db);
}

/** The fingerprints of some items, with what they are compared by; without those in the trash. */
export function readFingerprints(db: Catalog, workspaceId: string, ids: string[]) {
  return db
    .selectFrom('fingerprints')
    .innerJoin('media_items', (join) =>
      join
        .onRef('media_items.workspace_id', '=', 'fingerprints.workspace_id')
        .onRef('media_items.id', '=', 'fingerprints.media_id'),
    )
    .where('fingerprints.workspace_id', '=', workspaceId)
    .where('fingerprints.media_id', 'in', dialectOf(db).textsIn(ids))
    .where('media_items.trashed_at', 'is', null)
    .where('fingerprints.version', '=', fingerprintVersion)
    .select([
      'fingerprints.media_id',
      'fingerprints.frames',
      'media_items.duration',
      'media_items.width',
      'media_items.height',
    ])
    .execute();
}

const lacksFingerprint = sql`media_items.status = 'complete' and media_items.trashed_at is null and not exists (
  select 1 from fingerprints where fingerprints.workspace_id = media_items.workspace_id and fingerprints.media_id = media_items.id and ${isCurrent})`;

/** Adds a job for each complete item without a fingerprint of this version, but where that is paused. */
async function addFingerprintJobs(db: Catalog, among = sql`true`): Promise<void> {
  const { kind, priority, payload, created_at } = newJob('fingerprint', {});
  const held = holdFor(sql.ref('media_items.workspace_id'), sql.ref('media_items.id'));
  await sql`
    insert into jobs (workspace_id, media_id, kind, priority, payload, created_at)
    select workspace_id, id, ${kind}, ${sql.lit(priority)} + ${held}, ${payload}, ${created_at} from media_items
    where ${lacksFingerprint} and ${among} and not exists (
      select 1 from copy_searches where copy_searches.workspace_id = media_items.workspace_id and paused = 1)
    on conflict do nothing
  `.execute(db);
}

/** Has the fingerprints made that some items lack, in the transaction that restores them: none are made of what is in the trash. */
export const requestFingerprints = (db: Catalog, workspaceId: string, mediaIds: string[]): Promise<void> =>
  addFingerprintJobs(
    db,
    sql`media_items.workspace_id = ${workspaceId} and media_items.id in ${dialectOf(db).textsIn(mediaIds)}`,
  );

/** Prepares the queue at a start. */
export const requestMissingFingerprints = (db: Catalog): Promise<void> =>
  inService(db, (transaction) => addFingerprintJobs(transaction));

/** Pauses or resumes making the fingerprints that are missing. One that is under way when it is paused is given up, and made when it is resumed. */
export function setCopySearchPaused(db: Catalog, workspaceId: string, isPaused: boolean): Promise<void> {
  return inWorkspace(db, workspaceId, async (transaction) => {
    const paused = isPaused ? 1 : 0;
    await transaction
      .insertInto('copy_searches')
      .values({ workspace_id: workspaceId, paused })
      .onConflict((conflict) => conflict.column('workspace_id').doUpdateSet({ paused }))
      .execute();
    if (!isPaused) return addFingerprintJobs(transaction, sql`media_items.workspace_id = ${workspaceId}`);
    await transaction
      .deleteFrom('jobs')
      .where('workspace_id', '=', workspaceId)
      .where('kind', '=', 'fingerprint')
      .execute();
  });
}

/** By how many items of so many seconds the time left is told. */
const rateSeconds = 600;

export type CopySearchState = { paused: boolean; total: number; pending: number; secondsLeft: number | null };

/** How far the fingerprints of a workspace are made. `secondsLeft`: null where that is not known. */
export async function readCopySearch(db: Catalog, workspaceId: string): Promise<CopySearchState> {
  const since = new Date(Date.now() - rateSeconds * 1000).toISOString();
  const { rows } = await sql<{ paused: number; total: number; pending: number; made: number; first: string | null }>`
    select
      coalesce((select paused from copy_searches where workspace_id = ${workspaceId}), 0) as paused,
      (select count(*) from media_items where workspace_id = ${workspaceId} and status = 'complete' and trashed_at is null) as total,
      (select count(*) from media_items where workspace_id = ${workspaceId} and ${lacksFingerprint}) as pending,
      (select count(*) from fingerprints where workspace_id = ${workspaceId} and made_at >= ${since}) as made,
      (select min(made_at) from fingerprints where workspace_id = ${workspaceId} and made_at >= ${since}) as first
  `.execute(db);
  const { paused, total, pending, made, first } = rows[0] as (typeof rows)[number];
  const seconds = first === null ? 0 : (Date.now() - Date.parse(first)) / 1000;
  const isKnown = paused === 0 && pending > 0 && made > 1 && seconds > 0;
  return { paused: paused === 1, total, pending, secondsLeft: isKnown ? Math.ceil((pending * seconds) / made) : null };
}
