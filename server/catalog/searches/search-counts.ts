import type { Workspace } from '../../../contract/workspace.ts';
import type { Plan } from '../accounts/plans.ts';
import { openLateConnection } from '../counters/late-writes.ts';

export type UsageDay = Workspace['usage']['history'][number];
/** Searches of a workspace on a day (`2026-11-21`, UTC) that are not stored yet. */
export type NewSearches = { workspaceId: string; date: string; searches: number };

/** The statements, for the test of their plans. `?` stands for the workspace first. */
export const statements = {
  plan: `select plans.name, plans.searches_per_month from workspaces join plans on plans.id = workspaces.plan_id
    where workspaces.id = ?`,
  searches: 'select coalesce(sum(searches), 0) from usage_days where workspace_id = ? and date between ? and ?',
  days: `select date, uploads, searches, storage_bytes from usage_days where workspace_id = ?
    order by date desc limit 90`,
  // A workspace that is gone is skipped. A new day begins with the bytes that are stored.
  add: `insert into usage_days (workspace_id, date, searches, storage_bytes)
    select id, ?, ?, (select coalesce(sum(bytes), 0) from media_totals where workspace_id = workspaces.id)
    from workspaces where id = ?
    on conflict (workspace_id, date) do update set searches = usage_days.searches + excluded.searches`,
};

export type SearchCounts = ReturnType<typeof openSearchCounts>;

/**
 * The stored search counts, by a connection of their own that never waits for other writers.
 * @param file path of a catalog that is up to date
 */
export function openSearchCounts(file: string) {
  const { sqlite, write } = openLateConnection(file);
  const selectPlan = sqlite.prepare<[string], Pick<Plan, 'name' | 'searches_per_month'>>(statements.plan);
  const selectSearches = sqlite.prepare<[string, string, string], number>(statements.searches).pluck();
  const selectDays = sqlite.prepare<[string], UsageDay>(statements.days);
  const insert = sqlite.prepare<[string, number, string]>(statements.add);
  return {
    readPlan(workspaceId: string): Pick<Plan, 'name' | 'searches_per_month'> {
      const plan = selectPlan.get(workspaceId);
      if (!plan) throw new Error(`There is no workspace ${workspaceId}.`);
      return plan;
    },

    /** @param month such as `2026-11` */
    readMonth: (workspaceId: string, month: string): number =>
      selectSearches.get(workspaceId, `${month}-01`, `${month}-31`) ?? 0,

    /** The last 90 days on which something happened, the oldest first. */
    readDays: (workspaceId: string): UsageDay[] => selectDays.all(workspaceId).toReversed(),

    /** Adds all of these, or, throwing `SqliteError`, none. While another connection writes it fails at once. */
    add: (counts: NewSearches[]): void =>
      write(() => {
        for (const { workspaceId, date, searches } of counts) insert.run(date, searches, workspaceId);
      }),

    close: (): void => void sqlite.close(),
  };
}
