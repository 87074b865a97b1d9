import { type RawBuilder, type Selectable, sql, type SqlBool } from 'kysely';
import { dialectOf } from '../dialect/dialect.ts';
import type { Catalog, Database } from '../schema.ts';
import { holdFor } from '../sources/held-jobs.ts';
import type { ItemJobKind, JobKind, JobPayloads, RequestJobKind } from '../tables/jobs.ts';
import { inRows, inWorkspace } from '../transactions.ts';
import { hungPriority, itemLane, jobKinds, type Lane, laneOf } from './job-kinds.ts';
import { isAhead, isFree, isHeld, leaseEnd, leaseTo, noLease } from './leases.ts';

/**
 * The queue of jobs: work on an item or an export that a worker does later. All kinds are claimed, renewed, requeued and ended here; what differs
 * between them is in `jobKinds` and in their handlers. A new kind is an entry of `JobPayloads` (`tables/jobs.ts`), one of `jobKinds` and a handler of
 * `server/jobs/job-handlers.ts`; a missing one is a type error.
 *
 * A worker holds a job by a lease: when it does not renew it in time, another worker claims the job. The first may still be
 * alive (suspended, hanging, or the clock was changed), so the lease alone protects nothing. Every claim gets a fencing token,
 * larger than all before it, and a worker's writes take effect only while the job still has its token (Kleppmann, "How to do
 * distributed locking", 2016). Its renditions are in a folder that is named by the token.
 */

/** The right to write the result of a job and the status of what it is about. */
export type Lease = {
  workspace_id: string;
  /** Of the item, or of the export. */ id: string;
  kind: JobKind;
  token: number;
};

/** A claimed job. */
export type ClaimedJob<Kind extends JobKind = JobKind> = {
  [Each in Kind]: Lease & {
    kind: Each;
    priority: number;
    payload: JobPayloads[Each];
    /** This one included. */
    attempts: number;
  };
}[Kind];

/** A claimed job on an item, with the item. */
export type Job<Kind extends ItemJobKind = ItemJobKind> = {
  [Each in Kind]: Selectable<Database['media_items']> & ClaimedJob<Each>;
}[Kind];

/** How long a job waits after a failure of the machine, seconds. */
const backoffSeconds = 60;

type Owner = { workspace_id: string; id: string };

/**
 * Why a job is requeued. `broke off`: it or its worker failed, which counts as an attempt. `hung`: its worker was ended because it did not
 * advance, which counts too, and others come first from then on. `stopped`: the worker was asked
 * to stop. `machine failed`: for example a full disk, which the file did not cause; the job waits for a while.
 */
export type ReleaseReason = 'broke off' | 'hung' | 'stopped' | 'machine failed';

/** The columns of a new job. */
export const newJob = <Kind extends JobKind>(kind: Kind, payload: JobPayloads[Kind]) => ({
  kind,
  priority: jobKinds[kind].priority,
  payload: JSON.stringify(payload),
  created_at: new Date().toISOString(),
});

/** Adds a job for an item. An item has at most one of each kind. */
export async function enqueueJob<Kind extends JobKind>(
  db: Catalog,
  { workspace_id, id }: Owner,
  kind: Kind,
  payload: JobPayloads[Kind],
): Promise<void> {
  const job = newJob(kind, payload);
  await db
    .insertInto('jobs')
    .values({
      workspace_id,
      media_id: id,
      ...job,
      ...(kind === 'index' && { priority: sql<number>`${sql.lit(job.priority)} + ${holdFor(workspace_id, id)}` }),
    })
    .execute();
}

/** A fencing token, larger than all before it. */
export async function nextFencingToken(db: Catalog): Promise<number> {
  const { rows } = await dialectOf(db).nextToken.execute(db);
  if (!rows[0]) throw new Error('The catalog gave no fencing token.');
  return rows[0].token;
}

/** Takes the next job on an item for a worker (`selectNextJob`), with its item. */
export function claimJob(db: Catalog, worker: string): Promise<Job | undefined> {
  return inRows(db, async (transaction) => {
    const job = await claimIn(transaction, worker, itemLane);
    if (!job) return undefined;
    const item = await transaction
      .selectFrom('media_items')
      .selectAll()
      .where('workspace_id', '=', job.workspace_id)
      .where('id', '=', job.id)
      .executeTakeFirstOrThrow();
    return { ...item, ...job } as Job;
  });
}

