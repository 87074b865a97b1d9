import type { FastifyBaseLogger } from 'fastify';
import { findPlan } from './plans.ts';
import { type QuotaViolation, findQuotaViolation } from './quota.ts';
import type { Catalog } from './schema.ts';
import { addSearches, readSearchesThisMonth, today } from './usage.ts';

/** How long counted searches wait to be stored. */
const flushIntervalMs = 1000;

export type SearchCounter = ReturnType<typeof createSearchCounter>;

/**
 * Counts the searches of each workspace, in memory first: a commit for each search would wait for the disk in the process that
 * answers everybody. A crash forgets the searches of the last second.
 * Single process: with a second process each knows the searches of the other only once they are stored, so that a workspace could exceed its
 * quota by what both count within a second.
 */
export function createSearchCounter(db: Catalog, log: Pick<FastifyBaseLogger, 'error'>) {
  /** Searches that are not stored yet, by workspace and day. */
  let pending = new Map<string, { workspaceId: string; date: string; searches: number }>();
  let flushing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  /** Grows whenever counts move from memory to the catalog. */
  let flushCount = 0;

  const countPending = (workspaceId: string): number =>
    [...pending.values()].reduce((sum, each) => sum + (each.workspaceId === workspaceId ? each.searches : 0), 0);

  function add(workspaceId: string): void {
    const date = today();
    const key = `${workspaceId} ${date}`;
    const entry = pending.get(key) ?? { workspaceId, date, searches: 0 };
    entry.searches += 1;
    pending.set(key, entry);
    scheduleFlush();
  }

  function scheduleFlush(): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      flush().catch((error: unknown) => {
        log.error({ err: error }, 'searches were not counted yet');
        scheduleFlush();
      });
    }, flushIntervalMs).unref();
  }

  async function storePending(): Promise<void> {
    const entries = [...pending.values()];
    if (entries.length === 0) return;
    const counts = entries.map((entry) => ({ ...entry }));
    await db.transaction().execute(async (transaction) => {
      for (const { workspaceId, date, searches } of counts) await addSearches(transaction, workspaceId, date, searches);
    });
    flushCount += 1;
    for (const [i, entry] of entries.entries()) entry.searches -= counts[i]?.searches ?? 0;
    pending = new Map([...pending].filter(([, { searches }]) => searches > 0));
  }

  /** Stores what was counted. Throws what the database throws; nothing is lost by that. */
  async function flush(): Promise<void> {
    // One after the other, so that nothing is stored twice.
    const stored = (flushing ?? Promise.resolve())
      .catch(() => undefined)
      .then(storePending)
      .finally(() => {
        if (flushing === stored) flushing = undefined;
      });
    flushing = stored;
    await stored;
  }

  return {
    /** Counts a search, unless this month's are used up. */
    async countIfAllowed(workspaceId: string): Promise<QuotaViolation | undefined> {
      const plan = await findPlan(db, workspaceId);
      for (;;) {
        await flushing?.catch(() => undefined);
        const before = flushCount;
        const stored = plan.searches_per_month === null ? 0 : await readSearchesThisMonth(db, workspaceId);
        // What was stored while this read would be missed, or counted twice.
        if (flushing || before !== flushCount) continue;
        // From here on without waiting, so that searches at the same time cannot pass together.
        const violation = findQuotaViolation(plan, 'searches_per_month', stored + countPending(workspaceId), 1);
        if (!violation) add(workspaceId);
        return violation;
      }
    },

    flush,

    /** Stores what was counted, for the last time. */
    async stop(): Promise<void> {
      clearTimeout(timer);
      await flush().catch((error: unknown) => log.error({ err: error }, 'the last searches were not counted'));
    },
  };
}
