import { type Selectable, sql, type SqlBool } from 'kysely';
import type { SortName } from '../../../contract/fields.ts';
import type { ListFilter } from '../../../contract/filters.ts';
import type {
  ListAspectRatiosQuery,
  ListMediaIdsQuery,
  ListMediaQuery,
  MediaChanges,
} from '../../../contract/media.ts';
import { type QuotaViolation, findDurationQuotaViolation, readUploadRoom } from '../accounts/quota.ts';
import { recordUpload, refreshStorage } from '../accounts/usage.ts';
import { dialectOf } from '../dialect/dialect.ts';
import { findUnknownLabels } from '../labels/labels.ts';
import { retryExtractions } from '../queue/extraction-jobs.ts';
import { enqueueJob } from '../queue/job-queue.ts';
import type { Catalog, Database } from '../schema.ts';
import type { ExtractionSource } from '../tables/texts.ts';
import { inWorkspace } from '../transactions.ts';
import { queuedAgain } from './item-status.ts';
import { listConditions, notInTrash } from './media-filter.ts';
import { addPendingRemoval } from './pending-removals.ts';
import { toSetDate } from './set-date.ts';
import { chooseStack, countBehind, passOn, standsBehind } from './stacks.ts';
import { restoreFromTrash } from './trash.ts';

export type MediaRow = Selectable<Database['media_items']>;
export type NewMedia = Pick<
  MediaRow,
  'workspace_id' | 'id' | 'filename' | 'type' | 'size' | 'mime_type' | 'sha256' | 'creator_id' | 'category_id'
>;

/** An item that is not in the trash. */
export async function findMedia(db: Catalog, workspaceId: string, id: string): Promise<MediaRow | undefined> {
  const row = await findStoredMedia(db, workspaceId, id);
  return row?.trashed_at === null ? row : undefined;
}

