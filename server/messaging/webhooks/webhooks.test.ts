import path from 'node:path';
import { Webhook as Verifier } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { NewWebhook, Webhook, WebhookDelivery } from '../../../contract/webhooks.ts';
import { makePhoto, plain } from '../../../packages/media/samples/draw-media.ts';
import { disableAutomatically, forgetDeliveries } from '../../catalog/events/webhook-deliveries.ts';
import { addMember } from '../../testing/add-member.ts';
import { createTestBrowser, startTestService, type TestBrowser } from '../../testing/running-service.ts';
import { unknownId } from '../../testing/valid-requests.ts';
import { type ReceivedMessage, startReceiver } from '../../testing/webhook-receiver.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let owner: TestBrowser;
let photos = 0;

beforeAll(async () => {
  service = await startTestService({ workers: 0, allowedAddresses: ['127.0.0.1'] });
  owner = await service.signIn();
});
beforeEach(async () => {
  receiver = await startReceiver();
  return () => receiver[Symbol.asyncDispose]();
});
afterAll(() => service[Symbol.asyncDispose]());

/** What is looked for in the catalog now and then may take five seconds. */
const poll = <Value>(read: () => Value) => expect.poll(read, { timeout: 10_000 });

const create = async (types = ['media.created', 'media.deleted']) =>
  (await owner.post<NewWebhook>('/manage/webhooks', { url: receiver.url, types })).data;

const remove = (id: string) => owner.delete(`/manage/webhooks/${id}`);

const deliveriesOf = async (id: string, query = '') =>
  (await owner.get<WebhookDelivery[]>(`/manage/webhooks/${id}/deliveries${query}`)).data;

const read = async (id: string) =>
  (await owner.get<Webhook[]>('/manage/webhooks')).data.find((webhook) => webhook.id === id);

/** An item that is not there yet. */
async function upload(): Promise<string> {
  photos += 1;
  const file = path.join(service.folder, `photo-${photos}.png`);
  await makePhoto(file, plain(photos, 3, 200));
  return (await service.client.upload(file)).data.id;
}

const verify = (secret: string, { body, headers }: ReceivedMessage) =>
  new Verifier(secret).verify(body, headers as Record<string, string>);

/** Makes what waits due now, as if its time had come. */
async function makeDue(id: string): Promise<void> {
  await service.db
    .updateTable('webhook_deliveries')
    .set({ next_attempt_at: new Date().toISOString() })
    .where('webhook_id', '=', id)
    .where('status', '=', 'pending')
    .execute();
  // Tells that there may be something to deliver.
  await owner.post(`/manage/webhooks/${id}/redeliver`, { event_id: unknownId });
}

test('what happens is sent, signed, to webhooks that want it, and noted', async () => {
  const { id, secret } = await create();
  const other = await create(['media.failed']);
  const media = await upload();
  const created = await receiver.next((type) => type === 'media.created');
  expect(verify(secret, created)).toMatchObject({
    type: 'media.created',
    timestamp: expect.stringMatching(/^20.*Z$/),
    data: { media: { id: media, filename: `photo-${photos}.png`, status: 'pending' } },
  });
  await service.client.delete(`/media/${media}`);
  verify(secret, await receiver.next((type) => type === 'media.deleted'));
  await poll(() => deliveriesOf(id, '?status=delivered')).toHaveLength(2);
  const [deleted] = await deliveriesOf(id);
  expect(deleted).toMatchObject({
    type: 'media.deleted',
    attempts: 1,
    next_attempt_at: null,
    response: { status: 200, body: 'ok' },
    error: null,
  });
  expect(receiver.messages.map(({ body }) => body)).toContain(deleted?.payload);
  expect(await deliveriesOf(other.id)).toEqual([]);
  for (const each of [id, other.id]) await remove(each);
  await upload();
  expect(await service.db.selectFrom('webhook_deliveries').selectAll().execute()).toEqual([]);
});

