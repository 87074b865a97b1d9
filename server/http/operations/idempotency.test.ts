import { once } from 'node:events';
import { openAsBlob } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { basePath } from '../../../contract/base-path.ts';
import type { Creator } from '../../../contract/creators.ts';
import { dashboardOperations } from '../../../contract/dashboard-operations.ts';
import type { MediaExport } from '../../../contract/exports.ts';
import type { MediaItem } from '../../../contract/media.ts';
import type { Operation } from '../../../contract/operation.ts';
import { makePhoto, plain } from '../../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { listScratch } from '../../platform/storage/scratch.ts';
import { readGreeting, spawnProgram } from '../../testing/programs.ts';
import { createTestClient, startServiceOn, startTestService } from '../../testing/running-service.ts';
import { sendOperation } from '../../testing/send-operation.ts';
import { type OperationId, validRequests } from '../../testing/valid-requests.ts';

let service: Awaited<ReturnType<typeof startTestService>>;

beforeAll(async () => {
  service = await startTestService();
});

afterAll(() => service[Symbol.asyncDispose]());

const create = (name: string, key: string) =>
  service.client.post<Creator>('/creators', { name }, { 'Idempotency-Key': key });

async function upload(file: string, key: string, name = 'photo.png') {
  const form = new FormData();
  form.set('file', await openAsBlob(file), name);
  return service.client.call<MediaItem>('/media/upload', {
    method: 'POST',
    body: form,
    headers: { 'Idempotency-Key': key },
  });
}

test('a repeated request gets the stored response and creates nothing', async () => {
  const first = await create('Ana', 'one');
  const again = await create('Ana', 'one');
  expect(again).toMatchObject({ status: 201, data: first.data });
  expect(again.headers.get('Location')).toBe(first.headers.get('Location'));
  expect(again.headers.get('Idempotency-Replayed')).toBe('true');
  expect((await create('Ana', 'two')).status).toBe(409);
});

test('the same key with another body is refused', async () => {
  expect(await create('Bo', 'one')).toMatchObject({ status: 422, error: { code: 'idempotency_key_reused' } });
  const file = path.join(service.folder, 'reuse.png');
  await makePhoto(file, plain(3, 2, 1));
  expect(await upload(file, 'one')).toMatchObject({ status: 422, error: { code: 'idempotency_key_reused' } });
});

test('of two concurrent requests one creates; the other gets a conflict or the same response', async () => {
  const answers = await Promise.all([1, 2, 3].map(() => create('Cleo', 'race')));
  const created = answers.filter(({ status }) => status === 201);
  expect(created.length).toBeGreaterThan(0);
  expect(new Set(created.map(({ data }) => data.id)).size).toBe(1);
  for (const { status, error } of answers.filter((each) => each.status !== 201)) {
    expect([status, error.code]).toEqual([409, 'idempotency_conflict']);
  }
});

/** Sends the first half of an upload. The service has its key when it has a scratch folder. */
async function beginUpload({ url, key }: { url: string; key: string }, idempotencyKey: string) {
  const half = httpRequest(`${url}${basePath}/media/upload`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'multipart/form-data; boundary=half',
      'Idempotency-Key': idempotencyKey,
      Expect: '100-continue',
    },
  });
  half.on('error', () => undefined);
  half.flushHeaders();
  await once(half, 'continue');
  half.write('--half\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n');
  return half;
}

test('while the first request is in progress a second is refused; then it gets the response of the first', async () => {
  const file = path.join(service.folder, 'slow.png');
  await makePhoto(file, plain(9, 90, 9));
  const first = await beginUpload(service, 'slow');
  await expect.poll(() => listScratch(service.scratchDirectory)).toHaveLength(1);
  const conflict = await upload(file, 'slow', 'a.png');
  expect(conflict).toMatchObject({ status: 409, error: { code: 'idempotency_conflict' } });
  // The same key is free in another workspace.
  const { client: other } = await service.addWorkspace('Elsewhere');
  expect((await other.post('/creators', { name: 'Ana' }, { 'Idempotency-Key': 'slow' })).status).toBe(201);
  first.write(await readFile(file));
  first.end('\r\n--half--\r\n');
  const [answer] = (await once(first, 'response')) as [{ statusCode: number }];
  expect(answer.statusCode).toBe(202);
  const again = await upload(file, 'slow', 'a.png');
  expect(again.status).toBe(202);
  expect(again.headers.get('Idempotency-Replayed')).toBe('true');
});

