import { randomUUIDv7 } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import {
  type DeliveriesQuery,
  maxWaitingDeliveries,
  type RedeliverBody,
  resendPauseSeconds,
} from '../../../contract/webhooks.ts';
import type { Catalog, Database } from '../schema.ts';
import { inRows, inWorkspace } from '../transactions.ts';
import { disableWebhook, type WebhookRow } from './webhooks.ts';

/**
 * Deliveries of events to webhooks. A trigger queues them (`../baseline/webhooks.ts`). Every process that has the secrets claims them: a
 * claim sets the time of the next attempt to when its process counts as dead, so an attempt that a killed process leaves behind is made
 * again. A delivery is therefore made at least once.
 */

export type DeliveryRow = Selectable<Database['webhook_deliveries']>;

/** Which webhook: its workspace and identifier. */
export type WebhookKey = Pick<WebhookRow, 'workspace_id' | 'id'>;

/** What became of an attempt: a response with its status, or the reason why there is none. `durationMs`: until either. */
export type AttemptResult = {
  status: number | null;
  /** Up to 1 kB of the body. */
  body: string | null;
  durationMs: number;
  /** Null: it arrived. */
  error: string | null;
};

/** How long settled deliveries are kept, milliseconds. */
const keptMs = 7 * 24 * 60 * 60_000;
/** How many of each webhook. */
const maxKept = 10_000;

/** What is known of the last attempt before or while it is made. */
const nothingCame = { response_status: null, response_body: null, duration_ms: null, error: null };

const select = (db: Catalog, { workspace_id, id }: WebhookKey) =>
  db.selectFrom('webhook_deliveries').where('workspace_id', '=', workspace_id).where('webhook_id', '=', id);

const update = (db: Catalog, { workspace_id, id }: WebhookKey) =>
  db.updateTable('webhook_deliveries').where('workspace_id', '=', workspace_id).where('webhook_id', '=', id);

/** One page of the deliveries of a webhook, the newest event first, and how many there are on all pages. */
export async function listDeliveries(
  db: Catalog,
  webhook: WebhookKey,
  { status, page, per_page }: DeliveriesQuery,
): Promise<{ rows: DeliveryRow[]; total: number }> {
  let matching = select(db, webhook);
  if (status) matching = matching.where('status', '=', status);
  const { total } = await matching.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const rows = await matching
    .selectAll()
    .orderBy('event_id', 'desc')
    .limit(per_page)
    .offset((page - 1) * per_page)
    .execute();
  return { rows, total };
}

const countWaitingOf = async (db: Catalog, webhook: WebhookKey): Promise<number> => {
  const { count } = await select(db, webhook)
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow();
  return count;
};