test('what fails is sent again later under the same identifier, until it arrives', async () => {
  const { id, secret } = await create();
  receiver.answers.status = 500;
  receiver.answers.body = 'out of order';
  await upload();
  const first = await receiver.next(() => true);
  await poll(async () => (await deliveriesOf(id))[0]?.error).toBe('It answered with status 500.');
  const [failed] = await deliveriesOf(id);
  expect(failed).toMatchObject({ status: 'pending', attempts: 1, response: { status: 500, body: 'out of order' } });
  const wait = Date.parse(failed?.next_attempt_at ?? '') - Date.parse(failed?.last_attempt_at ?? '');
  expect(wait).toBeGreaterThan(4400);
  expect(wait).toBeLessThan(6000);
  expect((await read(id))?.failing_since).not.toBeNull();
  receiver.answers.status = 204;
  await makeDue(id);
  const second = await receiver.next(() => true);
  expect(second.headers['webhook-id']).toBe(first.headers['webhook-id']);
  expect(second.body).toBe(first.body);
  verify(secret, second);
  await poll(() => deliveriesOf(id, '?status=delivered')).toMatchObject([{ attempts: 2, error: null }]);
  expect((await read(id))?.failing_since).toBeNull();
  await remove(id);
});

test('a delivery that used up its attempts fails, disables a webhook that never answers, and can be repeated', async () => {
  const { id } = await create();
  receiver.answers.status = 503;
  await upload();
  await poll(async () => (await deliveriesOf(id))[0]?.error).toBe('It answered with status 503.');
  await service.db.updateTable('webhook_deliveries').set({ attempts: 7 }).execute();
  await service.db.updateTable('webhooks').set({ failing_since: '2026-01-01T00:00:00.000Z' }).execute();
  await makeDue(id);
  await poll(() => read(id)).toMatchObject({ enabled: false, disabled_reason: 'failing', waiting: 0 });
  expect(await deliveriesOf(id, '?status=failed')).toMatchObject([
    { attempts: 8, error: 'It answered with status 503.' },
  ]);
  // Nothing is queued for it, sent to it or repeated.
  await upload();
  expect(await deliveriesOf(id)).toHaveLength(1);
  for (const action of ['test', 'redeliver'])
    expect((await owner.post(`/manage/webhooks/${id}/${action}`, {})).error.code).toBe('not_ready');
  expect((await owner.patch<Webhook>(`/manage/webhooks/${id}`, { enabled: true })).data).toMatchObject({
    enabled: true,
    disabled_reason: null,
    failing_since: null,
  });
  receiver.answers.status = 200;
  expect((await owner.post(`/manage/webhooks/${id}/redeliver`, {})).data).toEqual({ redelivered: 1 });
  await poll(() => deliveriesOf(id, '?status=delivered')).toMatchObject([{ attempts: 1 }]);
  const event_id = (await deliveriesOf(id))[0]?.event_id;
  expect((await owner.post(`/manage/webhooks/${id}/redeliver`, { event_id })).data).toEqual({ redelivered: 1 });
  await poll(() => receiver.messages.length).toBe(4);
  await remove(id);
});

test('what waits for another attempt is sent at once when an owner asks, not twice at a time, and not in a loop', async () => {
  const { id } = await create();
  const other = await create();
  const resend = async (body: object = { status: 'pending' }) =>
    (await owner.post<{ redelivered: number }>(`/manage/webhooks/${id}/redeliver`, body)).data.redelivered;
  const change = (webhook: string) => service.db.updateTable('webhook_deliveries').where('webhook_id', '=', webhook);
  receiver.answers.status = 500;
  for (let i = 0; i < 2; i++) await upload();
  for (const each of [id, other.id])
    await poll(async () => (await deliveriesOf(each)).map(({ error }) => error)).toEqual(
      Array(2).fill('It answered with status 500.'),
    );
  // Of two that wait for an hour, one was attempted just now.
  const next_attempt_at = new Date(Date.now() + 3_600_000).toISOString();
  const last_attempt_at = new Date(Date.now() + 60_000).toISOString();
  for (const each of [id, other.id])
    await change(each).set({ attempts: 5, next_attempt_at, last_attempt_at }).execute();
  const [latest, first] = (await deliveriesOf(id)).map(({ event_id }) => event_id);
  const longAgo = '2026-11-01T00:00:00.000Z';
  const ofFirst = () => change(id).where('event_id', '=', first ?? '');
  await ofFirst().set({ last_attempt_at: longAgo }).execute();
  receiver.answers.status = null;
  const before = receiver.messages.length;
  const asked = Date.now();
  expect(await resend()).toBe(2);
  const answered = Date.now();
  await poll(() => receiver.messages.length).toBe(before + 1);
  expect(receiver.messages.at(-1)?.headers['webhook-id']).toBe(first);
  const [soon, underWay] = await deliveriesOf(id);
  expect(underWay).toMatchObject({ status: 'pending', attempts: 1, error: null, response: null });
  const soonAt = Date.parse(soon?.next_attempt_at ?? '');
  expect(soonAt).toBeGreaterThanOrEqual(asked + 5000);
  expect(soonAt).toBeLessThanOrEqual(answered + 5000);
  await ofFirst().set({ last_attempt_at: longAgo }).execute();
  expect([await resend(), await resend({ event_id: first })]).toEqual([0, 0]);
  expect(await deliveriesOf(id)).toMatchObject([
    { attempts: 0, next_attempt_at: soon?.next_attempt_at },
    { attempts: 1 },
  ]);
  receiver.answers.status = 200;
  await change(id)
    .set({ next_attempt_at: longAgo })
    .where('event_id', '=', latest ?? '')
    .execute();
  expect(await resend()).toBe(0);
  await poll(() => deliveriesOf(id, '?status=delivered')).toMatchObject([{ event_id: latest, attempts: 1 }]);
  expect(receiver.messages).toHaveLength(before + 2);
  expect((await deliveriesOf(other.id)).map(({ attempts }) => attempts)).toEqual([5, 5]);
  const both = await owner.post(`/manage/webhooks/${id}/redeliver`, { status: 'failed', event_id: latest });
  expect(both.error).toMatchObject({ code: 'validation_error' });
  for (const each of [id, other.id]) await remove(each);
});