/** An item, also one in the trash: its files are kept as those of all others. */
export function findStoredMedia(db: Catalog, workspaceId: string, id: string): Promise<MediaRow | undefined> {
  return db
    .selectFrom('media_items')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** The items of these that are there and not in the trash, by identifier. */
export async function findMediaByIds(db: Catalog, workspaceId: string, ids: string[]): Promise<Map<string, MediaRow>> {
  const rows = await db
    .selectFrom('media_items')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', dialectOf(db).textsIn(ids))
    .where(notInTrash)
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** The item with these bytes, also one in the trash. */
export function findMediaByChecksum(db: Catalog, workspaceId: string, sha256: string): Promise<MediaRow | undefined> {
  return db
    .selectFrom('media_items')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('sha256', '=', sha256)
    .executeTakeFirst();
}

/** One page of a workspace's media without the trash, and how many there are on all pages. */
export async function listMedia(
  db: Catalog,
  workspaceId: string,
  query: ListMediaQuery,
): Promise<{ rows: MediaRow[]; total: number }> {
  const total = await countMedia(db, workspaceId, query);
  const rows = await inOrder(db, matchingMedia(db, workspaceId, query), workspaceId, query)
    .selectAll('media_items')
    .limit(query.per_page)
    .offset((query.page - 1) * query.per_page)
    .execute();
  return { rows, total };
}

/** Width through height of all items of a filter, times 100 and rounded, in the order of the list; 0: unknown. */
export async function listAspectRatios(
  db: Catalog,
  workspaceId: string,
  query: ListAspectRatiosQuery,
): Promise<number[]> {
  // In whole numbers, which both databases and the dashboard round alike.
  const ratio = sql<number>`coalesce((200 * width + height) / nullif(2 * height, 0), 0)`;
  const rows = await inOrder(db, matchingMedia(db, workspaceId, query), workspaceId, query)
    .select(ratio.as('ratio'))
    .execute();
  return rows.map((row) => row.ratio);
}

/** The identifiers of some items of a filter, in the order of the list. */
export async function listIdsInOrder(db: Catalog, workspaceId: string, query: ListMediaIdsQuery): Promise<string[]> {
  const rows = await inOrder(db, matchingMedia(db, workspaceId, query), workspaceId, query)
    .select('media_items.id')
    .limit(query.limit)
    .offset(query.offset)
    .execute();
  return rows.map(({ id }) => id);
}

/** The items that a filter lets through, without the trash. */
function passingMedia(db: Catalog, workspaceId: string, filter: ListFilter) {
  let passing = db.selectFrom('media_items').where('workspace_id', '=', workspaceId).where(notInTrash);
  for (const condition of listConditions(db, workspaceId, filter)) passing = passing.where(condition);
  return passing;
}

/** The items of the list of a filter. */
const matchingMedia = (db: Catalog, workspaceId: string, filter: ListFilter) =>
  passingMedia(db, workspaceId, filter).where(sql<SqlBool>`not ${standsBehind(db, workspaceId, filter)}`);

/** How many items the list of a filter has: all that pass, which an index counts, without the few that stand behind another. */
async function countMedia(db: Catalog, workspaceId: string, filter: ListFilter): Promise<number> {
  const passing = passingMedia(db, workspaceId, filter).select((e) => e.fn.countAll<number>().as('count'));
  const { total } = await db
    .selectNoFrom(sql<number>`(${passing}) - ${countBehind(db, workspaceId, filter)}`.as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

/** The same items in an order of the list. */
function inOrder(
  db: Catalog,
  matching: ReturnType<typeof matchingMedia>,
  workspaceId: string,
  { sort, collection_id = '' }: Pick<ListMediaQuery, 'sort' | 'collection_id'>,
) {
  if (sort === 'position') return inPlace(db, matching, workspaceId, collection_id);
  const direction = sort.startsWith('-') ? 'desc' : 'asc';
  const key = sort.replace('-', '') as Exclude<SortName, `-${string}`>;
  let ordered = matching;
  if (key === 'taken_at') ordered = ordered.orderBy(takenMonth, (order) => order[direction]().nullsLast());
  return ordered
    .orderBy(key === 'filename' ? sql`lower(filename)` : key, (order) =>
      direction === 'asc' ? order.asc().nullsFirst() : order.desc().nullsLast(),
    )
    .orderBy('id', direction);
}

/** The same items in the order of a collection that they are in. */
function inPlace(db: Catalog, matching: ReturnType<typeof matchingMedia>, workspaceId: string, collection: string) {
  const members = sql<{ member: string; position: number | null; added_at: string }>`(
    select media_id as member, position, added_at from collection_items
    where ${dialectOf(db).withoutIndex('workspace_id')} = ${workspaceId} and collection_id = ${collection})`.as(
    'members',
  );
  // The type of the items alone: what comes from the members is only an order.
  const joined = matching.innerJoin(members, 'members.member', 'media_items.id') as unknown as typeof matching;
  return joined
    .orderBy(sql`members.position`, (order) => order.asc().nullsLast())
    .orderBy(sql`members.added_at`)
    .orderBy('media_items.id');
}

/** The month of an item in the local calendar, as the index `media_items_by_taken_at` has it. */
const takenMonth = sql<string | null>`substr(taken_local, 1, 7)`;

/** How many items were recorded in each month, the latest first, then those without a date: in the order of the list by `-taken_at`. */
export async function countByMonth(
  db: Catalog,
  workspaceId: string,
  filter: ListFilter,
): Promise<{ month: string | null; count: number }[]> {
  return matchingMedia(db, workspaceId, filter)
    .select((e) => [takenMonth.as('month'), e.fn.countAll<number>().as('count')])
    .groupBy(takenMonth)
    .orderBy(takenMonth, (order) => order.desc().nullsLast())
    .execute();
}

export type AddedMedia =
  | { kind: 'added'; row: MediaRow }
  /** The existing item with these bytes; nothing was stored. */
  | { kind: 'duplicate'; row: MediaRow }
  | { kind: 'excess'; violation: QuotaViolation }
  /** Fields that reference no creator or category of the workspace. */
  | { kind: 'unknown labels'; fields: string[] };

/** The result of storing an item. */
type InTransaction = (transaction: Catalog, row: MediaRow) => Promise<void>;

/**
 * Stores a new item with its indexing job, durably and at once, when the plan has room for it.
 * @param uploadId the open upload that reserved room for it; null: none did
 */
export function addMedia(
  db: Catalog,
  media: NewMedia,
  inTransaction: InTransaction,
  uploadId: string | null = null,
): Promise<AddedMedia> {
  return inWorkspace(db, media.workspace_id, async (transaction) => {
    const existing = await findMediaByChecksum(transaction, media.workspace_id, media.sha256);
    if (existing) {
      if (existing.trashed_at !== null) await restoreFromTrash(transaction, media.workspace_id, [existing.id]);
      const row = (await findMedia(transaction, media.workspace_id, existing.id)) as MediaRow;
      await inTransaction(transaction, row);
      return { kind: 'duplicate', row };
    }
    const fields = await findUnknownLabels(transaction, media.workspace_id, media);
    // What arrived over hours is stored without what was deleted meanwhile.
    if (fields.length > 0 && uploadId === null) return { kind: 'unknown labels', fields };
    const known = { ...media, ...Object.fromEntries(fields.map((field) => [field, null])) };
    const room = await readUploadRoom(transaction, media.workspace_id, uploadId);
    const violation = room.findViolation(media.size);
    if (violation) return { kind: 'excess', violation };
    const now = new Date().toISOString();
    const row = await transaction
      .insertInto('media_items')
      .values({ ...known, status: 'pending', stage: 'queued', fraction: 0, created_at: now, updated_at: now })
      .returningAll()
      .executeTakeFirstOrThrow();
    await enqueueJob(transaction, row, 'index', {});
    await recordUpload(transaction, media.workspace_id);
    await inTransaction(transaction, row);
    return { kind: 'added', row };
  });
}

/**
 * Sets an item in status `error` to `pending`, to be indexed again; of a complete item what could not be recognised is tried again. Other
 * items are not changed.
 * @param recognised what this service recognises
 */
export function retryMedia(
  db: Catalog,
  workspaceId: string,
  id: string,
  recognised: readonly ExtractionSource[],
): Promise<{ row: MediaRow; retried: boolean; violation?: QuotaViolation } | undefined> {
  return inWorkspace(db, workspaceId, async (transaction) => {
    const row = await findMedia(transaction, workspaceId, id);
    if (row?.status === 'complete') return { row, retried: await retryExtractions(transaction, row, recognised) };
    if (row?.status !== 'error') return row && { row, retried: false };
    const violation = await findDurationQuotaViolation(transaction, workspaceId, Number.MIN_VALUE);
    if (violation) return { row, retried: false, violation };
    const pending = await transaction
      .updateTable('media_items')
      .set({ ...queuedAgain, updated_at: new Date().toISOString() })
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    await enqueueJob(transaction, pending, 'index', {});
    return { row: pending, retried: true };
  });
}

/**
 * Changes what people say of an item: its name, its date and labels.
 * @returns the changed item; the fields that reference nothing in the workspace; or undefined when there is no such item
 */
export function changeMedia(
  db: Catalog,
  workspaceId: string,
  id: string,
  { taken_at: taken, ...labels }: MediaChanges,
): Promise<MediaRow | { unknown: string[] } | undefined> {
  return inWorkspace(db, workspaceId, async (transaction) => {
    const { stack_id: cover, ...columns } = labels;
    // All is refused before anything is written: other items of the stack too.
    if (!(await findMedia(transaction, workspaceId, id))) return undefined;
    const unknown = await findUnknownLabels(transaction, workspaceId, labels);
    if (unknown.length > 0) return { unknown };
    const stack = cover === undefined ? {} : await chooseStack(transaction, workspaceId, id, cover);
    if (stack === null) return { unknown: ['stack_id'] };
    return transaction
      .updateTable('media_items')
      .set({
        ...columns,
        ...stack,
        ...(taken === undefined ? {} : toSetDate(taken)),
        updated_at: new Date().toISOString(),
      })
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .where(notInTrash)
      .returningAll()
      .executeTakeFirst();
  });
}

/** Whether an item has exactly this file name. */
export async function hasFilename(db: Catalog, workspaceId: string, filename: string): Promise<boolean> {
  const row = await db
    .selectFrom('media_items')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('filename', '=', filename)
    .where(notInTrash)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * The items with these SHA-256 checksums, by checksum. Items whose original is lost or damaged, and those in the trash, are left out: an
 * upload puts them back.
 */
export async function findMediaIdsByChecksum(
  db: Catalog,
  workspaceId: string,
  checksums: string[],
): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('media_items')
    .select(['id', 'sha256'])
    .where('workspace_id', '=', workspaceId)
    .where('sha256', 'in', checksums)
    .where('original_problem', 'is', null)
    .where(notInTrash)
    .execute();
  return new Map(rows.map((row) => [row.sha256, row.id]));
}

/**
 * Deletes an item, in the trash or not, with its chunks, vectors, texts and job, and adds a pending removal of its files.
 * @param trashedUntil only if it has been in the trash since then or longer, RFC 3339: it may have been restored meanwhile
 * @returns false when there is none
 */
export function deleteMedia(
  db: Catalog,
  workspaceId: string,
  id: string,
  trashedUntil: string | null = null,
): Promise<boolean> {
  return inWorkspace(db, workspaceId, async (transaction) => {
    const due = trashedUntil === null ? sql<SqlBool>`true` : sql<SqlBool>`trashed_at <= ${trashedUntil}`;
    // First, as a worker that claims one locks it before the item: otherwise each could wait for the other.
    await sql`delete from jobs where workspace_id = ${workspaceId} and media_id = ${id} and exists (
      select 1 from media_items where workspace_id = ${workspaceId} and id = ${id} and ${due})`.execute(transaction);
    const { numDeletedRows } = await transaction
      .deleteFrom('media_items')
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .where(due)
      .executeTakeFirstOrThrow();
    if (numDeletedRows === 0n) return false;
    await passOn(transaction, workspaceId, id);
    await addPendingRemoval(transaction, workspaceId, id);
    await refreshStorage(transaction, workspaceId);
    return true;
  });
}

/** Items that could not be indexed. */
export function listFailedMedia(db: Catalog): Promise<Pick<MediaRow, 'workspace_id' | 'id'>[]> {
  return db.selectFrom('media_items').select(['workspace_id', 'id']).where('status', '=', 'error').execute();
}

/** Identifiers of all items of a workspace, for finding folders that belong to none. */
export async function listMediaIds(db: Catalog, workspaceId: string): Promise<Set<string>> {
  const rows = await db.selectFrom('media_items').select('id').where('workspace_id', '=', workspaceId).execute();
  return new Set(rows.map((row) => row.id));
}
