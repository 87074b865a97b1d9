import { dialectOf } from '../dialect/dialect.ts';
import { type ClaimedJob, completeJob, deleteJob, enqueueJob, renewLease } from '../queue/job-queue.ts';
import type { Catalog } from '../schema.ts';
import { inRows, inWorkspace } from '../transactions.ts';
import { expireExport, type ExportKey, type ExportRow, isKept, shownColumns, updateExport } from './export-rows.ts';

export type NewExport = Pick<ExportRow, 'workspace_id' | 'id' | 'format' | 'filename' | 'status'> & { request: string };

/**
 * Adds an export, with a job where it has to be made, and lets the oldest that ended expire where there are too many. Undefined when the workspace has
 * too many in progress.
 * @param limits.keptMs how long it is kept
 * @param limits.wantedMs how long it is processed before it is asked for again
 */
export function addExport(
  db: Catalog,
  row: NewExport,
  { maxProcessing, maxKept, keptMs, wantedMs }: Record<'maxProcessing' | 'maxKept' | 'keptMs' | 'wantedMs', number>,
): Promise<ExportRow | undefined> {
  const { timeIn } = dialectOf(db);
  const { workspace_id } = row;
  return inWorkspace(db, workspace_id, async (transaction) => {
    const own = await transaction
      .selectFrom('exports')
      .where('workspace_id', '=', workspace_id)
      .where(isKept(transaction))
      .select(['id', 'status'])
      .orderBy('created_at')
      .execute();
    const ended = own.filter(({ status }) => status !== 'processing');
    if (own.length - ended.length >= maxProcessing) return undefined;
    for (const { id } of ended.slice(0, Math.max(0, own.length - maxKept + 1))) {
      await expireExport(transaction, { workspace_id, id });
    }
    const times = { created_at: timeIn(0), wanted_until: timeIn(wantedMs / 1000), expires_at: timeIn(keptMs / 1000) };
    const added = await transaction
      .insertInto('exports')
      .values({ ...row, ...times })
      .returning(shownColumns)
      .executeTakeFirstOrThrow();
    if (added.status === 'processing') await enqueueJob(transaction, added, 'export', {});
    return added;
  });
}

/**
 * Renews the lease and stores the progress. An export that nothing waits for any more expires.
 * @returns false when the attempt is to be given up: the lease is lost, or the export was cancelled or has expired
 */
export function reportExport(db: Catalog, job: ClaimedJob<'export'>, progress: number): Promise<boolean> {
  return inRows(db, async (transaction) => {
    if (!(await renewLease(transaction, job))) return false;
    const shown = await updateExport(transaction, job)
      .set({ progress })
      .where('wanted_until', '>', dialectOf(transaction).timeIn(0))
      .returning('id')
      .executeTakeFirst();
    if (shown) return true;
    await cancelExport(transaction, job);
    return false;
  });
}

/** Ends an export and its job. @returns false, storing nothing, when the lease is lost or the export was cancelled or has expired */
export async function completeExport(
  db: Catalog,
  job: ClaimedJob<'export'>,
  result: Pick<ExportRow, 'status' | 'error' | 'produced' | 'size'>,
): Promise<boolean> {
  const stored = await completeJob(db, job, (transaction) =>
    updateExport(transaction, job)
      .set({ ...result, progress: 1 })
      .returning('id')
      .executeTakeFirst(),
  );
  return stored?.id !== undefined;
}

/** Lets an export expire now. An attempt that is under way loses its lease. */
export async function cancelExport(db: Catalog, key: ExportKey): Promise<void> {
  await deleteJob(db, { ...key, kind: 'export' });
  await expireExport(db, key);
}

/** Forgets an export that has expired, once its files are removed. */
export async function deleteExport(db: Catalog, key: ExportKey): Promise<void> {
  await deleteJob(db, { ...key, kind: 'export' });
  await db.deleteFrom('exports').where('workspace_id', '=', key.workspace_id).where('id', '=', key.id).execute();
}

/** Forgets all exports: in a copy of a catalog, which has none of their files. */
export async function deleteAllExports(db: Catalog): Promise<void> {
  await db.deleteFrom('jobs').where('kind', '=', 'export').execute();
  await db.deleteFrom('exports').execute();
}
