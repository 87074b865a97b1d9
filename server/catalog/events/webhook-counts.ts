import { sql } from 'kysely';
import type { Catalog } from '../schema.ts';

/** Deliveries that wait, in all workspaces. */
export type WaitingDeliveries = {
  /** Their time has come. */
  due: number;
  /** Under way, or attempted again later. */
  scheduled: number;
  /** When the oldest event happened; null: none waits. */
  oldest: string | null;
  /**
   * Since when the delivery is due that has been due longest; null: none is. Those of webhooks that fail are left out: such a webhook gets so
   * few attempts at a time that many deliveries of it are late, which is no fault of the service.
   */
  dueSince: string | null;
};

/** Counts the deliveries that wait. Reads all of them, by the index that holds no others. */
export async function countWaitingDeliveries(db: Catalog): Promise<WaitingDeliveries> {
  const now = new Date().toISOString();
  const row = await db
    .selectFrom('webhook_deliveries as d')
    .innerJoin('webhooks as w', (join) =>
      join.onRef('w.workspace_id', '=', 'd.workspace_id').onRef('w.id', '=', 'd.webhook_id'),
    )
    .select([
      sql<number>`coalesce(sum(case when d.next_attempt_at <= ${now} then 1 else 0 end), 0)`.as('due'),
      (e) => e.fn.countAll<number>().as('waiting'),
      (e) => e.fn.min<string | null>('d.created_at').as('oldest'),
      sql<string | null>`min(case when w.failing_since is null then d.next_attempt_at end)`.as('next'),
    ])
    .where('d.status', '=', 'pending')
    .executeTakeFirstOrThrow();
  const dueSince = row.next !== null && row.next <= now ? row.next : null;
  return { due: row.due, scheduled: row.waiting - row.due, oldest: row.oldest, dueSince };
}