test('after a failure in the handler the key is free, and nothing was created', async () => {
  await using broken = await startTestService({ logLevel: 'silent' });
  const { client, db, folder, scratchDirectory } = broken;
  // The creator is stored, then the response cannot be stored: both are rolled back.
  await db.schema.alterTable('idempotency_keys').renameColumn('fingerprint', 'lost').execute();
  const make = () => client.post<Creator>('/creators', { name: 'Ana' }, { 'Idempotency-Key': 'broken' });
  const file = path.join(folder, 'photo.png');
  await makePhoto(file, plain(3, 2, 1));
  const form = new FormData();
  form.set('file', await openAsBlob(file), 'photo.png');
  const send = () =>
    client.call<MediaItem>('/media/upload', { method: 'POST', body: form, headers: { 'Idempotency-Key': 'sent' } });
  expect((await make()).status).toBe(500);
  expect((await send()).status).toBe(500);
  expect((await client.get('/creators')).data).toEqual([]);
  expect((await client.get('/media')).data).toEqual([]);
  expect(await listScratch(scratchDirectory)).toEqual([]);
  await db.schema.alterTable('idempotency_keys').renameColumn('lost', 'fingerprint').execute();
  const made = await make();
  expect(made.status).toBe(201);
  expect(made.headers.get('Idempotency-Replayed')).toBeNull();
  expect((await make()).data.id).toBe(made.data.id);
  expect((await send()).status).toBe(202);
});

test('after kill -9 the key of a request in progress is free, and that of a completed one is still stored', async () => {
  await using folder = await temporaryFolder();
  const settings = { DATA_DIR: folder.file('data'), PORT: '0', WORKERS: '1' };
  const file = folder.file('photo.png');
  await makePhoto(file, plain(1, 90, 9));
  const send = async ({ url, key }: { url: string; key: string }, idempotencyKey: string) => {
    const form = new FormData();
    form.set('file', await openAsBlob(file), 'photo.png');
    const headers = { 'Idempotency-Key': idempotencyKey };
    return createTestClient(url, key).call<MediaItem>('/media/upload', { method: 'POST', body: form, headers });
  };
  const first = spawnProgram('main', [], settings);
  const before = await readGreeting(first);
  const answered = await send(before, 'answered');
  const half = await beginUpload(before, 'half');
  await expect.poll(() => listScratch(folder.file('data'))).toHaveLength(1);
  first.kill('SIGKILL');
  await once(first, 'exit');
  half.destroy();

  await using after = await startServiceOn(folder.file('data'));
  const replayed = await send(after, 'answered');
  expect(replayed).toMatchObject({ status: 202, data: { id: answered.data.id } });
  expect(replayed.headers.get('Idempotency-Replayed')).toBe('true');
  const free = await send(after, 'half');
  expect(free).toMatchObject({ status: 200, data: { id: answered.data.id } });
});

test('a request that failed can be sent again with its key', async () => {
  expect((await create('', 'failing')).status).toBe(400);
  expect((await create('Dora', 'failing')).status).toBe(201);
});

test('a repeated upload gets the stored response, even if its item was indexed or deleted since', async () => {
  const file = path.join(service.folder, 'photo.png');
  await makePhoto(file, plain(120, 30, 30));
  const first = await upload(file, 'photo');
  expect(first.status).toBe(202);
  await service.client.waitUntilIndexed(first.data.id);
  const again = await upload(file, 'photo');
  expect(again).toMatchObject({ status: 202, data: { id: first.data.id, status: 'pending' } });
  expect(again.headers.get('Location')).toBe(`/api/v1/media/${first.data.id}`);
  // Another file name is another request; without the key the bytes are recognised.
  expect((await upload(file, 'photo', 'other.png')).status).toBe(422);
  expect((await service.client.upload(file)).status).toBe(200);
  await service.client.delete(`/media/${first.data.id}`);
  expect((await upload(file, 'photo')).data.id).toBe(first.data.id);
});

test('keys of one workspace have no effect in another', async () => {
  const { client } = await service.addWorkspace('Other');
  const made = await client.post<Creator>('/creators', { name: 'Ana' }, { 'Idempotency-Key': 'one' });
  expect(made.status).toBe(201);
  expect(made.headers.get('Idempotency-Replayed')).toBeNull();
});

test('keys expire after 24 hours', async () => {
  await create('Eve', 'old');
  const yesterday = new Date(Date.now() - 25 * 60 * 60 * 1000).toISOString();
  await service.db.updateTable('idempotency_keys').set({ created_at: yesterday }).where('key', '=', 'old').execute();
  expect((await create('Fay', 'old')).status).toBe(201);
});

test.each(['', 'x'.repeat(256), 'tab\there'])('a key must have 1 to 255 visible characters: %j', async (key) => {
  expect(await create('Gil', key)).toMatchObject({
    status: 400,
    error: { code: 'validation_error', details: [{ path: 'header.Idempotency-Key' }] },
  });
});

const creating: [path: string, body: object, other: object][] = [
  ['/creators', { name: 'Hal' }, { name: 'Ida' }],
  ['/collections', { name: 'Lisbon' }, { name: 'Porto' }],
  ['/tags', { name: 'dusk' }, { name: 'dawn' }],
  [
    '/saved-searches',
    { name: 'Ferries', page: 'search', parameters: { q: 'ferry' } },
    { name: 'Dogs', page: 'search', parameters: { q: 'dog' } },
  ],
];