/** Takes the next job of a kind that has a lane of its own. */
export async function claimJobOf<Kind extends RequestJobKind>(
  db: Catalog,
  worker: string,
  kind: Kind,
): Promise<ClaimedJob<Kind> | undefined> {
  const lane = laneOf(kind);
  // Read first: in SQLite a transaction waits for whatever else is written, and requests with it.
  if (!(await hasClaimableIn(db, lane))) return undefined;
  const claimed = await inRows(db, (transaction) => claimIn(transaction, worker, lane));
  return claimed as ClaimedJob<Kind> | undefined;
}

/** Takes the next job of a lane. Jobs whose attempts are used up are given up. */
async function claimIn(transaction: Catalog, worker: string, lane: Lane): Promise<ClaimedJob | undefined> {
  for (;;) {
    const free = await lockNextJob(transaction, lane);
    if (!free) return undefined;
    const { kind, priority } = free;
    const job = { workspace_id: free.workspace_id, id: free.media_id, kind };
    // Its worker stopped renewing the lease in the last attempt.
    if (free.attempts >= jobKinds[kind].maxAttempts) {
      await jobKinds[kind].exhausted(transaction, job);
      await deleteJob(transaction, job);
      continue;
    }
    const claim = { token: await nextFencingToken(transaction), attempts: free.attempts + 1 };
    await jobOf(transaction.updateTable('jobs'), job)
      .set({ ...claim, ...leaseTo(transaction, 'jobs', worker) })
      .execute();
    await jobKinds[kind].claimed(transaction, job);
    // Last, because other claims of this workspace wait for it.
    await noteTurn(transaction, free, claim.token);
    return { ...job, ...claim, priority, payload: JSON.parse(free.payload) as unknown } as ClaimedJob;
  }
}

/**
 * The job of a lane that is claimed next, locked. Several that claim at once find that it is the turn of the same workspace; one that finds all its
 * jobs locked takes one of another, so that none goes away while there is work.
 */
async function lockNextJob(db: Catalog, lane: Lane): Promise<FreeJob | undefined> {
  const [next] = (await selectNextJob(db, lane).execute(db)).rows;
  if (next) return next;
  const { rows } = await sql<FreeJob>`
    select ${jobColumns} from jobs where ${isIn(lane)} and ${isClaimable(db)} order by priority limit 1 ${dialectOf(db).lockingFirst}
  `.execute(db);
  return rows[0];
}

/** Notes that a workspace had its turn among the jobs of a priority. */
async function noteTurn(db: Catalog, { workspace_id, priority }: FreeJob, token: number): Promise<void> {
  await db
    .insertInto('job_turns')
    .values({ workspace_id, priority, last_claim: token })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'priority']).doUpdateSet({ last_claim: token }))
    .execute();
}

const jobColumns = sql`workspace_id, media_id, kind, priority, payload, attempts`;

/** No worker holds the job, and it does not wait. */
const isClaimable = (db: Catalog): RawBuilder<SqlBool> =>
  sql`(${isFree(db, 'jobs')} and not ${isAhead(db, 'jobs.available_at', backoffSeconds)})`;

const isIn = ([first, last]: Lane): RawBuilder<SqlBool> => sql`priority between ${sql.lit(first)} and ${sql.lit(last)}`;

/** Only the index `jobs_order` has this order: PostgreSQL would otherwise take another, and read all jobs of other priorities. */
const inOrderOfJobs = sql`order by workspace_id, created_at, media_id limit 1`;

/** The workspaces that have jobs of a priority, as a table of a query: from each to the next, over the jobs between. */
const waitingWorkspaces = (priority: RawBuilder<number>): RawBuilder<unknown> => sql`
  waiting (workspace_id) as (
    select (select workspace_id from jobs where priority = ${priority} ${inOrderOfJobs})
    union all
    select (select workspace_id from jobs where priority = ${priority} and workspace_id > waiting.workspace_id ${inOrderOfJobs})
    from waiting where workspace_id is not null
  )
`;

/** When a workspace had its last turn among the jobs of a priority, as a fencing token. */
const lastTurn = (workspaceId: RawBuilder<unknown>, priority: RawBuilder<number>): RawBuilder<number> => sql`
  coalesce((select last_claim from job_turns where workspace_id = ${workspaceId} and priority = ${priority}), 0)
`;

/**
 * Whether the workspace `id` of a query has a job of a priority that can be claimed. SQLite makes a join of `exists`, and then looks at each job
 * of each workspace.
 */
