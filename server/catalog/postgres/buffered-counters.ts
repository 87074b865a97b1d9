import type { FastifyBaseLogger } from 'fastify';
import { resolutionMs } from '../accounts/key-uses.ts';
import { findPlan, type Plan } from '../accounts/plans.ts';
import { findQuotaViolation } from '../accounts/quota.ts';
import { today } from '../accounts/usage.ts';
import type { KeyUses, SearchCounter, ShareViews } from '../counters/buffered-counters.ts';
import { collectWrites } from '../counters/collected-writes.ts';
import { readMediaUsage } from '../media/media-totals.ts';
import type { Catalog } from '../schema.ts';
import { inRows } from '../transactions.ts';

/** How late counts are stored where several processes serve requests: each adds what it collected. */

type Log = Pick<FastifyBaseLogger, 'error'>;

/** How long a plan is remembered: what the operator changes takes effect after this time at the latest. */
const roomLifetimeMs = 1000;
/** Days of the statistics that are shown. */
const shownDays = 90;

/**
 * Counts searches. Where the plan limits them each is stored before it is allowed, so that no two processes allow the same one; where it does
 * not they are collected.
 */
export function createPostgresSearchCounter(db: Catalog, log: Log): SearchCounter {
  const rooms = new Map<string, Room>();
  const collected = collectWrites<number>({
    merge: (earlier, later) => earlier + later,
    store: (counts) =>
      inRows(db, async (transaction) => {
        for (const { workspaceId, name: date, value } of counts)
          await addSearches(transaction, workspaceId, date, value);
      }),
    what: 'search counts',
    log,
  });

  async function findRoom(workspaceId: string, date: string): Promise<Room> {
    const known = rooms.get(workspaceId);
    const now = performance.now();
    if (known?.date === date && now - known.readAt < roomLifetimeMs) return known;
    const room = { ...(await readRoom(db, workspaceId, date)), date, readAt: now };
    rooms.set(workspaceId, room);
    return room;
  }

  return {
    async countIfAllowed(workspaceId) {
      const date = today();
      const { plan, most } = await findRoom(workspaceId, date);
      if (most === null) {
        collected.add({ workspaceId, name: date, value: 1 });
        return undefined;
      }
      if (await addToday(db, workspaceId, date, most)) return undefined;
      // The first of the day, or one too many.
      if (most > 0 && (await addSearches(db, workspaceId, date, 1, most))) return undefined;
      return findQuotaViolation(plan, 'searches_per_month', plan.searches_per_month ?? 0, 1);
    },

    async read(workspaceId) {
      await collected.flush();
      const days = await db
        .selectFrom('usage_days')
        .where('workspace_id', '=', workspaceId)
        .select(['date', 'uploads', 'searches', 'storage_bytes'])
        .orderBy('date', 'desc')
        .limit(shownDays)
        .execute();
      const month = monthOf(today());
      const searches = days.filter(({ date }) => monthOf(date) === month).reduce((sum, day) => sum + day.searches, 0);
      return { searches_per_month: searches, history: days.toReversed() };
    },

    stop: () => collected.stop(),
  };
}

/** `2026-11-21` → `2026-11` */
const monthOf = (date: string): string => date.slice(0, 7);

/**
 * How many searches a workspace may have on a day; null: any number. The other days of the month do not change any more, and the row of the day is
 * locked by the statement that compares and counts.
 */
type Room = { plan: Plan; most: number | null; date: string; readAt: number };

async function readRoom(db: Catalog, workspaceId: string, date: string): Promise<Pick<Room, 'plan' | 'most'>> {
  const plan = await findPlan(db, workspaceId);
  if (plan.searches_per_month === null) return { plan, most: null };
  const { before } = await db
    .selectFrom('usage_days')
    .where('workspace_id', '=', workspaceId)
    .where('date', '>=', `${monthOf(date)}-01`)
    .where('date', '<', date)
    .select((e) => e.fn.coalesce(e.fn.sum<number>('searches'), e.lit(0)).as('before'))
    .executeTakeFirstOrThrow();
  return { plan, most: plan.searches_per_month - before };
}

/** Adds a search to a day that has some, unless it then had more than `most`. @returns whether it was added */
async function addToday(db: Catalog, workspaceId: string, date: string, most: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('usage_days')
    .set((e) => ({ searches: e('searches', '+', 1) }))
    .where('workspace_id', '=', workspaceId)
    .where('date', '=', date)
    .where('searches', '<', most)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/**
 * Adds searches to a day, unless it then had more than `most`. A new day begins with the bytes that are stored.
 * @returns whether they were added
 */
async function addSearches(
  db: Catalog,
  workspaceId: string,
  date: string,
  searches: number,
  most = Number.MAX_SAFE_INTEGER,
): Promise<boolean> {
  const { storage_bytes } = await readMediaUsage(db, workspaceId);
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('usage_days')
    .values({ workspace_id: workspaceId, date, searches, storage_bytes })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'date'])
        .doUpdateSet((e) => ({ searches: e('usage_days.searches', '+', searches) }))
        .where('usage_days.searches', '<=', most - searches),
    )
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows !== 0n;
}

/** Notes when keys were last used. Of two processes the later use counts. */
export function createPostgresKeyUses(db: Catalog, log: Log): KeyUses {
  const collected = collectWrites<string>({
    merge: (_earlier, later) => later,
    store: (uses) =>
      inRows(db, async (transaction) => {
        for (const { workspaceId, name, value } of uses) {
          await transaction
            .updateTable('api_keys')
            .set({ last_used_at: value })
            .where('workspace_id', '=', workspaceId)
            .where('id', '=', name)
            .where((e) => e.or([e('last_used_at', 'is', null), e('last_used_at', '<', value)]))
            .execute();
        }
      }),
    what: 'last uses of keys',
    log,
  });
  return {
    note({ id, workspace_id, last_used_at }) {
      const known = collected.find(workspace_id, id) ?? last_used_at;
      if (known !== null && Date.now() - Date.parse(known) <= resolutionMs) return;
      collected.add({ workspaceId: workspace_id, name: id, value: new Date().toISOString() });
    },
    stop: () => collected.stop(),
  };
}

/** Counts how often links were opened. */
export function createPostgresShareViews(db: Catalog, log: Log): ShareViews {
  const collected = collectWrites<number>({
    merge: (earlier, later) => earlier + later,
    store: (views) =>
      inRows(db, async (transaction) => {
        for (const { workspaceId, name, value } of views) {
          await transaction
            .updateTable('shares')
            .set((e) => ({ views: e('views', '+', value) }))
            .where('workspace_id', '=', workspaceId)
            .where('id', '=', name)
            .execute();
        }
      }),
    what: 'views of shared links',
    log,
  });
  return {
    note: ({ id, workspace_id }) => collected.add({ workspaceId: workspace_id, name: id, value: 1 }),
    stop: () => collected.stop(),
  };
}