test.each(creating)('POST %s with a key creates once, and another body is refused', async (address, body, other) => {
  const { client } = service;
  const key = { 'Idempotency-Key': `new ${address}` };
  const total = async () => (await client.get<unknown, { total: number }>(address)).meta.total;
  const before = await total();
  const first = await client.post<{ id: string }>(address, body, key);
  expect([first.status, first.headers.get('Idempotency-Replayed')]).toEqual([201, null]);
  const again = await client.post<{ id: string }>(address, body, key);
  expect([again.status, again.headers.get('Idempotency-Replayed'), again.data]).toEqual([201, 'true', first.data]);
  expect(again.headers.get('Location')).toBe(`/api/v1${address}/${first.data.id}`);
  expect(again.headers.get('Location')).toBe(first.headers.get('Location'));
  expect(await client.post(address, other, key)).toMatchObject({
    status: 422,
    error: { code: 'idempotency_key_reused' },
  });
  expect(await total()).toBe(before + 1);
  // Without a key it is another request.
  expect((await client.post(address, body)).status).toBe(409);
});

/** An item of the workspace that is indexed. */
async function addPhoto(red: number): Promise<MediaItem> {
  const file = path.join(service.folder, `photo ${red}.png`);
  await makePhoto(file, plain(red, 60, 30));
  return service.client.waitUntilIndexed((await service.client.upload(file)).data.id);
}

type Link = { id: string; url: string };

test('POST /shares with a key makes one link, whose token is stored nowhere in the clear, and makes none public again', async () => {
  const { client, db } = service;
  const { id } = await addPhoto(201);
  const send = (body: object) => client.post<Link>('/shares', { media_id: id, ...body }, { 'Idempotency-Key': 'link' });
  const first = await send({});
  const [again, other] = [await send({}), await send({ title: 'Another' })];
  expect([again.status, again.data, again.headers.get('Idempotency-Replayed')]).toEqual([201, first.data, 'true']);
  expect(again.headers.get('Location')).toBe(first.data.url);
  expect(other).toMatchObject({ status: 422, error: { code: 'idempotency_key_reused' } });
  expect((await client.get<Link[]>('/shares')).data).toHaveLength(1);
  const stored = await db
    .selectFrom('idempotency_keys')
    .selectAll()
    .where('key', '=', 'link')
    .executeTakeFirstOrThrow();
  expect(JSON.stringify(stored)).not.toContain(first.data.url.split('/').at(-1));
  await client.delete(`/shares/${first.data.id}`);
  expect(await send({})).toMatchObject({ status: 404, error: { code: 'not_found' } });
  expect((await client.get<Link[]>('/shares')).data).toEqual([]);
});

test('a link whose file could not be made leaves its key free', async () => {
  const { client } = service;
  const { id } = await addPhoto(202);
  const original = path.join(service.folder, 'data', 'assets', service.workspaceId, id, 'original');
  const send = () => client.post<Link>('/shares', { media_id: id }, { 'Idempotency-Key': 'broken link' });
  await rename(original, `${original}.kept`);
  await writeFile(original, 'no picture');
  expect((await send()).status).toBe(422);
  await rename(`${original}.kept`, original);
  const made = await send();
  expect([made.status, made.headers.get('Idempotency-Replayed')]).toEqual([201, null]);
  // Where a process ended before the file was made, the next request makes it.
  expect((await fetch(`${made.data.url}/media`)).status).toBe(200);
});

test('POST /exports with a key begins one export, and another when that is gone', async () => {
  const { client } = service;
  const { id } = await addPhoto(203);
  const send = (format: string) =>
    client.post<MediaExport>('/exports', { format, media_ids: [id] }, { 'Idempotency-Key': 'export' });
  const first = await send('png');
  await fetch(first.data.url).then((response) => response.arrayBuffer());
  const again = await send('png');
  expect([again.status, again.headers.get('Idempotency-Replayed')]).toEqual([201, 'true']);
  // As it is by now.
  expect(again.data).toMatchObject({ id: first.data.id, status: 'ready' });
  expect(again.headers.get('Location')).toBe(`/api/v1/exports/${first.data.id}`);
  expect((await send('jpeg')).status).toBe(422);
  await client.delete(`/exports/${first.data.id}`);
  const begun = await send('png');
  expect([begun.status, begun.headers.get('Idempotency-Replayed')]).toEqual([201, null]);
  expect(begun.data.id).not.toBe(first.data.id);
  expect((await send('png')).data.id).toBe(begun.data.id);
});

test('what the dashboard creates takes no key, and says so: its answers are kept nowhere in the clear', async () => {
  const { cookie } = await service.signIn();
  const key = { 'Idempotency-Key': 'secret' };
  const created = Object.entries(dashboardOperations as Record<string, Operation>).filter(
    ([, { status }]) => status === 201,
  );
  expect(created.length).toBeGreaterThan(3);
  for (const [id] of created as [OperationId, Operation][]) {
    const asked = { ...validRequests[id], headers: key };
    const { status, body } = await sendOperation(service.url, id, asked, { cookie: cookie() });
    expect([id, status, body?.error]).toMatchObject([id, 400, { details: [{ path: 'header.Idempotency-Key' }] }]);
  }
});