const hasClaimable = (db: Catalog, priority: RawBuilder<number>): RawBuilder<unknown> =>
  sql`(select 1 from jobs where priority = ${priority} and workspace_id = id and ${isClaimable(db)}
    order by created_at, media_id limit 1) is not null`;

/** How many jobs of a lane and a workspace are running. */
const countHeld = (db: Catalog, lane: Lane, workspaceId: RawBuilder<unknown>): RawBuilder<number> =>
  sql`(select count(*) from jobs where workspace_id = ${workspaceId} and ${isIn(lane)} and ${isHeld(db, 'jobs')})`;

/** A job that can be claimed. */
type FreeJob = Pick<
  Selectable<Database['jobs']>,
  'workspace_id' | 'media_id' | 'kind' | 'priority' | 'payload' | 'attempts'
>;

/**
 * The job that is claimed next: of the smallest priority, of the workspace that is served least, its oldest. Served least is the one with the
 * fewest running jobs, and of those the one whose last claim of that priority is longest ago, so that however much one has queued, another
 * waits for one job of it. Claims of other priorities do not count: who uploads something now and then would never have its turn among the
 * videos that are read. It looks into an index for each workspace that waits; how much each has queued makes no difference.
 */
export function selectNextJob(db: Catalog, lane: Lane = itemLane): RawBuilder<FreeJob> {
  const claimable = isClaimable(db);
  const first = sql<number>`(select priority from first)`;
  return sql<FreeJob>`
    with recursive
      first (priority) as (select priority from jobs where ${isIn(lane)} and ${claimable} order by priority limit 1),
      ${waitingWorkspaces(first)}
    select ${jobColumns} from jobs
    where priority = ${first} and ${claimable} and workspace_id = (
      select id from waiting join workspaces on id = waiting.workspace_id
      where ${hasClaimable(db, first)}
      order by ${countHeld(db, lane, sql`id`)}, ${lastTurn(sql`id`, first)}, id limit 1
    )
    -- Jobs that were added together have the same time; identifiers of items grow with time.
    order by created_at, media_id limit 1 ${dialectOf(db).lockingFirst}
  `;
}

/**
 * Renews a lease. Whatever a worker writes, it writes in a transaction that begins with this.
 * @returns false when the lease is lost: the item was deleted, the job was requeued, or another worker has it
 */
