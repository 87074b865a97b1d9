import type { DeliveryRow } from '../../catalog/events/webhook-deliveries.ts';
import type { WebhookRow } from '../../catalog/events/webhooks.ts';

/**
 * Attempts under way at the same time in a process, of each webhook and workspace at most. One that fails gets two to try, a slow one one.
 * Some are kept for webhooks that answer quickly.
 */
const limits = { total: 128, workspace: 16, webhook: 8, failing: 2, slow: 1, slowOfWorkspace: 4, kept: 64 };
/** A workspace takes no more than this part of what is free: however many are greedy, there is something left for the next. */
const shareOfFree = 1 / 4;
/** A receiver that takes longer to answer is slow, milliseconds, until so many of its answers in a row were quick. */
const slowMs = 3000;
const quickInARow = 8;
/** Slow webhooks that are remembered; beyond it the one that was slow longest ago is forgotten. */
const maxRemembered = 10_000;

type Key = Pick<DeliveryRow, 'workspace_id' | 'webhook_id'>;

/** Counts attempts under way, so that receivers that are slow or never answer take no more than their share. */
export function createSlots() {
  let total = 0;
  const counts = new Map<string, number>();
  const slow = createSlowWebhooks();
  const webhookKey = ({ workspace_id, webhook_id }: Key) => `${workspace_id} ${webhook_id}`;
  const count = (key: string) => counts.get(key) ?? 0;

  function add(row: Key, change: 1 | -1): void {
    total += change;
    for (const key of [row.workspace_id, webhookKey(row)]) {
      const changed = count(key) + change;
      if (changed === 0) counts.delete(key);
      else counts.set(key, changed);
    }
  }

  return {
    /** How many more attempts of a webhook may begin now. */
    available({ workspace_id, id, failing_since }: WebhookRow): number {
      const key = webhookKey({ workspace_id, webhook_id: id });
      const isSlow = slow.has(key);
      const free = limits.total - total;
      const ofWorkspace = Math.min(
        isSlow ? limits.slowOfWorkspace : limits.workspace,
        Math.ceil((count(workspace_id) + free) * shareOfFree),
      );
      const ofWebhook = isSlow ? limits.slow : failing_since === null ? limits.webhook : limits.failing;
      return Math.max(
        0,
        Math.min(isSlow ? free - limits.kept : free, ofWorkspace - count(workspace_id), ofWebhook - count(key)),
      );
    },
    /** Webhooks in the order in which they take slots: workspaces in turns, that with the fewest under way first. */
    inTurns(webhooks: WebhookRow[]): WebhookRow[] {
      const before = new Map<string, number>();
      const turns = webhooks.map((webhook) => {
        const turn = before.get(webhook.workspace_id) ?? 0;
        before.set(webhook.workspace_id, turn + 1);
        return { webhook, turn };
      });
      const place = ({ webhook, turn }: (typeof turns)[number]) => turn + count(webhook.workspace_id);
      return turns.toSorted((a, b) => place(a) - place(b)).map(({ webhook }) => webhook);
    },
    take: (row: Key): void => add(row, 1),
    /** @param durationMs how long the receiver took */
    free(row: Key, durationMs: number): void {
      add(row, -1);
      slow.note(webhookKey(row), durationMs);
    },
  };
}

/** Which webhooks have slow receivers, by their keys. */
function createSlowWebhooks() {
  /** How many quick answers make each quick, the one that was slow longest ago first. */
  const left = new Map<string, number>();
  return {
    has: (key: string): boolean => left.has(key),
    note(key: string, durationMs: number): void {
      const missing = durationMs > slowMs ? quickInARow : (left.get(key) ?? 0) - 1;
      left.delete(key);
      if (missing > 0) left.set(key, missing);
      const [oldest] = left.keys();
      if (left.size > maxRemembered && oldest !== undefined) left.delete(oldest);
    },
  };
}
