import type { ExpressionBuilder, ExpressionWrapper, SqlBool } from 'kysely';
import type { Catalog, Database } from './schema.ts';

/**
 * A worker holds a job by a lease: when it falls silent for longer than that, another worker takes the job. The first may still be
 * alive (suspended, hanging, or the clock was changed), so the lease protects nothing by itself. Every claim gets a fencing token,
 * larger than all before it, and a worker's writes take effect only while the job still has its token (Kleppmann, "How to do
 * distributed locking", 2016). Its renditions lie in a folder that is named by the token.
 */
export type Lease = { workspace_id: string; /** Of the item. */ id: string; token: number };

/** Attempts that the lease's job has had, this one included. */
export type Claim = Lease & { attempts: number };

/**
 * Why a job is put back. `broke off`: it failed, or its worker did, which counts as an attempt. `stopped`: the worker was asked to
 * stop. `machine failed`: such as a full disk, which is no fault of the file; the job rests for a while.
 */
export type ReleaseReason = 'broke off' | 'stopped' | 'machine failed';

/** `jobs`: items to be indexed. `embedding_jobs`: items whose chunks are to be embedded again. */
type JobTable = 'jobs' | 'embedding_jobs';

/** A job that was begun this often and never came to an end is given up. */
export const maxAttempts = 3;

/** How long a silent worker keeps its job. */
const leaseSeconds = 30;
/** How long a job rests when the machine failed. */
const backoffSeconds = 60;

const secondsFromNow = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString();

/** A fencing token, larger than all before it. */
export async function nextFencingToken(db: Catalog): Promise<number> {
  const { last } = await db
    .updateTable('fencing_counter')
    .set((e) => ({ last: e('last', '+', 1) }))
    .returning('last')
    .executeTakeFirstOrThrow();
  return last;
}

/**
 * Takes the oldest free job for a worker. One whose worker fell silent in its last attempt comes with more than `maxAttempts`
 * attempts and is to be given up. Call it in a transaction.
 */
export async function claimLease(db: Catalog, table: JobTable, worker: string): Promise<Claim | undefined> {
  const job = await db
    .selectFrom(table)
    .select(['workspace_id', 'media_id', 'attempts'])
    .where(isClaimable)
    // Identifiers of items grow with time, but an item that is retried comes last.
    .orderBy(db.dynamic.ref(table === 'jobs' ? 'created_at' : 'media_id'))
    .limit(1)
    .executeTakeFirst();
  if (!job) return undefined;
  const token = await nextFencingToken(db);
  const claim = { workspace_id: job.workspace_id, id: job.media_id, token, attempts: job.attempts + 1 };
  await db
    .updateTable(table)
    .set({ token, attempts: claim.attempts, lease_owner: worker, lease_until: secondsFromNow(leaseSeconds) })
    .where('workspace_id', '=', claim.workspace_id)
    .where('media_id', '=', claim.id)
    .execute();
  return claim;
}

/**
 * Nobody holds the job, and it does not rest. A time further ahead than any that is ever stored was stored before the clock was set
 * back, and counts as past.
 */
function isClaimable(e: ExpressionBuilder<Database, JobTable>): ExpressionWrapper<Database, JobTable, SqlBool> {
  const now = secondsFromNow(0);
  return e.and([
    e.or([
      e('lease_owner', 'is', null),
      e('lease_until', '<', now),
      e('lease_until', '>', secondsFromNow(leaseSeconds)),
    ]),
    e.or([
      e('available_at', 'is', null),
      e('available_at', '<', now),
      e('available_at', '>', secondsFromNow(backoffSeconds)),
    ]),
  ]);
}

/**
 * Renews a lease. Whatever a worker writes, it writes in a transaction that begins with this.
 * @returns false when the lease is lost: the item was deleted, the job was put back, or somebody else took it
 */
export async function renewLease(db: Catalog, table: JobTable, lease: Lease): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable(table)
    .set({ lease_until: secondsFromNow(leaseSeconds) })
    .where('workspace_id', '=', lease.workspace_id)
    .where('media_id', '=', lease.id)
    .where('token', '=', lease.token)
    .where('lease_owner', 'is not', null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Gives a job back, to be claimed again. */
export async function requeueJob(db: Catalog, table: JobTable, job: Claim, reason: ReleaseReason): Promise<void> {
  await db
    .updateTable(table)
    .set({
      attempts: reason === 'broke off' ? job.attempts : job.attempts - 1,
      lease_owner: null,
      lease_until: null,
      available_at: reason === 'machine failed' ? secondsFromNow(backoffSeconds) : null,
    })
    .where('workspace_id', '=', job.workspace_id)
    .where('media_id', '=', job.id)
    .execute();
}

/**
 * Jobs that are held.
 * @param worker by this worker, or null for all
 */
export async function listLeasedJobs(db: Catalog, table: JobTable, worker: string | null): Promise<Claim[]> {
  return db
    .selectFrom(table)
    .select(['workspace_id', 'media_id as id', 'token', 'attempts'])
    .where('lease_owner', 'is not', null)
    .$if(worker !== null, (query) => query.where('lease_owner', '=', worker))
    .execute();
}

export async function deleteJob(db: Catalog, table: JobTable, job: Pick<Lease, 'workspace_id' | 'id'>): Promise<void> {
  await db.deleteFrom(table).where('workspace_id', '=', job.workspace_id).where('media_id', '=', job.id).execute();
}
