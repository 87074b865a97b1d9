import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import {
  type AttemptResult,
  claimDeliveries,
  type DeliveryRow,
  disableAutomatically,
  findDueWebhooks,
  giveBackDeliveries,
  type Settled,
  settleDeliveries,
  type WebhookKey,
} from '../../catalog/events/webhook-deliveries.ts';
import { revealWebhookSecrets, type WebhookRow } from '../../catalog/events/webhooks.ts';
import type { Catalog } from '../../catalog/schema.ts';
import type { Secrets } from '../../platform/crypto/secrets.ts';
import type { Metrics } from '../../platform/metrics/metrics.ts';
import { checkedAgents } from '../../platform/outbound/checked-agent.ts';
import { runEvery } from '../../platform/periodic.ts';
import type { PubSub } from '../pubsub/pubsub.ts';
import { payloadOf, sendMessage, timeoutMs } from './send-message.ts';
import { createSlots } from './slots.ts';

/**
 * How long after an attempt that failed the next one follows, milliseconds: seven more within 24 hours, as Standard Webhooks recommends it
 * ("Retry schedule" there). Soon after the first, because most failures are short; then less and less often.
 */
const delays = [5, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 7 * 3600, 9.4 * 3600].map((seconds) => seconds * 1000);

/** How much sooner an attempt may come, so that those of many deliveries do not come together. */
const jitter = 0.1;

/** For how long a webhook has failed at least when a delivery has used up its attempts, milliseconds. */
export const failingMs = delays.reduce((sum, delay) => sum + delay, 0) * (1 - jitter);

/**
 * When a delivery is attempted again.
 * @param attempts that were made
 * @param random from 0 to 1
 * @returns null after the last one
 */
export function nextAttempt(attempts: number, now: number, random: number): Date | null {
  const delay = delays[attempts - 1];
  return delay === undefined ? null : new Date(now + delay * (1 - jitter * random));
}

/** When deliveries that a process claimed and did not settle are due again: it was killed. */
const leaseMs = timeoutMs + 45_000;
/** How often all workspaces are asked for deliveries that are due, although no notice came. */
const askMs = 5000;
/** The shortest time between two looks, so that what ends and comes together is stored and claimed together. */
const pauseMs = 50;
/** How long a stop waits for attempts that are under way. */
const stopMs = 3000;

type Parts = {
  db: Catalog;
  secrets: Secrets;
  pubsub: PubSub;
  allowedAddresses: string[];
  metrics: Pick<Metrics, 'observeDelivery' | 'countDeliveries'>;
  log: Pick<FastifyBaseLogger, 'warn' | 'error'>;
};

/**
 * Delivers events to webhooks, in every process that has the secrets: which of them sends what is decided by claims, so none needs to lead.
 * A receiver that is slow takes its own slots only.
 */
export function startWebhookDeliveries(parts: Parts): { stop(): Promise<void> } {
  const { pubsub, log } = parts;
  const deliveries = createDeliveries(parts, (workspaceId) => look(workspaceId));
  /** Where to look. */
  let wanted = { all: true, workspaces: new Set<string>() };
  let looking: Promise<void> | null = null;
  let isOpen = true;

  async function lookSoon(): Promise<void> {
    await delay(pauseMs);
    const { all, workspaces } = wanted;
    wanted = { all: false, workspaces: new Set() };
    try {
      await deliveries.settle();
      if (isOpen) await deliveries.claim(all ? null : [...workspaces]);
    } catch (error) {
      // What was to be looked at is found when it is time to look at all.
      log.error({ err: error }, 'deliveries of webhooks failed');
    }
    looking = null;
    if (wanted.all || wanted.workspaces.size > 0) schedule();
  }

  function schedule(): void {
    if (isOpen) looking ??= lookSoon();
  }

  /** Looks for what is due, a moment later. @param workspaceId of one workspace; undefined: of all */
  function look(workspaceId?: string): void {
    if (workspaceId === undefined) wanted.all = true;
    else wanted.workspaces.add(workspaceId);
    schedule();
  }

  const unsubscribe = pubsub.subscribe('events', look);
  const asking = runEvery(askMs, () => look(), 'looking for deliveries', log);
  return {
    async stop() {
      isOpen = false;
      await asking.stop();
      unsubscribe();
      await looking;
      await deliveries.stop();
    },
  };
}

