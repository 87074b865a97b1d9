import { sql } from 'kysely';
import type { Catalog } from './schema.ts';

/** Deliveries that wait, in all workspaces. */
export type WaitingDeliveries = {
  /** Their time has come. */
  due: number;
  /** Under way, or attempted again later. */
  scheduled: number;
  /** When the oldest event happened; null: none waits. */
  oldest: string | null;
  /** Since when the delivery is due that has been due longest; null: none is. */
  dueSince: string | null;
};

/** Counts the deliveries that wait. Reads all of them, by the index that holds no others. */
export async function countWaitingDeliveries(db: Catalog): Promise<WaitingDeliveries> {
  const now = new Date().toISOString();
  const row = await db
    .selectFrom('webhook_deliveries')
    .select([
      sql<number>`coalesce(sum(case when next_attempt_at <= ${now} then 1 else 0 end), 0)`.as('due'),
      (e) => e.fn.countAll<number>().as('waiting'),
      (e) => e.fn.min<string | null>('created_at').as('oldest'),
      (e) => e.fn.min<string | null>('next_attempt_at').as('next'),
    ])
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow();
  const dueSince = row.due === 0 ? null : row.next;
  return { due: row.due, scheduled: row.waiting - row.due, oldest: row.oldest, dueSince };
}