/** Queues an event that is for one webhook only, to see whether it arrives. `full`: as many wait as may. */
export function addTestDelivery(db: Catalog, webhook: WebhookKey): Promise<DeliveryRow | 'full'> {
  const { workspace_id, id } = webhook;
  return inWorkspace(db, workspace_id, async (transaction) => {
    if ((await countWaitingOf(transaction, webhook)) >= maxWaitingDeliveries) return 'full';
    const created_at = new Date().toISOString();
    return transaction
      .insertInto('webhook_deliveries')
      .values({
        workspace_id,
        webhook_id: id,
        event_id: randomUUIDv7(),
        type: 'webhook.test',
        data: JSON.stringify({ webhook: { id } }),
        status: 'pending',
        next_attempt_at: created_at,
        created_at,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
  });
}

/**
 * Has deliveries begin again: one, all that failed (the newest first, as many as may wait), or all that wait for another attempt. What is under
 * way is left alone, and of all that wait none is attempted within seconds of its last attempt: however often it is called, each is sent once at a
 * time, and no sooner than by the schedule.
 * @returns how many begin again
 */
export function deliverAgain(
  db: Catalog,
  webhook: WebhookKey,
  { event_id, status = 'failed' }: RedeliverBody,
): Promise<number> {
  return inWorkspace(db, webhook.workspace_id, async (transaction) => {
    const now = Date.now();
    const inSeconds = (seconds: number) => new Date(now + seconds * 1000).toISOString();
    const ofAllWaiting = event_id === undefined && status === 'pending';
    let changed = update(transaction, webhook)
      .set((e) => ({
        status: 'pending',
        attempts: 0,
        ...nothingCame,
        next_attempt_at: e
          .case()
          .when(e.and([e.lit(ofAllWaiting), e('last_attempt_at', '>', inSeconds(-resendPauseSeconds))]))
          .then(inSeconds(resendPauseSeconds))
          .else(inSeconds(0))
          .end(),
      }))
      // Those that wait have an error, or are due, or are under way.
      .where((e) => e.or([e('status', '<>', 'pending'), e('error', 'is not', null)]));
    if (event_id !== undefined) changed = changed.where('event_id', '=', event_id);
    else if (ofAllWaiting)
      changed = changed.where('status', '=', 'pending').where('next_attempt_at', '>', inSeconds(resendPauseSeconds));
    else {
      const room = Math.max(0, maxWaitingDeliveries - (await countWaitingOf(transaction, webhook)));
      const failed = select(transaction, webhook).select('event_id').where('status', '=', 'failed');
      changed = changed
        .where('status', '=', 'failed')
        .where('event_id', 'in', failed.orderBy('event_id', 'desc').limit(room));
    }
    const { numUpdatedRows } = await changed.executeTakeFirstOrThrow();
    return Number(numUpdatedRows);
  });
}

/**
 * Enabled webhooks with deliveries that are due.
 * @param workspaceIds only of these; null: of all workspaces
 */
export function findDueWebhooks(db: Catalog, workspaceIds: string[] | null): Promise<WebhookRow[]> {
  const due = new Date().toISOString();
  let enabled = db.selectFrom('webhooks').selectAll('webhooks').where('disabled_at', 'is', null);
  if (workspaceIds) enabled = enabled.where('workspace_id', 'in', workspaceIds);
  return enabled
    .where((e) =>
      e.exists(
        e
          .selectFrom('webhook_deliveries as d')
          .select('d.event_id')
          .whereRef('d.workspace_id', '=', 'webhooks.workspace_id')
          .whereRef('d.webhook_id', '=', 'webhooks.id')
          .where('d.status', '=', 'pending')
          .where('d.next_attempt_at', '<=', due),
      ),
    )
    .execute();
}

/**
 * Claims deliveries of a webhook that are due, those due longest first. Of two that claim at once, one gets each.
 * @param leaseMs when they are due again unless they are settled until then
 */
export function claimDeliveries(
  db: Catalog,
  webhook: WebhookKey,
  { limit, leaseMs }: { limit: number; leaseMs: number },
): Promise<DeliveryRow[]> {
  const now = Date.now();
  const due = new Date(now).toISOString();
  const first = select(db, webhook)
    .select('event_id')
    .where('status', '=', 'pending')
    .where('next_attempt_at', '<=', due)
    .orderBy('next_attempt_at')
    .orderBy('event_id')
    .limit(limit);
  return (
    update(db, webhook)
      .set((e) => ({
        attempts: e('attempts', '+', 1),
        last_attempt_at: due,
        ...nothingCame,
        next_attempt_at: new Date(now + leaseMs).toISOString(),
      }))
      .where('event_id', 'in', first)
      // Compared again once the row is locked: another process may have claimed it meanwhile.
      .where('status', '=', 'pending')
      .where('next_attempt_at', '<=', due)
      .returningAll()
      .execute()
  );
}

/** Gives back claims whose attempts were cut off: they are due at once, and do not count as attempts. */
export function giveBackDeliveries(db: Catalog, rows: DeliveryRow[]): Promise<void> {
  return inRows(db, async (transaction) => {
    for (const row of rows)
      await update(transaction, { workspace_id: row.workspace_id, id: row.webhook_id })
        .set({ attempts: row.attempts - 1, next_attempt_at: new Date().toISOString() })
        .where('event_id', '=', row.event_id)
        // Not what was claimed or disabled since.
        .where('status', '=', 'pending')
        .where('attempts', '=', row.attempts)
        .execute();
  });
}

/** An attempt that is over. `nextAttemptAt`: when it is made again; null: never. */
export type Settled = { row: DeliveryRow; result: AttemptResult; nextAttemptAt: Date | null };

/**
 * Stores what became of attempts, and which webhooks are failing since when.
 * @returns those that were stored: others were claimed, disabled or deleted since
 */
export function settleDeliveries(db: Catalog, settled: Settled[]): Promise<Settled[]> {
  return inRows(db, async (transaction) => {
    const stored: Settled[] = [];
    for (const each of settled) {
      const { row, result, nextAttemptAt } = each;
      const webhook = { workspace_id: row.workspace_id, id: row.webhook_id };
      const failed = result.error !== null;
      const { numUpdatedRows } = await update(transaction, webhook)
        .set({
          status: failed ? (nextAttemptAt ? 'pending' : 'failed') : 'delivered',
          next_attempt_at: failed && nextAttemptAt ? nextAttemptAt.toISOString() : null,
          response_status: result.status,
          response_body: result.body,
          duration_ms: result.durationMs,
          error: result.error,
        })
        .where('event_id', '=', row.event_id)
        // Not what was claimed or disabled since.
        .where('status', '=', 'pending')
        .where('attempts', '=', row.attempts)
        .executeTakeFirstOrThrow();
      if (numUpdatedRows === 0n) continue;
      stored.push(each);
      await transaction
        .updateTable('webhooks')
        .set({ failing_since: failed ? new Date().toISOString() : null })
        .where('workspace_id', '=', webhook.workspace_id)
        .where('id', '=', webhook.id)
        .where('failing_since', failed ? 'is' : 'is not', null)
        .execute();
    }
    return stored;
  });
}

/**
 * Disables a webhook for a reason of the service, unless it is disabled or something arrived since `failingSince`.
 * @returns how many deliveries ended by that; null: it was left as it is
 */
export function disableAutomatically(
  db: Catalog,
  webhook: WebhookKey,
  reason: 'gone' | 'failing' | 'secret_lost',
  failingSince?: Date,
): Promise<number | null> {
  return inWorkspace(db, webhook.workspace_id, async (transaction) => {
    let found = transaction
      .selectFrom('webhooks')
      .select('id')
      .where('workspace_id', '=', webhook.workspace_id)
      .where('id', '=', webhook.id)
      .where('disabled_at', 'is', null);
    if (failingSince) found = found.where('failing_since', '<=', failingSince.toISOString());
    if (!(await found.executeTakeFirst())) return null;
    return disableWebhook(transaction, webhook, reason);
  });
}

/** Deletes settled deliveries that are older than seven days, and of each webhook all but the newest 10,000. */
export async function forgetDeliveries(db: Catalog, signal: AbortSignal): Promise<void> {
  await db
    .deleteFrom('webhook_deliveries')
    .where('created_at', '<', new Date(Date.now() - keptMs).toISOString())
    .where('status', '<>', 'pending')
    .execute();
  const webhooks = await db.selectFrom('webhooks').select(['workspace_id', 'id']).execute();
  for (const webhook of webhooks) {
    signal.throwIfAborted();
    const last = await select(db, webhook)
      .select('event_id')
      .where('status', '<>', 'pending')
      .orderBy('event_id', 'desc')
      .limit(1)
      .offset(maxKept)
      .executeTakeFirst();
    if (!last) continue;
    await db
      .deleteFrom('webhook_deliveries')
      .where('workspace_id', '=', webhook.workspace_id)
      .where('webhook_id', '=', webhook.id)
      .where('status', '<>', 'pending')
      .where('event_id', '<=', last.event_id)
      .execute();
  }
}

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