test('status 410 disables a webhook at once, and what waits for it ends', async () => {
  const { id } = await create();
  receiver.answers.status = 410;
  await upload();
  await poll(() => read(id)).toMatchObject({ enabled: false, disabled_reason: 'gone' });
  expect(await deliveriesOf(id)).toMatchObject([{ status: 'failed', response: { status: 410 } }]);
  await remove(id);
});

test('a test event is delivered; after a rotation the old secret counts beside the new one', async () => {
  const { id, secret } = await create(['media.failed']);
  expect((await owner.post<WebhookDelivery>(`/manage/webhooks/${id}/test`)).data.type).toBe('webhook.test');
  expect(verify(secret, await receiver.next((type) => type === 'webhook.test'))).toMatchObject({
    data: { webhook: { id } },
  });
  const rotated = (await owner.post<{ secret: string }>(`/manage/webhooks/${id}/rotate`)).data.secret;
  expect(rotated).not.toBe(secret);
  expect((await owner.get<{ secret: string }>(`/manage/webhooks/${id}/secret`)).data.secret).toBe(rotated);
  await owner.post(`/manage/webhooks/${id}/test`);
  const both = await receiver.next(() => true);
  for (const each of [secret, rotated]) verify(each, both);
  const until = (await read(id))?.previous_secret_until ?? '';
  expect((Date.parse(until) - Date.now()) / 3_600_000).toBeCloseTo(24, 1);
  await service.db.updateTable('webhooks').set({ previous_until: new Date().toISOString() }).execute();
  await owner.post(`/manage/webhooks/${id}/test`);
  const alone = await receiver.next(() => true);
  verify(rotated, alone);
  expect(() => verify(secret, alone)).toThrow('No matching signature');
  await remove(id);
});

test('a receiver that never answers holds up no other', async () => {
  await using silent = await startReceiver();
  const { id } = await create();
  const slow = (await owner.post<NewWebhook>('/manage/webhooks', { url: silent.url, types: ['media.created'] })).data;
  silent.answers.status = null;
  for (let i = 0; i < 10; i++) await upload();
  for (let i = 0; i < 10; i++) await receiver.next(() => true);
  await poll(() => silent.messages.length).toBe(8);
  for (const each of [id, slow.id]) await remove(each);
});

test('of more than 10,000 deliveries that wait, the rest is counted and not queued', async () => {
  const { id } = await create();
  const { db, workspaceId } = service;
  const later = new Date(Date.now() + 3_600_000).toISOString();
  const row = {
    workspace_id: workspaceId,
    webhook_id: id,
    type: 'media.created',
    data: '{}',
    status: 'pending',
  } as const;
  for (let i = 0; i < 10_000; i += 1000)
    await db
      .insertInto('webhook_deliveries')
      .values(
        Array.from({ length: 1000 }, (_, n) => ({
          ...row,
          event_id: String(i + n).padStart(5, '0'),
          next_attempt_at: later,
          created_at: '2026-11-01T00:00:00.000Z',
        })),
      )
      .execute();
  await upload();
  expect(await read(id)).toMatchObject({ waiting: 10_000, missed: { count: 1, since: expect.stringMatching(/^20/) } });
  expect((await owner.post(`/manage/webhooks/${id}/test`)).error.code).toBe('not_ready');
  expect((await owner.patch<Webhook>(`/manage/webhooks/${id}`, { enabled: false })).data).toMatchObject({
    enabled: false,
    disabled_reason: 'owner',
    waiting: 0,
    missed: null,
  });
  // Old and settled: forgotten.
  await forgetDeliveries(db, new AbortController().signal);
  expect(await deliveriesOf(id)).toEqual([]);
  await remove(id);
});

