import type { FastifyBaseLogger } from 'fastify';
import type { Plan } from '../accounts/plans.ts';
import { findQuotaViolation } from '../accounts/quota.ts';
import { today } from '../accounts/usage.ts';
import type { SearchCounter } from '../counters/buffered-counters.ts';
import { createFlushing } from '../counters/late-writes.ts';
import { type NewSearches, openSearchCounts, type SearchCounts, type UsageDay } from './search-counts.ts';

/** How long a plan is remembered: a change by the operator takes effect after this time at the latest. */
const planLifetimeMs = 1000;

/**
 * Counts in memory first (see `late-writes.ts`), where this process is the only one that counts.
 * @param file path of the catalog
 */
export function createSearchCounter(
  file: string,
  log: Pick<FastifyBaseLogger, 'error'>,
): SearchCounter & { flush: () => void } {
  const stored = openSearchCounts(file);
  const plans = createPlanCache(stored);
  const pending = createPendingSearches();
  const months = createMonthCounts(stored, pending);

  /** Stores the counts. Throws `SqliteError`; the counts stay in memory then. */
  function flush(): void {
    const counts = pending.all();
    if (counts.length === 0) return;
    stored.add(counts);
    pending.clear();
  }
  const flushing = createFlushing(flush, 'search counts', log);

  return {
    async countIfAllowed(workspaceId) {
      const plan = plans.find(workspaceId);
      const date = today();
      if (plan.searches_per_month !== null) {
        const used = months.read(workspaceId, monthOf(date));
        const violation = findQuotaViolation(plan, 'searches_per_month', used, 1);
        if (violation) return violation;
      }
      pending.add(workspaceId, date);
      months.add(workspaceId, monthOf(date));
      flushing.schedule();
      return undefined;
    },

    async read(workspaceId) {
      const history = addToHistory(stored.readDays(workspaceId), pending.of(workspaceId));
      return { searches_per_month: months.read(workspaceId, monthOf(today())), history };
    },

    flush,

    async stop(): Promise<void> {
      await flushing.stop();
      stored.close();
    },
  };
}

/** `2026-11-21` → `2026-11` */
const monthOf = (date: string): string => date.slice(0, 7);

/** The plans of the workspaces that search. */
function createPlanCache(stored: SearchCounts) {
  const plans = new Map<string, { plan: Pick<Plan, 'name' | 'searches_per_month'>; readAt: number }>();
  return {
    find(workspaceId: string) {
      const known = plans.get(workspaceId);
      const now = performance.now();
      if (known && now - known.readAt < planLifetimeMs) return known.plan;
      const plan = stored.readPlan(workspaceId);
      plans.set(workspaceId, { plan, readAt: now });
      return plan;
    },
  };
}

/** Searches that are not stored yet, by workspace and day. */
function createPendingSearches() {
  const byWorkspace = new Map<string, Map<string, number>>();
  const of = (workspaceId: string): NewSearches[] =>
    [...(byWorkspace.get(workspaceId) ?? [])].map(([date, searches]) => ({ workspaceId, date, searches }));
  return {
    add(workspaceId: string, date: string): void {
      const days = byWorkspace.get(workspaceId) ?? new Map<string, number>();
      days.set(date, (days.get(date) ?? 0) + 1);
      byWorkspace.set(workspaceId, days);
    },
    of,
    all: (): NewSearches[] => [...byWorkspace.keys()].flatMap(of),
    clear: (): void => byWorkspace.clear(),
  };
}

/**
 * All searches of a workspace in the current month, stored or not. They are read from the catalog once a month, when they are first asked for,
 * and counted in memory from then on.
 */
function createMonthCounts(stored: SearchCounts, pending: ReturnType<typeof createPendingSearches>) {
  const counts = new Map<string, { month: string; searches: number }>();
  return {
    read(workspaceId: string, month: string): number {
      const known = counts.get(workspaceId);
      if (known?.month === month) return known.searches;
      let searches = stored.readMonth(workspaceId, month);
      for (const day of pending.of(workspaceId)) if (monthOf(day.date) === month) searches += day.searches;
      counts.set(workspaceId, { month, searches });
      return searches;
    },

    /** Adds a search; nothing where the month was not asked for yet. */
    add(workspaceId: string, month: string): void {
      const known = counts.get(workspaceId);
      if (known?.month === month) known.searches += 1;
    },
  };
}

/** Days with the searches that are not stored yet. A day without a row begins with the bytes of the last one. */
function addToHistory(days: UsageDay[], unstored: NewSearches[]): UsageDay[] {
  const byDate = new Map(days.map((day) => [day.date, day]));
  for (const { date, searches } of unstored) {
    const storage_bytes = days.findLast((day) => day.date < date)?.storage_bytes ?? 0;
    const day = byDate.get(date) ?? { date, uploads: 0, searches: 0, storage_bytes };
    byDate.set(date, { ...day, searches: day.searches + searches });
  }
  return [...byDate.values()].toSorted((a, b) => (a.date < b.date ? -1 : 1)).slice(-90);
}
