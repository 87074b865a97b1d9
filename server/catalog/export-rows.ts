import { type Selectable, type SqlBool, sql } from 'kysely';
import type { Catalog, Database } from './schema.ts';
import { inWorkspace } from './transactions.ts';

/** The exports that all processes know. PostgreSQL only. All times are by its clock, so that those of the processes need not agree. */

export type ExportRow = Omit<Selectable<Database['exports']>, 'request' | 'deaths'>;

export type NewExport = Pick<ExportRow, 'workspace_id' | 'id' | 'format' | 'filename' | 'status' | 'owner'> & {
  request: string;
};

/** One attempt at an export. */
export type ExportAttempt = Pick<ExportRow, 'workspace_id' | 'id' | 'owner' | 'attempts'>;

const shownColumns = [
  'workspace_id',
  'id',
  'format',
  'filename',
  'status',
  'progress',
  'error',
  'produced',
  'size',
  'owner',
  'attempts',
  'heartbeat_at',
  'wanted_until',
  'created_at',
  'expires_at',
] as const;

const now = sql<Date>`clock_timestamp()`;
const later = (ms: number) => sql<Date>`clock_timestamp() + make_interval(secs => ${ms / 1000})`;
const isKept = sql<SqlBool>`expires_at > clock_timestamp()`;

/**
 * Adds an export, and lets the oldest that ended expire where there are too many. Undefined when the workspace has too many in progress.
 * @param limits.keptMs how long it is kept
 * @param limits.wantedMs how long it is processed before somebody asks for it again
 */
export function addExport(
  db: Catalog,
  row: NewExport,
  { maxProcessing, maxKept, keptMs, wantedMs }: Record<'maxProcessing' | 'maxKept' | 'keptMs' | 'wantedMs', number>,
): Promise<ExportRow | undefined> {
  return inWorkspace(db, row.workspace_id, async (transaction) => {
    const own = await transaction
      .selectFrom('exports')
      .where('workspace_id', '=', row.workspace_id)
      .where(isKept)
      .select(['id', 'status'])
      .orderBy('created_at')
      .execute();
    const ended = own.filter(({ status }) => status !== 'processing');
    if (own.length - ended.length >= maxProcessing) return undefined;
    for (const { id } of ended.slice(0, Math.max(0, own.length - maxKept + 1))) {
      await expireExport(transaction, row.workspace_id, id);
    }
    return transaction
      .insertInto('exports')
      .values({ ...row, heartbeat_at: now, wanted_until: later(wantedMs), created_at: now, expires_at: later(keptMs) })
      .returning(shownColumns)
      .executeTakeFirstOrThrow();
  });
}