/** Disables a webhook unless it was, or something arrived `since`; says so in the log and the metrics. */
async function disable(
  { db, metrics, log }: Pick<Parts, 'db' | 'metrics' | 'log'>,
  webhook: WebhookKey,
  reason: Parameters<typeof disableAutomatically>[2],
  since?: Date,
): Promise<void> {
  const ended = await disableAutomatically(db, webhook, reason, since);
  if (ended === null) return;
  metrics.countDeliveries('failed', ended);
  log.warn({ workspace: webhook.workspace_id, webhook: webhook.id, reason }, 'a webhook was disabled');
}

/** Disables a webhook whose receiver is gone, or has failed for too long. */
async function disableAfter(parts: Parts, { row, result, nextAttemptAt }: Settled): Promise<void> {
  const webhook = { workspace_id: row.workspace_id, id: row.webhook_id };
  if (result.status === 410) await disable(parts, webhook, 'gone');
  else if (result.error !== null && !nextAttemptAt)
    await disable(parts, webhook, 'failing', new Date(Date.now() - failingMs));
}

/** Claims, sends and settles. @param ended called with its workspace when an attempt has ended */
function createDeliveries(parts: Parts, ended: (workspaceId: string) => void) {
  const { db, secrets, allowedAddresses, metrics, log } = parts;
  const agents = checkedAgents({ allowedAddresses, plain: 'allowed' });
  const stopping = new AbortController();
  const slots = createSlots();
  const underWay = new Set<Promise<void>>();
  let settled: Settled[] = [];
  /** What a stop cut off. */
  const cutOff: DeliveryRow[] = [];

  async function send(webhook: WebhookRow, row: DeliveryRow, signedBy: readonly string[]): Promise<void> {
    const message = { id: row.event_id, body: payloadOf(row) };
    const result = await sendMessage(message, { url: webhook.url, secrets: signedBy }, agents, stopping.signal);
    // What a stop cut off is not known to have failed: it is sent again.
    if (stopping.signal.aborted && result.status === null) cutOff.push(row);
    else settled.push({ row, result, nextAttemptAt: attemptAfter(row, result) });
    ended(row.workspace_id);
  }

  /** Stores what ended. What cannot be stored is kept, and holds its slots. */
  async function settle(): Promise<void> {
    const batch = settled;
    if (batch.length === 0) return;
    const stored = await settleDeliveries(db, batch);
    settled = settled.slice(batch.length);
    for (const { row, result } of batch) slots.free(row, result.durationMs);
    measure(metrics, batch, stored);
    for (const each of batch) await disableAfter(parts, each);
  }

  async function claimOf(webhook: WebhookRow): Promise<void> {
    const limit = slots.available(webhook);
    if (limit === 0) return;
    const signedBy = revealWebhookSecrets(secrets, webhook);
    if (!signedBy) return disable(parts, webhook, 'secret_lost');
    for (const row of await claimDeliveries(db, webhook, { limit, leaseMs })) {
      slots.take(row);
      const sending = send(webhook, row, signedBy).finally(() => underWay.delete(sending));
      underWay.add(sending);
    }
  }

  return {
    settle,
    /** Begins what is due and has a slot. @param workspaceIds of these; null: of all */
    async claim(workspaceIds: string[] | null): Promise<void> {
      if (workspaceIds?.length === 0) return;
      for (const webhook of slots.inTurns(await findDueWebhooks(db, workspaceIds))) await claimOf(webhook);
    },
    /** Lets attempts end for a moment, stores what became of them, and gives back those that did not end. */
    async stop(): Promise<void> {
      const all = () => Promise.all(underWay);
      await Promise.race([all(), delay(stopMs, undefined, { ref: false })]);
      stopping.abort();
      await all();
      const stored = settle().then(() => giveBackDeliveries(db, cutOff));
      await stored.catch((error: unknown) => log.error({ err: error }, 'deliveries of webhooks were not stored'));
    },
  };
}

/** When a delivery is attempted again, should this attempt have failed. A receiver that is gone is not asked again. */
const attemptAfter = ({ attempts }: DeliveryRow, { status }: AttemptResult): Date | null =>
  status === 410 ? null : nextAttempt(attempts, Date.now(), Math.random());

/** @param stored those of the attempts that decided about their delivery */
function measure(metrics: Parts['metrics'], attempts: Settled[], stored: Settled[]): void {
  for (const { result, nextAttemptAt } of attempts) {
    const outcome = result.error === null ? 'delivered' : nextAttemptAt ? 'requeued' : 'failed';
    metrics.observeDelivery({ outcome, seconds: result.durationMs / 1000 });
  }
  const ended = stored.filter(({ nextAttemptAt, result }) => result.error === null || !nextAttemptAt);
  const delivered = ended.filter(({ result }) => result.error === null).length;
  metrics.countDeliveries('delivered', delivered);
  metrics.countDeliveries('failed', ended.length - delivered);
}
