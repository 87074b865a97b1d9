import { expect, test, vi } from 'vitest';
import type { NewWebhook } from '../../../contract/webhooks.ts';
import { startTestService } from '../../testing/running-service.ts';
import { unknownId } from '../../testing/valid-requests.ts';
import { startReceiver } from '../../testing/webhook-receiver.ts';

type Service = Awaited<ReturnType<typeof startTestService>>;

const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();

/** What `/metrics` says, by series. */
async function readMetrics({ url }: Service): Promise<(series: string) => number | undefined> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const values = new Map(text.split('\n').map((line) => [line.split(' ')[0], Number(line.split(' ')[1])]));
  return (series) => values.get(`media_search_${series}`);
}

/** Queues deliveries of events of before. */
async function queue(
  { db, workspaceId }: Service,
  webhook_id: string,
  rows: { event_id: string; attempts?: number; created_at: string; next_attempt_at: string }[],
): Promise<void> {
  const common = {
    workspace_id: workspaceId,
    webhook_id,
    type: 'media.created',
    data: '{}',
    status: 'pending',
  } as const;
  await db
    .insertInto('webhook_deliveries')
    .values(rows.map((row) => ({ ...common, ...row })))
    .execute();
}

test('metrics say how deliveries end, how long attempts take, how many wait and how long', async () => {
  await using service = await startTestService({ workers: 0, allowedAddresses: ['127.0.0.1'] });
  await using receiver = await startReceiver();
  await using silent = await startReceiver();
  silent.answers.status = null;
  const { db } = service;
  const owner = await service.signIn();
  const create = async (url: string) =>
    (await owner.post<NewWebhook>('/manage/webhooks', { url, types: ['media.failed'] })).data.id;
  // Tells that there may be something to deliver.
  const look = (id: string) => owner.post(`/manage/webhooks/${id}/redeliver`, { event_id: unknownId });
  const listStates = async () =>
    (await db.selectFrom('webhook_deliveries').select('status').execute()).map(({ status }) => status);

  // Eight attempts at a time, so two of ten stay due; of a webhook that fails two, so one of three.
  const stuck = await create(silent.url);
  const failing = await create(silent.url);
  await db
    .updateTable('webhooks')
    .set({ failing_since: secondsAgo(2000) })
    .where('id', '=', failing)
    .execute();
  const due = { created_at: secondsAgo(1000), next_attempt_at: secondsAgo(100) };
  const later = { created_at: secondsAgo(50), next_attempt_at: secondsAgo(-500) };
  const ids = Array.from({ length: 10 }, (_, i) => `0${i}`);
  await queue(service, stuck, [...ids.map((event_id) => ({ event_id, ...due })), { event_id: '10', ...later }]);
  const late = { created_at: secondsAgo(900), next_attempt_at: secondsAgo(800) };
  await queue(
    service,
    failing,
    ids.slice(0, 3).map((event_id) => ({ event_id, ...late })),
  );
  await look(stuck);
  await vi.waitFor(() => expect(silent.messages).toHaveLength(10), 20_000);
  const before = await readMetrics(service);
  expect(before('webhook_deliveries{state="due"}')).toBe(3);
  expect(before('webhook_deliveries{state="scheduled"}')).toBe(11);
  const age = before('oldest_webhook_delivery_age_seconds');
  expect(age).toBeGreaterThan(999);
  expect(age).toBeLessThan(1030);
  const overdue = before('webhook_delivery_overdue_seconds');
  expect(overdue).toBeGreaterThan(99);
  expect(overdue).toBeLessThan(130);
  expect(before('webhook_deliveries_ended_total{outcome="delivered"}')).toBeUndefined();

  for (const each of [stuck, failing]) await owner.delete(`/manage/webhooks/${each}`);
  const id = await create(receiver.url);
  receiver.answers.afterMs = 250;
  for (const [status, state] of [
    [200, 'delivered'],
    [500, 'pending'],
    [410, 'failed'],
  ] as const) {
    receiver.answers.status = status;
    await owner.post(`/manage/webhooks/${id}/test`);
    await vi.waitFor(async () => expect(await listStates()).toContain(state), 20_000);
    await vi.waitFor(async () => {
      const rows = await db.selectFrom('webhook_deliveries').select('duration_ms').execute();
      expect(rows.filter(({ duration_ms }) => duration_ms === null)).toEqual([]);
    }, 20_000);
  }
  // Gone: what waited for another attempt has ended as well. Then one uses up its attempts.
  await vi.waitFor(async () => expect(await listStates()).not.toContain('pending'), 20_000);
  await owner.patch(`/manage/webhooks/${id}`, { enabled: true });
  receiver.answers.status = 500;
  await queue(service, id, [{ event_id: 'last', attempts: 7, ...due }]);
  await look(id);
  await vi.waitFor(async () => expect(await listStates()).toEqual(['delivered', 'failed', 'failed', 'failed']), 20_000);
  const after = await readMetrics(service);
  expect(after('webhook_deliveries_ended_total{outcome="delivered"}')).toBe(1);
  expect(after('webhook_deliveries_ended_total{outcome="failed"}')).toBe(3);
  for (const [outcome, count] of [
    ['delivered', 1],
    ['requeued', 1],
    ['failed', 2],
  ] as const) {
    expect(after(`webhook_attempt_duration_seconds_count{outcome="${outcome}"}`), outcome).toBe(count);
    const sum = after(`webhook_attempt_duration_seconds_sum{outcome="${outcome}"}`);
    expect(sum, outcome).toBeGreaterThan(0.24 * count);
    expect(sum, outcome).toBeLessThan(1.5 * count);
  }
});