export async function renewLease(db: Catalog, lease: Lease): Promise<boolean> {
  const { numUpdatedRows } = await jobOf(db.updateTable('jobs'), lease)
    .set({ lease_until: leaseEnd(db, 'jobs') })
    .where('token', '=', lease.token)
    .where('lease_owner', 'is not', null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/**
 * Renews a lease where a part of the work is stored: whatever breaks off from then on is a first attempt at the rest.
 * @returns false when the lease is lost
 */
export async function keepJob(db: Catalog, job: Lease): Promise<boolean> {
  if (!(await renewLease(db, job))) return false;
  await jobOf(db.updateTable('jobs'), job).set({ attempts: 1 }).execute();
  return true;
}

/** Whether a job waits, of any workspace, that comes before another one. Among jobs of a priority none makes way. */
export const hasMoreUrgentJob = (db: Catalog, { priority }: Pick<Job, 'priority'>): Promise<boolean> =>
  hasClaimableIn(db, [itemLane[0], priority - 1]);

async function hasClaimableIn(db: Catalog, lane: Lane): Promise<boolean> {
  const found = await db
    .selectFrom('jobs')
    .select('priority')
    .where(isIn(lane))
    .where(isClaimable(db))
    // So that an index is used whatever the database believes of how many there are.
    .orderBy('priority')
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** Whether a job of the same priority waits of a workspace that is served less, also when this job is put back. */
export async function hasLessServedJob(db: Catalog, job: Pick<Job, 'workspace_id' | 'priority'>): Promise<boolean> {
  const priority = sql<number>`${job.priority}`;
  const own = sql`${job.workspace_id}`;
  const { rows } = await sql`
    with recursive ${waitingWorkspaces(priority)}
    select 1 from waiting join workspaces on id = waiting.workspace_id
    where id <> ${own} and ${hasClaimable(db, priority)}
      and (${countHeld(db, itemLane, sql`id`)}, ${lastTurn(sql`id`, priority)}) < (${countHeld(db, itemLane, own)} - 1, ${lastTurn(own, priority)})
    limit 1
  `.execute(db);
  return rows.length > 0;
}

/** A job that is under way, and its priority. */
export type HeldJob = Lease & Pick<Job, 'priority'>;

/** Whether a job is still under way, and another waits that is more urgent, or as urgent and of another workspace. */
export async function holdsUpOthers(db: Catalog, job: HeldJob): Promise<boolean> {
  const held = await jobOf(db.selectFrom('jobs').select('token'), job)
    .where('token', '=', job.token)
    .where('lease_owner', 'is not', null)
    .executeTakeFirst();
  if (!held) return false;
  if (await hasMoreUrgentJob(db, job)) return true;
  const priority = sql<number>`${job.priority}`;
  const { rows } = await sql`
    with recursive ${waitingWorkspaces(priority)}
    select 1 from waiting join workspaces on id = waiting.workspace_id
    where id <> ${job.workspace_id} and ${hasClaimable(db, priority)}
    limit 1
  `.execute(db);
  return rows.length > 0;
}

/**
 * Stores the result of a job and removes it, in one transaction.
 * @returns what `store` returns, or null, storing nothing, when the lease is lost
 */
export function completeJob<Result>(
  db: Catalog,
  job: Lease,
  store: (transaction: Catalog) => Promise<Result>,
): Promise<Result | null> {
  return inWorkspace(db, job.workspace_id, async (transaction) => {
    if (!(await renewLease(transaction, job))) return null;
    const result = await store(transaction);
    await deleteJob(transaction, job);
    return result;
  });
}

/**
 * The same, where only that it was stored matters.
 * @returns false when the lease is lost
 */
export const endJob = (db: Catalog, job: Lease, store?: (transaction: Catalog) => Promise<unknown>): Promise<boolean> =>
  completeJob(db, job, async (transaction) => {
    await store?.(transaction);
    return true;
  }).then((stored) => stored ?? false);

/**
 * Returns a job to the queue; after the last attempt it is given up.
 * @returns false, storing nothing, when the lease is lost
 */
export function releaseJob(db: Catalog, job: Lease & { attempts: number }, reason: ReleaseReason): Promise<boolean> {
  return inWorkspace(db, job.workspace_id, async (transaction) => {
    if (!(await renewLease(transaction, job))) return false;
    const counts = reason === 'broke off' || reason === 'hung';
    if (counts && job.attempts >= jobKinds[job.kind].maxAttempts) {
      await jobKinds[job.kind].exhausted(transaction, job);
      await deleteJob(transaction, job);
      return true;
    }
    await jobOf(transaction.updateTable('jobs'), job)
      .set({
        attempts: counts ? job.attempts : job.attempts - 1,
        ...noLease,
        available_at: reason === 'machine failed' ? dialectOf(transaction).timeIn(backoffSeconds) : null,
      })
      .execute();
    if (reason === 'hung') {
      await jobOf(transaction.updateTable('jobs'), job)
        .set({ priority: hungPriority })
        .where('priority', '<', hungPriority)
        .execute();
    }
    await jobKinds[job.kind].requeued(transaction, job);
    return true;
  });
}

/** Releases the jobs of workers that are gone. @param prefix what their identifiers begin with, and no other's */
export async function releaseJobsOf(db: Catalog, prefix: string, reason: ReleaseReason): Promise<void> {
  const theirs = sql<SqlBool>`substr(lease_owner, 1, ${sql.lit(prefix.length)}) = ${prefix}`;
  for (const job of await selectLeasedJobs(db).where(theirs).execute()) {
    await releaseJob(db, job, reason);
  }
}

/** Releases every job that is held. To be called only while no worker runs. */
export async function releaseAllJobs(db: Catalog, reason: ReleaseReason): Promise<void> {
  for (const job of await selectLeasedJobs(db).execute()) await releaseJob(db, job, reason);
}

const selectLeasedJobs = (db: Catalog) =>
  db
    .selectFrom('jobs')
    .select(['workspace_id', 'media_id as id', 'kind', 'token', 'attempts'])
    .where('lease_owner', 'is not', null);

/** Removes a job. An attempt that is under way loses its lease. */
export async function deleteJob(db: Catalog, job: Owner & { kind: JobKind }): Promise<void> {
  await jobOf(db.deleteFrom('jobs'), job).execute();
}

/** Narrows a statement to one job. */
function jobOf<
  Statement extends { where(column: 'workspace_id' | 'media_id' | 'kind', operator: '=', value: string): Statement },
>(statement: Statement, { workspace_id, id, kind }: Owner & { kind: JobKind }): Statement {
  return statement.where('workspace_id', '=', workspace_id).where('media_id', '=', id).where('kind', '=', kind);
}