/** How many exports of a workspace are processed. */
export async function countProcessing(db: Catalog, workspaceId: string): Promise<number> {
  const { count } = await db
    .selectFrom('exports')
    .where('workspace_id', '=', workspaceId)
    .where('status', '=', 'processing')
    .where(isKept)
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** An export that is kept. */
export function findExport(db: Catalog, workspaceId: string, id: string): Promise<ExportRow | undefined> {
  return db
    .selectFrom('exports')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where(isKept)
    .select(shownColumns)
    .executeTakeFirst();
}

/** What is exported, as it was given to `addExport`. */
export async function readExportRequest(db: Catalog, workspaceId: string, id: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('exports')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .select('request')
    .executeTakeFirst();
  return row?.request;
}

/**
 * Keeps an export going for so long.
 * @param unlessWithinMs one that is wanted for no longer than this is left to end; undefined: none is
 */
export async function wantExport(
  db: Catalog,
  workspaceId: string,
  id: string,
  wantedMs: number,
  unlessWithinMs?: number,
): Promise<void> {
  await db
    .updateTable('exports')
    .set({ wanted_until: sql<Date>`greatest(wanted_until, ${later(wantedMs)})` })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('status', '=', 'processing')
    .$if(unlessWithinMs !== undefined, (query) => query.where('wanted_until', '>', later(unlessWithinMs ?? 0)))
    .execute();
}

/** Lets an export end soon, unless somebody else goes on asking for it. */
export async function loseInterest(db: Catalog, workspaceId: string, id: string, wantedMs: number): Promise<void> {
  await db
    .updateTable('exports')
    .set({ wanted_until: later(wantedMs) })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('status', '=', 'processing')
    .execute();
}

/** The row of an attempt, as long as it is that of its owner and is to go on. */
const whereGoesOn = ({ workspace_id, id, owner, attempts }: ExportAttempt) =>
  sql<SqlBool>`workspace_id = ${workspace_id} and id = ${id} and owner = ${owner} and attempts = ${attempts}
    and status = 'processing' and expires_at > clock_timestamp()`;

/** Says that an attempt is alive. @returns false when it is to be given up: it was cancelled, or nobody wants it, or another process has taken it */
export async function beatExport(db: Catalog, attempt: ExportAttempt, progress: number): Promise<boolean> {
  const row = await db
    .updateTable('exports')
    .set({ heartbeat_at: now, progress })
    .where(whereGoesOn(attempt))
    .where(sql<SqlBool>`wanted_until > clock_timestamp()`)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Ends an attempt. @returns false when its result does not count: see `beatExport` */
export async function endExport(
  db: Catalog,
  attempt: ExportAttempt,
  result: Pick<ExportRow, 'status' | 'error' | 'produced' | 'size'>,
): Promise<boolean> {
  const row = await db
    .updateTable('exports')
    .set({ ...result, progress: 1 })
    .where(whereGoesOn(attempt))
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Gives an attempt back: another process takes it up at once. */
export async function releaseExport(db: Catalog, attempt: ExportAttempt): Promise<void> {
  await db
    .updateTable('exports')
    .set({ heartbeat_at: sql<Date>`'-infinity'`, owner: '' })
    .where(whereGoesOn(attempt))
    .execute();
}

/** Lets an export expire now. */
export async function expireExport(db: Catalog, workspaceId: string, id: string): Promise<void> {
  await db
    .updateTable('exports')
    .set({ expires_at: now })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where(isKept)
    .execute();
}

/** Lets those expire that nobody wants, and the oldest where there are more bytes than are kept; never the newest. */
export async function expireExcess(db: Catalog, maxBytes: number): Promise<void> {
  await db
    .updateTable('exports')
    .set({ expires_at: now })
    .where('status', '=', 'processing')
    .where(sql<SqlBool>`wanted_until <= clock_timestamp()`)
    .where(isKept)
    .execute();
  await sql`update exports set expires_at = clock_timestamp()
    from (
      select workspace_id, id, sum(size) over (order by created_at desc, id) as bytes,
        row_number() over (order by created_at desc, id) as place
      from exports where expires_at > clock_timestamp() and size > 0
    ) kept
    where exports.workspace_id = kept.workspace_id and exports.id = kept.id and kept.bytes > ${maxBytes} and kept.place > 1`.execute(
    db,
  );
}

/**
 * Takes up exports whose owners have stopped or died. One whose owners have died too often ends with an error.
 * @param failure error of those, JSON
 * @param options.silentMs how long an owner was not heard of
 */
export async function takeUpExports(
  db: Catalog,
  owner: string,
  failure: string,
  { silentMs, maxDeaths }: { silentMs: number; maxDeaths: number },
): Promise<ExportRow[]> {
  const isOrphaned = sql<SqlBool>`status = 'processing' and expires_at > clock_timestamp()
    and heartbeat_at < clock_timestamp() - make_interval(secs => ${silentMs / 1000})`;
  const hasDied = sql<SqlBool>`heartbeat_at > '-infinity'`;
  await db
    .updateTable('exports')
    .set({ status: 'error', error: failure, progress: 1 })
    .where(isOrphaned)
    .where('deaths', '>=', maxDeaths)
    .where(hasDied)
    .execute();
  return db
    .updateTable('exports')
    .set((e) => ({
      owner,
      attempts: e('attempts', '+', 1),
      deaths: e('deaths', '+', sql<number>`(${hasDied})::integer`),
      heartbeat_at: now,
    }))
    .where(
      sql<SqlBool>`(workspace_id, id) in (
        select workspace_id, id from exports where ${isOrphaned} order by created_at limit 1 for update skip locked)`,
    )
    .returning(shownColumns)
    .execute();
}

/** Those whose time is over. Their files are to be removed before `deleteExport`, so that a crash in between loses none. */
export function listExpiredExports(db: Catalog): Promise<ExportRow[]> {
  return db.selectFrom('exports').where('expires_at', '<=', now).select(shownColumns).limit(100).execute();
}

export async function deleteExport(db: Catalog, workspaceId: string, id: string): Promise<void> {
  await db.deleteFrom('exports').where('workspace_id', '=', workspaceId).where('id', '=', id).execute();
}
