import { describe, expect, test } from 'vitest';
import { createSecrets } from '../../platform/crypto/secrets.ts';
import { backends } from '../../testing/fresh-catalog.ts';
import { openTestCatalog } from '../../testing/test-catalog.ts';
import {
  addTestDelivery,
  type AttemptResult,
  claimDeliveries,
  countWaitingDeliveries,
  deliverAgain,
  findDueWebhooks,
  listDeliveries,
  settleDeliveries,
} from './webhook-deliveries.ts';
import { createWebhook, deleteWebhook, findWebhook } from './webhooks.ts';

const secrets = createSecrets(new Uint8Array(32));
const arrived: AttemptResult = { status: 200, body: 'ok', durationMs: 5, error: null };
const failed: AttemptResult = { status: 500, body: '', durationMs: 5, error: 'It answered with status 500.' };
const page = { page: 1, per_page: 20, status: undefined };

describe.each(backends)('%s', (backend) => {
  async function open() {
    const t = await openTestCatalog(backend);
    const body = { url: 'https://hooks.example.org/', description: '', types: ['media.created' as const] };
    const created = await createWebhook(t.db, secrets, t.workspaceId, body);
    if (created === 'full') throw new Error('There are too many webhooks.');
    return { ...t, webhook: created.row, [Symbol.asyncDispose]: () => t[Symbol.asyncDispose]() };
  }

  test('of processes that claim at once, one gets each delivery, and what a killed one leaves is due again', async () => {
    await using t = await open();
    for (let i = 0; i < 20; i++) await addTestDelivery(t.db, t.webhook);
    const claims = await Promise.all(
      [1, 2, 3].map(() => claimDeliveries(t.db, t.webhook, { limit: 5, leaseMs: 60_000 })),
    );
    const claimed = claims.flat();
    expect(new Set(claimed.map(({ event_id }) => event_id)).size).toBe(claimed.length);
    expect(await countWaitingDeliveries(t.db)).toMatchObject({ due: 20 - claimed.length, scheduled: claimed.length });
    const rest = await claimDeliveries(t.db, t.webhook, { limit: 20, leaseMs: -1 });
    expect(claimed.length + rest.length).toBe(20);
    // The lease of the rest is over at once.
    expect(await findDueWebhooks(t.db, [t.workspaceId])).toHaveLength(1);
    const again = await claimDeliveries(t.db, t.webhook, { limit: 20, leaseMs: 60_000 });
    expect(again.map(({ attempts }) => attempts)).toEqual(rest.map(() => 2));
    expect(await findDueWebhooks(t.db, null)).toEqual([]);
  });

  test('who was taken for dead changes nothing of the attempt that followed', async () => {
    await using t = await open();
    await addTestDelivery(t.db, t.webhook);
    const [late] = await claimDeliveries(t.db, t.webhook, { limit: 1, leaseMs: -1 });
    const [next] = await claimDeliveries(t.db, t.webhook, { limit: 1, leaseMs: 60_000 });
    if (!late || !next) throw new Error('Nothing was claimed.');
    await settleDeliveries(t.db, [{ row: late, result: failed, nextAttemptAt: null }]);
    expect((await listDeliveries(t.db, t.webhook, page)).rows[0]).toMatchObject({ status: 'pending', attempts: 2 });
    expect((await findWebhook(t.db, t.workspaceId, t.webhook.id))?.failing_since).toBeNull();
    await settleDeliveries(t.db, [{ row: next, result: arrived, nextAttemptAt: null }]);
    expect((await listDeliveries(t.db, t.webhook, page)).rows[0]).toMatchObject({ status: 'delivered', attempts: 2 });
  });

  test('an attempt that is under way is not made a second time because somebody asks for it', async () => {
    await using t = await open();
    const row = await addTestDelivery(t.db, t.webhook);
    if (row === 'full') throw new Error('Too many wait.');
    const again = (body: Parameters<typeof deliverAgain>[2]) => deliverAgain(t.db, t.webhook, body);
    const attempt = async (nextAttemptAt: Date) => {
      const [claimed] = await claimDeliveries(t.db, t.webhook, { limit: 1, leaseMs: 60_000 });
      if (!claimed) throw new Error('Nothing was claimed.');
      await t.db.updateTable('webhook_deliveries').set({ last_attempt_at: '2026-11-01T00:00:00.000Z' }).execute();
      const begun = [await again({ status: 'pending' }), await again({ event_id: row.event_id })];
      await settleDeliveries(t.db, [{ row: claimed, result: failed, nextAttemptAt }]);
      return begun;
    };
    expect(await attempt(new Date())).toEqual([0, 0]);
    // By its schedule, after an attempt that failed.
    expect(await attempt(new Date(Date.now() + 3_600_000))).toEqual([0, 0]);
    expect(await again({ status: 'failed' })).toBe(0);
    expect(await again({ status: 'pending' })).toBe(1);
    expect((await listDeliveries(t.db, t.webhook, page)).rows[0]).toMatchObject({
      attempts: 0,
      error: null,
      response_status: null,
    });
  });

  test('events are queued in the transaction that records them, for webhooks of their workspace that want them', async () => {
    await using t = await open();
    const other = await t.addWorkspace('Other');
    await t.add('other.mp4', other.id);
    const item = await t.add('mine.mp4');
    const { rows } = await listDeliveries(t.db, t.webhook, page);
    expect(rows.map(({ type, data }) => [type, (JSON.parse(data) as { media: { id: string } }).media.id])).toEqual([
      ['media.created', item.id],
    ]);
    await expect(
      t.db.transaction().execute(async (transaction) => {
        await transaction.deleteFrom('webhook_deliveries').execute();
        throw new Error('Rolled back.');
      }),
    ).rejects.toThrow('Rolled back.');
    expect((await listDeliveries(t.db, t.webhook, page)).total).toBe(1);
    await deleteWebhook(t.db, t.workspaceId, t.webhook.id);
    expect(await t.db.selectFrom('webhook_deliveries').selectAll().execute()).toEqual([]);
  });
});
