import { expect, test, vi } from 'vitest';
import { addTestDelivery, listDeliveries } from '../../catalog/events/webhook-deliveries.ts';
import { createWebhook, findWebhook } from '../../catalog/events/webhooks.ts';
import { createSecrets } from '../../platform/crypto/secrets.ts';
import { createMetrics } from '../../platform/metrics/create-metrics.ts';
import { openTestCatalog } from '../../testing/test-catalog.ts';
import { startReceiver } from '../../testing/webhook-receiver.ts';
import { createMemoryPubSub } from '../pubsub/pubsub.ts';
import { startWebhookDeliveries } from './start-deliveries.ts';

test('an attempt that a stop cuts off is no failure, does not count, and is due at once', async () => {
  await using t = await openTestCatalog();
  await using receiver = await startReceiver();
  receiver.answers.status = null;
  const secrets = createSecrets(new Uint8Array(32));
  const created = await createWebhook(t.db, secrets, t.workspaceId, {
    url: receiver.url,
    description: '',
    types: ['media.created'],
  });
  if (created === 'full') throw new Error('There are too many webhooks.');
  const webhook = created.row;
  await addTestDelivery(t.db, webhook);
  const log = { warn: vi.fn(), error: vi.fn() };
  const pubsub = createMemoryPubSub(log);
  const deliveries = startWebhookDeliveries({
    db: t.db,
    secrets,
    pubsub,
    allowedAddresses: ['127.0.0.1'],
    metrics: createMetrics(),
    log,
  });
  await receiver.next(() => true);
  const read = async () => (await listDeliveries(t.db, webhook, { page: 1, per_page: 20, status: undefined })).rows[0];
  const waitOf = (row: Awaited<ReturnType<typeof read>>) => Date.parse(row?.next_attempt_at ?? '') - Date.now();
  const claimed = await read();
  expect(claimed).toMatchObject({ status: 'pending', attempts: 1 });
  // Longer than an attempt may take: what still goes on is not made twice.
  expect(waitOf(claimed)).toBeGreaterThan(15_000);
  expect(waitOf(claimed)).toBeLessThanOrEqual(60_000);
  await deliveries.stop();
  const left = await read();
  expect(left).toMatchObject({ status: 'pending', attempts: 0, error: null });
  expect(waitOf(left)).toBeLessThanOrEqual(0);
  expect((await findWebhook(t.db, t.workspaceId, webhook.id))?.failing_since).toBeNull();
  expect([log.warn.mock.calls, log.error.mock.calls]).toEqual([[], []]);
});
