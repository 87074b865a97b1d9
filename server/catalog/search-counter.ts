import type { FastifyBaseLogger } from 'fastify';
import { findPlan } from './plans.ts';
import { type QuotaViolation, findQuotaViolation } from './quota.ts';
import type { Catalog } from './schema.ts';
import { addSearches, readSearchesThisMonth, today } from './usage.ts';

/** How long counted searches wait to be stored. */
const flushIntervalMs = 1000;

export type SearchCounter = ReturnType<typeof createSearchCounter>;

/**
 * Counts the searches of each workspace, in memory first: a commit for each search would wait for the disk and block the process that
 * answers all requests. A crash loses the searches of the last second.
 * Single process: the check against the plan sees the searches of this process only. With a second one each could exceed the monthly limit
 * by what the others have not stored yet; an exact limit then needs a conditional update of the stored count for each search.
 */
export function createSearchCounter(db: Catalog, log: Pick<FastifyBaseLogger, 'error'>) {
  const pending = createPendingSearches(db);
  let flushing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  /** Grows whenever counts move from memory to the catalog. */
  let flushCount = 0;

  async function storePending(): Promise<void> {
    if (await pending.store()) flushCount += 1;
  }

  /** Stores the counts. Throws the errors of the database; the counts stay in memory then. */
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

  function scheduleFlush(): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      flush().catch((error: unknown) => {
        log.error({ err: error }, 'search counts could not be stored; they are retried');
        scheduleFlush();
      });
    }, flushIntervalMs).unref();
  }

  return {
    /** Counts a search when the plan allows one more this month. @returns the limit that is reached, else undefined */
    async countIfAllowed(workspaceId: string): Promise<QuotaViolation | undefined> {
      const plan = await findPlan(db, workspaceId);
      for (;;) {
        await flushing?.catch(() => undefined);
        const before = flushCount;
        const stored = plan.searches_per_month === null ? 0 : await readSearchesThisMonth(db, workspaceId);
        // Counts that were stored during this read would be missed, or counted twice.
        if (flushing || before !== flushCount) continue;
        // No await from here on, so that concurrent searches cannot pass together.
        const violation = findQuotaViolation(plan, 'searches_per_month', stored + pending.count(workspaceId), 1);
        if (violation) return violation;
        pending.add(workspaceId);
        scheduleFlush();
        return undefined;
      }
    },

    flush,

    /** Stores the counts for the last time. */
    async stop(): Promise<void> {
      clearTimeout(timer);
      await flush().catch((error: unknown) => log.error({ err: error }, 'the last search counts could not be stored'));
    },
  };
}

/** Searches that are not stored yet, by workspace and day. */
function createPendingSearches(db: Catalog) {
  let pending = new Map<string, { workspaceId: string; date: string; searches: number }>();
  return {
    add(workspaceId: string): void {
      const date = today();
      const key = `${workspaceId} ${date}`;
      const entry = pending.get(key) ?? { workspaceId, date, searches: 0 };
      entry.searches += 1;
      pending.set(key, entry);
    },

    count: (workspaceId: string): number =>
      [...pending.values()].reduce((sum, each) => sum + (each.workspaceId === workspaceId ? each.searches : 0), 0),

    /** Adds the counts to the catalog; searches that are counted meanwhile stay pending. @returns whether there were any */
    async store(): Promise<boolean> {
      const entries = [...pending.values()];
      if (entries.length === 0) return false;
      const counts = entries.map((entry) => ({ ...entry }));
      await db.transaction().execute(async (transaction) => {
        for (const { workspaceId, date, searches } of counts) {
          await addSearches(transaction, workspaceId, date, searches);
        }
      });
      for (const [i, entry] of entries.entries()) entry.searches -= counts[i]?.searches ?? 0;
      pending = new Map([...pending].filter(([, { searches }]) => searches > 0));
      return true;
    },
  };
}
