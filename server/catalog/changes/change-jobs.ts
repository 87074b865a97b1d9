import { randomUUIDv7 } from 'node:crypto';
import { type RawBuilder, sql, type SqlBool } from 'kysely';
import {
  type ChangeBody,
  type ChangedItems,
  type ChangeOfItems,
  maxRunningChanges,
} from '../../../contract/media-changes.ts';
import { dialectOf } from '../dialect/dialect.ts';
import { findUnknownLabels } from '../labels/labels.ts';
import { findGroups } from '../labels/members.ts';
import { listConditions, notInTrash } from '../media/media-filter.ts';
import { type ClaimedJob, deleteJob, enqueueJob, keepJob } from '../queue/job-queue.ts';
import type { Catalog } from '../schema.ts';
import type { ExtractionSource } from '../tables/texts.ts';
import { inWorkspace } from '../transactions.ts';
import { type Before, type Outcome, skipped } from './before.ts';
import { changeItems } from './change-items.ts';
import {
  canUndo,
  type ChangeKey,
  type ChangeRow,
  countRunning,
  countThrough,
  endChange,
  findChange,
  updateChange,
} from './change-rows.ts';
import { undoItems } from './undo-items.ts';

/** Items that are changed in one transaction: so few that another writer hardly waits. */
const batchSize = 500;
/** The same of items that are tried again, of which each takes some statements. */
const retryBatchSize = 25;
/** Tags and collections with which a batch has its size; with more it has fewer items, each of which is a row of each. */
const usualGroups = 4;

function batchSizeOf(change: ChangeOfItems): number {
  if (change.retry) return retryBatchSize;
  const { add_tag_ids, remove_tag_ids, add_collection_ids, remove_collection_ids } = change;
  const groups = [add_tag_ids, remove_tag_ids, add_collection_ids, remove_collection_ids].flatMap((ids) => ids ?? []);
  return Math.floor((batchSize * usualGroups) / Math.max(usualGroups, groups.length));
}

/** Why a change does not begin. `unknown`: places in the change that name no label of the workspace. */
export type RefusedChange = { refused: 'too many' } | { refused: 'unknown'; places: string[] };

/** Begins a change of items, which are fixed from then on. */
export function addChange(
  db: Catalog,
  workspaceId: string,
  { items, change }: ChangeBody,
): Promise<ChangeRow | RefusedChange> {
  return inWorkspace(db, workspaceId, async (transaction) => {
    const places = await findUnknown(transaction, workspaceId, change);
    if (places.length > 0) return { refused: 'unknown', places };
    if ((await countRunning(transaction, workspaceId)) >= maxRunningChanges) return { refused: 'too many' };
    const key = await insertChange(transaction, workspaceId, change, null);
    const conditions = conditionsOf(transaction, workspaceId, items, change);
    const { numAffectedRows } = await sql`
      insert into media_change_items (workspace_id, change_id, position, media_id)
      select workspace_id, ${key.id}, row_number() over (order by id), id from media_items
      where workspace_id = ${workspaceId} and ${sql.join(conditions, sql` and `)}`.execute(transaction);
    return begin(transaction, key, Number(numAffectedRows));
  });
}

/** Begins to set back what a change did. Undefined: there is no such change; `not now`: it runs, or cannot be undone, or was. */
export function addUndo(db: Catalog, key: ChangeKey): Promise<ChangeRow | 'not now' | 'too many' | undefined> {
  return inWorkspace(db, key.workspace_id, async (transaction) => {
    const row = await findChange(transaction, key);
    if (!row) return undefined;
    if (!(await canUndo(transaction, row))) return 'not now';
    if ((await countRunning(transaction, key.workspace_id)) >= maxRunningChanges) return 'too many';
    const undo = await insertChange(transaction, key.workspace_id, JSON.parse(row.change) as ChangeOfItems, key.id);
    const { numAffectedRows } = await sql`
      insert into media_change_items (workspace_id, change_id, position, media_id, before)
      select workspace_id, ${undo.id}, row_number() over (order by position), media_id, before from media_change_items
      where workspace_id = ${key.workspace_id} and change_id = ${key.id} and outcome = 'done'`.execute(transaction);
    return begin(transaction, undo, Number(numAffectedRows));
  });
}

/** Ends a change that is under way, and its job: an attempt loses its lease. @returns the change; undefined: there is none */
export function cancelChange(db: Catalog, key: ChangeKey): Promise<ChangeRow | undefined> {
  return inWorkspace(db, key.workspace_id, async (transaction) => {
    await deleteJob(transaction, { ...key, kind: 'change' });
    const row = await findChange(transaction, key);
    if (row?.state !== 'running') return row;
    await endChange(transaction, key, 'cancelled');
    // An undo does not need them; begun and cancelled again and again, they would fill the disk.
    await sql`delete from media_change_items
      where workspace_id = ${key.workspace_id} and change_id = ${key.id} and position > ${countThrough(row)}`.execute(
      transaction,
    );
    return findChange(transaction, key);
  });
}

async function insertChange(
  transaction: Catalog,
  workspaceId: string,
  change: ChangeOfItems,
  undoes: string | null,
): Promise<ChangeKey> {
  const key = { workspace_id: workspaceId, id: randomUUIDv7() };
  await transaction
    .insertInto('media_changes')
    .values({
      ...key,
      change: JSON.stringify(change),
      undoes,
      state: 'running',
      total: 0,
      created_at: new Date().toISOString(),
      ended_at: null,
    })
    .execute();
  return key;
}

