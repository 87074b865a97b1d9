import type { FastifyBaseLogger } from 'fastify';
import type { Workspace } from '../../../contract/workspace.ts';
import { findPlan, type Plan } from '../accounts/plans.ts';
import { findQuotaViolation, type QuotaViolation } from '../accounts/quota.ts';
import { today } from '../accounts/usage.ts';
import type { Catalog } from '../schema.ts';
import { inRows } from '../transactions.ts';
import { type BufferedValue, type BufferedWrites, bufferWrites } from './buffered-writes.ts';

type UsageDay = Workspace['usage']['history'][number];

/** How long plan and counts of a workspace are cached: a change by the operator takes effect after this time at the latest. */
const cacheMs = 1000;
/** Days of the statistics that are shown. */
const shownDays = 90;

/** Plan and searches of a workspace on a day. */
type Budget = {
  plan: Plan;
  date: string;
  /** Searches on the other days of the month. */
  before: number;
  /** Searches of the day that this process knows of. */
  searches: number;
};

export type SearchCounter = ReturnType<typeof createSearchCounter>;

/**
 * Counts searches in a buffer. Where the plan limits them and other processes count too, each is stored before it is allowed, so that no two
 * processes allow the same one.
 */
export function createSearchCounter(db: Catalog, isShared: boolean, log: Pick<FastifyBaseLogger, 'error'>) {
  const buffered = bufferWrites<number>({
    merge: (earlier, later) => earlier + later,
    store: (counts) =>
      inRows(db, async (transaction) => {
        for (const { workspaceId, name, value } of counts) await addSearches(transaction, workspaceId, name, value);
      }),
    what: 'search counts',
    log,
  });
  const findBudget = cacheBudgets(db, buffered);

  return {
    /** Counts a search when the plan allows one more this month (UTC). @returns the limit that is reached, else undefined */
    async countIfAllowed(workspaceId: string): Promise<QuotaViolation | undefined> {
      const date = today();
      const budget = await findBudget(workspaceId, date);
      const { plan, before } = budget;
      if (plan.searches_per_month !== null && isShared) {
        if (await addWithin(db, workspaceId, date, plan.searches_per_month - before)) return undefined;
        return findQuotaViolation(plan, 'searches_per_month', plan.searches_per_month, 1);
      }
      const violation = findQuotaViolation(plan, 'searches_per_month', before + budget.searches, 1);
      if (violation) return violation;
      budget.searches += 1;
      buffered.add({ workspaceId, name: date, value: 1 });
      return undefined;
    },

    /** The searches of a workspace this month (UTC), and its last 90 days on which something happened. */
    async read(workspaceId: string): Promise<Pick<Workspace['usage'], 'searches_per_month' | 'history'>> {
      const history = await readHistory(db, buffered, workspaceId);
      return { searches_per_month: sumOfMonth(history, today()), history };
    },

    flush: buffered.flush,
    stop: () => buffered.stop(),
  };
}

/** Caches the budgets of the workspaces that search. */
function cacheBudgets(db: Catalog, buffered: BufferedWrites<number>) {
  const cached = new Map<string, { date: string; readAt: number; budget: Promise<Budget> }>();

  async function read(workspaceId: string, date: string): Promise<Budget> {
    const plan = await findPlan(db, workspaceId);
    if (plan.searches_per_month === null) return { plan, date, before: 0, searches: 0 };
    const history = await readHistory(db, buffered, workspaceId);
    const searches = history.find((day) => day.date === date)?.searches ?? 0;
    return { plan, date, before: sumOfMonth(history, date) - searches, searches };
  }

  return (workspaceId: string, date: string): Promise<Budget> => {
    const known = cached.get(workspaceId);
    const now = performance.now();
    if (known?.date === date && now - known.readAt < cacheMs) return known.budget;
    const budget = read(workspaceId, date);
    cached.set(workspaceId, { date, readAt: now, budget });
    // The next search reads again.
    budget.catch(() => cached.delete(workspaceId));
    return budget;
  };
}

/** The last days of a workspace with the searches that are not stored yet, the oldest first. A new day has the stored bytes of the last one. */
function readHistory(db: Catalog, buffered: BufferedWrites<number>, workspaceId: string): Promise<UsageDay[]> {
  return buffered.betweenFlushes(async () => {
    const days = await db
      .selectFrom('usage_days')
      .where('workspace_id', '=', workspaceId)
      .select(['date', 'uploads', 'searches', 'storage_bytes'])
      .orderBy('date', 'desc')
      .limit(shownDays)
      .execute();
    return addPending(days.toReversed(), buffered.list(workspaceId));
  });
}

function addPending(days: UsageDay[], pending: BufferedValue<number>[]): UsageDay[] {
  const byDate = new Map(days.map((day) => [day.date, day]));
  for (const { name: date, value } of pending) {
    const storage_bytes = days.findLast((day) => day.date < date)?.storage_bytes ?? 0;
    const day = byDate.get(date) ?? { date, uploads: 0, searches: 0, storage_bytes };
    byDate.set(date, { ...day, searches: day.searches + value });
  }
  return [...byDate.values()].toSorted((a, b) => (a.date < b.date ? -1 : 1)).slice(-shownDays);
}

/** The searches in the month of a date. */
function sumOfMonth(days: UsageDay[], date: string): number {
  const month = date.slice(0, 7);
  return days.filter((day) => day.date.startsWith(month)).reduce((sum, { searches }) => sum + searches, 0);
}

/** Adds a search to a day unless it then has more than `most`, in one statement that locks the row. @returns whether it was added */
async function addWithin(db: Catalog, workspaceId: string, date: string, most: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('usage_days')
    .set((e) => ({ searches: e('searches', '+', 1) }))
    .where('workspace_id', '=', workspaceId)
    .where('date', '=', date)
    .where('searches', '<', most)
    .executeTakeFirstOrThrow();
  // The first of the day has no row yet.
  return numUpdatedRows > 0n || (most > 0 && (await addSearches(db, workspaceId, date, 1, most)));
}

/**
 * Adds searches to a day, unless it then has more than `most`. A new day begins with the stored bytes; a workspace that is gone is skipped.
 * @returns whether they were added
 */
export async function addSearches(
  db: Catalog,
  workspaceId: string,
  date: string,
  searches: number,
  most = Number.MAX_SAFE_INTEGER,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('usage_days')
    .columns(['workspace_id', 'date', 'searches', 'storage_bytes'])
    .expression((e) =>
      e
        .selectFrom('workspaces')
        .where('id', '=', workspaceId)
        .select((w) => [
          'id',
          w.val(date).as('date'),
          w.cast<number>(w.val(searches), 'bigint').as('searches'),
          w
            .selectFrom('media_totals')
            .whereRef('workspace_id', '=', 'workspaces.id')
            .select((t) => t.fn.coalesce(t.cast<number>(t.fn.sum<number>('bytes'), 'bigint'), t.lit(0)).as('bytes'))
            .as('storage_bytes'),
        ]),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'date'])
        .doUpdateSet((e) => ({ searches: e('usage_days.searches', '+', searches) }))
        .where('usage_days.searches', '<=', most - searches),
    )
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows !== 0n;
}