test('addresses are checked when they are given', async () => {
  const ask = async (url: string) => (await owner.post('/manage/webhooks', { url, types: ['media.created'] })).error;
  const noAddress = 'leads to no IP address, or to a private IP address';
  for (const [url, message] of [
    ['https://10.0.0.1/', noAddress],
    ['https://127.0.0.2/', noAddress],
    ['http://93.184.216.34/', 'https'],
    ['https://name.invalid/', noAddress],
    ['http://name.invalid/', 'https'],
    ['https://user:password@[2606:4700::1111]/', 'user name'],
    ['https:\\\\user:password@[2606:4700::1111]/', 'https'],
    ['ftp://93.184.216.34/', 'https'],
  ])
    expect(await ask(url ?? ''), url).toMatchObject({
      code: 'validation_error',
      details: [{ path: 'body.url', message: expect.stringContaining(message ?? '') }],
    });
  const { id } = await create();
  expect((await owner.patch(`/manage/webhooks/${id}`, { url: 'https://10.0.0.1/' })).error.code).toBe(
    'validation_error',
  );
  await remove(id);
});

test('only owners of its workspace see and change a webhook, and its secret is stored encrypted', async () => {
  const { id, secret } = await create();
  const member = createTestBrowser(service.url, (await addMember(service, 'member@example.org')).cookie);
  const stranger = await service.signIn((await service.addWorkspace('Strangers')).id);
  for (const [browser, code] of [
    [member, 'forbidden'],
    [stranger, 'not_found'],
  ] as const) {
    const answers = [
      await browser.patch(`/manage/webhooks/${id}`, { enabled: false }),
      await browser.get(`/manage/webhooks/${id}/secret`),
      await browser.post(`/manage/webhooks/${id}/rotate`),
      await browser.post(`/manage/webhooks/${id}/test`),
      await browser.get(`/manage/webhooks/${id}/deliveries`),
      await browser.post(`/manage/webhooks/${id}/redeliver`, {}),
      await browser.post(`/manage/webhooks/${id}/redeliver`, { status: 'pending' }),
      await browser.delete(`/manage/webhooks/${id}`),
    ];
    expect(answers.map(({ error }) => error.code)).toEqual(answers.map(() => code));
  }
  expect((await stranger.get('/manage/webhooks')).data).toEqual([]);
  const [row] = await service.db.selectFrom('webhooks').selectAll().where('id', '=', id).execute();
  expect(Buffer.from(row?.sealed ?? []).toString('latin1')).not.toContain(secret.slice(6));
  expect(JSON.stringify((await owner.get('/manage/webhooks')).data)).not.toContain(secret);
  await remove(id);
});

test('a webhook whose secret was encrypted by a key that is lost is disabled, and works again with another', async () => {
  const { id } = await create();
  await service.db
    .updateTable('webhooks')
    .set({ sealed: new Uint8Array(60) })
    .execute();
  await owner.post(`/manage/webhooks/${id}/test`);
  await poll(() => read(id)).toMatchObject({ enabled: false, disabled_reason: 'secret_lost' });
  expect((await owner.get(`/manage/webhooks/${id}/secret`)).error.code).toBe('not_ready');
  expect((await owner.patch(`/manage/webhooks/${id}`, { enabled: true })).error.code).toBe('not_ready');
  const { secret } = (await owner.post<{ secret: string }>(`/manage/webhooks/${id}/rotate`)).data;
  await owner.patch(`/manage/webhooks/${id}`, { enabled: true });
  expect((await owner.post(`/manage/webhooks/${id}/redeliver`, {})).data).toEqual({ redelivered: 1 });
  verify(secret, await receiver.next(() => true));
  // What arrived since it began to fail keeps it enabled.
  const key = { workspace_id: service.workspaceId, id };
  expect(await disableAutomatically(service.db, key, 'failing', new Date())).toBeNull();
  await remove(id);
});