/** Notes of how many items a change is, and adds its job. One without any has ended. */
async function begin(transaction: Catalog, key: ChangeKey, total: number): Promise<ChangeRow> {
  if (total === 0) await endChange(transaction, key, 'done');
  else await enqueueJob(transaction, key, 'change', {});
  return updateChange(transaction, key).set({ total }).returningAll().executeTakeFirstOrThrow();
}

/** The items of a change as conditions. */
function conditionsOf(
  db: Catalog,
  workspaceId: string,
  { ids, filter, except_ids: except = [] }: ChangedItems,
  { restore }: ChangeOfItems,
): RawBuilder<SqlBool>[] {
  const { textsIn } = dialectOf(db);
  return [
    restore ? sql`media_items.trashed_at is not null` : notInTrash,
    ...(ids ? [sql<SqlBool>`id in ${textsIn(ids)}`] : []),
    ...listConditions(db, workspaceId, filter ?? {}),
    ...(except.length > 0 ? [sql<SqlBool>`id not in ${textsIn(except)}`] : []),
  ];
}

/** The places in a change that name no label of the workspace. What is taken away may be gone already. */
async function findUnknown(db: Catalog, workspaceId: string, change: ChangeOfItems): Promise<string[]> {
  const places: string[] = await findUnknownLabels(db, workspaceId, change);
  for (const [kind, name] of [
    ['tags', 'add_tag_ids'],
    ['collections', 'add_collection_ids'],
  ] as const) {
    const ids = change[name] ?? [];
    const known = await findGroups(db, kind, workspaceId, ids);
    for (const [i, id] of ids.entries()) if (!known.has(id)) places.push(`${name}.${i}`);
  }
  return places;
}

/**
 * Changes the next items of a change, and stores what became of them, all at once: an attempt that breaks off goes on behind them.
 * @returns whether some are left; null: the change was cancelled, or another process has its job
 */
export function changeBatch(
  db: Catalog,
  job: ClaimedJob<'change'>,
  recognised: readonly ExtractionSource[],
): Promise<{ left: boolean; change: ChangeOfItems } | null> {
  return inWorkspace(db, job.workspace_id, async (transaction) => {
    if (!(await keepJob(transaction, job))) return null;
    const row = await findChange(transaction, job);
    if (row?.state !== 'running') {
      await deleteJob(transaction, job);
      return null;
    }
    const change = JSON.parse(row.change) as ChangeOfItems;
    const through = countThrough(row);
    const items = await readItems(transaction, job, through, batchSizeOf(change));
    const ids = items.map(({ media_id }) => media_id);
    const outcomes =
      row.undoes === null
        ? await changeItems(transaction, job.workspace_id, change, ids, recognised)
        : await undoItems(transaction, job.workspace_id, change, items.flatMap(toChangedItem));
    await storeOutcomes(transaction, job, items, outcomes);
    const left = items.length > 0 && through + items.length < row.total;
    if (!left) {
      await endChange(transaction, job, 'done');
      await deleteJob(transaction, job);
    }
    return { left, change };
  });
}

type Item = { position: number; media_id: string; before: string | null };

const toChangedItem = ({ media_id, before }: Item) =>
  before === null ? [] : [{ id: media_id, before: JSON.parse(before) as Before }];

const readItems = (db: Catalog, { workspace_id, id }: ChangeKey, behind: number, limit: number): Promise<Item[]> =>
  db
    .selectFrom('media_change_items')
    .select(['position', 'media_id', 'before'])
    .where('workspace_id', '=', workspace_id)
    .where('change_id', '=', id)
    .where('position', '>', behind)
    .orderBy('position')
    .limit(limit)
    .execute();

async function storeOutcomes(
  transaction: Catalog,
  { workspace_id, id }: ChangeKey,
  items: Item[],
  outcomes: ReadonlyMap<string, Outcome>,
): Promise<void> {
  const counts = { done: 0, skipped: 0, failed: 0 };
  const rows = items.map(({ position, media_id, before: given }) => {
    const { outcome, before } = outcomes.get(media_id) ?? skipped;
    counts[outcome] += 1;
    const stored = before === null ? given : JSON.stringify(before);
    return { workspace_id, change_id: id, position, media_id, outcome, before: stored };
  });
  const columns = { workspace_id: 'text', change_id: 'text', position: 'integer' } as const;
  // As an insertion, which finds each row by its key; a join would read all items of the change.
  await sql`
    insert into media_change_items (workspace_id, change_id, position, media_id, outcome, before)
    ${dialectOf(transaction).rowsIn({ ...columns, media_id: 'text', outcome: 'text', before: 'text' }, rows)}
    on conflict (workspace_id, change_id, position) do update set outcome = excluded.outcome, before = excluded.before
  `.execute(transaction);
  await updateChange(transaction, { workspace_id, id })
    .set((e) => ({
      done: e('done', '+', counts.done),
      skipped: e('skipped', '+', counts.skipped),
      failed: e('failed', '+', counts.failed),
    }))
    .execute();
}
