import { type Selectable, type SqlBool, sql } from 'kysely';
import { dialectOf } from '../dialect/dialect.ts';
import type { Catalog, Database } from '../schema.ts';

/** The exports of all processes, beside their jobs (`export-jobs.ts`). Times are by the clock of the database. */

export type ExportRow = Omit<Selectable<Database['exports']>, 'request'>;

/** Which export: its workspace and identifier. */
export type ExportKey = Pick<ExportRow, 'workspace_id' | 'id'>;

export const shownColumns = [
  'workspace_id',
  'id',
  'format',
  'filename',
  'status',
  'progress',
  'error',
  'produced',
  'size',
  'attempts',
  'wanted_until',
  'created_at',
  'expires_at',
] as const;

/** The error of an export whose processes died. */
export const diedTwice = {
  code: 'internal_error',
  message: 'The service was stopped while it made this export. Export it again.',
} as const;

const now = (db: Catalog) => dialectOf(db).timeIn(0);
const later = (db: Catalog, ms: number) => dialectOf(db).timeIn(ms / 1000);
/** Whether an export has not expired. */
export const isKept = (db: Catalog) => sql<SqlBool>`expires_at > ${now(db)}`;

/** Narrows a statement to an export that has not expired. */
export const updateExport = (db: Catalog, { workspace_id, id }: ExportKey) =>
  db.updateTable('exports').where('workspace_id', '=', workspace_id).where('id', '=', id).where(isKept(db));

const selectExport = (db: Catalog, { workspace_id, id }: ExportKey) =>
  db.selectFrom('exports').where('workspace_id', '=', workspace_id).where('id', '=', id);

/** How many exports of a workspace are processed. */
export async function countProcessing(db: Catalog, workspaceId: string): Promise<number> {
  const { count } = await db
    .selectFrom('exports')
    .where('workspace_id', '=', workspaceId)
    .where('status', '=', 'processing')
    .where(isKept(db))
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** An export that is kept. */
export const findExport = (db: Catalog, key: ExportKey): Promise<ExportRow | undefined> =>
  selectExport(db, key).where(isKept(db)).select(shownColumns).executeTakeFirst();

/** What is exported, as it was given to `addExport`, and the number of the latest attempt. */
export const readExportRequest = (
  db: Catalog,
  key: ExportKey,
): Promise<Pick<Selectable<Database['exports']>, 'format' | 'request' | 'attempts'> | undefined> =>
  selectExport(db, key).where(isKept(db)).select(['format', 'request', 'attempts']).executeTakeFirst();

/**
 * Keeps an export going for so long. It is stored when half of it has passed only: in SQLite a statement that writes waits for whatever else is
 * written, and requests with it.
 * @param unlessWithinMs one that is wanted for no longer than this is left to end; undefined: none is
 */
export async function wantExport(
  db: Catalog,
  key: ExportKey,
  wantedMs: number,
  unlessWithinMs?: number,
): Promise<void> {
  const ending = await selectExport(db, key)
    .select('id')
    .where('status', '=', 'processing')
    .where('wanted_until', '<', later(db, wantedMs / 2))
    .$if(unlessWithinMs !== undefined, (query) => query.where('wanted_until', '>', later(db, unlessWithinMs ?? 0)))
    .executeTakeFirst();
  if (ending) await setWanted(db, key, wantedMs);
}

/** Lets an export end after so long, unless another request goes on asking for it. */
export async function setWanted(db: Catalog, key: ExportKey, wantedMs: number): Promise<void> {
  await updateExport(db, key)
    .set({ wanted_until: later(db, wantedMs) })
    .where('status', '=', 'processing')
    .execute();
}

/** Notes that an attempt at an export begins. */
export async function noteExportAttempt(db: Catalog, key: ExportKey): Promise<void> {
  await updateExport(db, key)
    .set((e) => ({ attempts: e('attempts', '+', 1) }))
    .execute();
}

/** Ends an export whose processes died. */
export async function markExportFailed(db: Catalog, key: ExportKey): Promise<void> {
  await updateExport(db, key)
    .set({ status: 'error', error: JSON.stringify(diedTwice), progress: 1 })
    .execute();
}

/** Lets an export expire now. */
export async function expireExport(db: Catalog, key: ExportKey): Promise<void> {
  await updateExport(db, key)
    .set({ expires_at: now(db) })
    .execute();
}

/**
 * Lets those expire that nothing waits for, and the oldest where there are more bytes than are kept; never the newest. It writes where there are any
 * only: see `wantExport`.
 */
export async function expireExcess(db: Catalog, maxBytes: number): Promise<void> {
  const { rows } = await sql<ExportKey>`
    select workspace_id, id from exports where ${isKept(db)} and status = 'processing' and wanted_until <= ${now(db)}
    union all
    select workspace_id, id from (
      select workspace_id, id, sum(size) over (order by created_at desc, id) as bytes,
        row_number() over (order by created_at desc, id) as place
      from exports where ${isKept(db)} and size > 0
    ) kept
    where bytes > ${maxBytes} and place > 1`.execute(db);
  for (const key of rows) await expireExport(db, key);
}

/** Those whose time is over. Their files are to be removed before `deleteExport`, so that a crash in between loses none. */
export const listExpiredExports = (db: Catalog): Promise<ExportRow[]> =>
  db.selectFrom('exports').where('expires_at', '<=', now(db)).select(shownColumns).limit(100).execute();
