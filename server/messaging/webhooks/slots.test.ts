import { expect, test } from 'vitest';
import type { WebhookRow } from '../../catalog/events/webhooks.ts';
import { createSlots } from './slots.ts';

const webhookOf = (workspace: string, id: string, failing_since: string | null = null) =>
  ({ workspace_id: workspace, id, failing_since }) as WebhookRow;

const rowOf = ({ workspace_id, id }: WebhookRow) => ({ workspace_id, webhook_id: id });

type Slots = ReturnType<typeof createSlots>;

/** Takes all slots that a webhook gets. @returns how many */
function takeAll(slots: Slots, webhook: WebhookRow): number {
  const available = slots.available(webhook);
  for (let i = 0; i < available; i++) slots.take(rowOf(webhook));
  return available;
}

/** An attempt that took so long. */
function attempt(slots: Slots, webhook: WebhookRow, durationMs: number): void {
  slots.take(rowOf(webhook));
  slots.free(rowOf(webhook), durationMs);
}

test('however many workspaces take what they can get, there are slots for the next', () => {
  const slots = createSlots();
  const taken = Array.from({ length: 8 }, (_, i) =>
    ['x', 'y', 'z'].reduce((sum, id) => sum + takeAll(slots, webhookOf(`slow ${i}`, id)), 0),
  );
  expect(taken[0]).toBe(16);
  expect(taken.at(-1)).toBeGreaterThan(3);
  expect(takeAll(slots, webhookOf('quick', 'x'))).toBeGreaterThan(3);
});

test('a webhook that was slow has one slot until eight answers in a row are quick, and a workspace four for such', () => {
  const slots = createSlots();
  const webhook = webhookOf('a', 'x');
  expect(slots.available(webhook)).toBe(8);
  attempt(slots, webhook, 14_000);
  for (let i = 0; i < 7; i++) attempt(slots, webhook, 50);
  expect(slots.available(webhook)).toBe(1);
  attempt(slots, webhook, 5000);
  for (let i = 0; i < 7; i++) attempt(slots, webhook, 50);
  expect(slots.available(webhook)).toBe(1);
  attempt(slots, webhook, 50);
  expect(slots.available(webhook)).toBe(8);

  const others = ['1', '2', '3', '4', '5'].map((id) => webhookOf('b', id));
  for (const other of others) attempt(slots, other, 14_000);
  expect(others.map((other) => takeAll(slots, other))).toEqual([1, 1, 1, 1, 0]);
  expect(takeAll(slots, webhookOf('b', 'quick'))).toBe(8);
});

test('slow webhooks of any number of workspaces leave half of the slots to others', () => {
  const slots = createSlots();
  const slow = Array.from({ length: 100 }, (_, i) => webhookOf(`slow ${i}`, 'x'));
  for (const webhook of slow) attempt(slots, webhook, 14_000);
  expect(slow.reduce((sum, webhook) => sum + takeAll(slots, webhook), 0)).toBe(64);
  expect(takeAll(slots, webhookOf('quick', 'x'))).toBe(8);
});

test('one that fails has two slots', () => {
  expect(createSlots().available(webhookOf('a', 'x', '2026-11-01T00:00:00.000Z'))).toBe(2);
});

test('workspaces take turns, that with the fewest attempts under way first', () => {
  const slots = createSlots();
  takeAll(slots, webhookOf('a', '1'));
  const webhooks = [webhookOf('a', '1'), webhookOf('b', '1'), webhookOf('b', '2'), webhookOf('c', '1')];
  expect(slots.inTurns(webhooks).map(({ workspace_id, id }) => workspace_id + id)).toEqual(['b1', 'c1', 'b2', 'a1']);
});
