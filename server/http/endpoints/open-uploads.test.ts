import { readFile } from 'node:fs/promises';
import { Agent, type ClientRequest, request as httpRequest } from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type OpenUpload, tus as tusProtocol } from '../../../contract/uploads.ts';
import type { Workspace } from '../../../contract/workspace.ts';
import { makePhoto, plain } from '../../../packages/media/samples/draw-media.ts';
import { assignPlan, savePlan } from '../../catalog/accounts/plans.ts';
import { addMember } from '../../testing/add-member.ts';
import { startTestService } from '../../testing/running-service.ts';
import { createTusRequests } from '../../testing/tus-requests.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
let tus: ReturnType<typeof createTusRequests>;

beforeAll(async () => {
  service = await startTestService({ workers: 0 });
  tus = createTusRequests(service);
});
beforeEach(() => service.db.deleteFrom('uploads').execute());
afterAll(() => service[Symbol.asyncDispose]());

type Meta = { total: number; has_more: boolean; storage_bytes: number };

const list = (query = '') => service.client.get<OpenUpload[], Meta>(`/uploads${query}`);
const idOf = (at: string) => at.split('/').at(-1) ?? '';
const failure = async (answer: Response) => ((await answer.json()) as { error: { code: string } }).error.code;

/** Begins to send a part, whose end never comes. @param signal lets the client hang up */
function hangingPart(at: string, bytes: Uint8Array, signal: AbortSignal | null = null) {
  const body = new ReadableStream({ start: (controller) => controller.enqueue(bytes) });
  return tus.patch(at, 0, Buffer.of(), {}, { body, signal, duplex: 'half' }).then(
    ({ status }) => status,
    () => 0,
  );
}

test('open uploads are listed with what they reserve and who began them', async () => {
  const member = await addMember(service, 'member@example.org');
  const begun = await tus.post(3000, { filename: 'C:\\films\\sea.mp4' }, { cookie: member.cookie });
  const byMember = String(begun.headers.get('Location'));
  await tus.patch(byMember, 0, Buffer.alloc(1000));
  const byScript = await tus.create(500, { filename: 'ferry.mp4' });
  const refused = await tus.create(4);
  expect((await tus.patch(refused, 0, Buffer.from('text'))).status).toBe(415);
  const expired = idOf(await tus.create(7));
  await service.db.updateTable('uploads').set({ expires_at: '2026-01-01' }).where('id', '=', expired).execute();

  const { data, meta, status } = await list();
  expect(status).toBe(200);
  expect(data).toEqual([
    {
      id: idOf(byScript),
      filename: 'ferry.mp4',
      offset: 0,
      length: 500,
      sending: false,
      created_by: null,
      created_at: expect.any(String) as string,
      expires_at: expect.any(String) as string,
    },
    expect.objectContaining({
      id: idOf(byMember),
      filename: 'sea.mp4',
      offset: 1000,
      length: 3000,
      created_by: 'Member',
    }),
  ]);
  expect(meta).toMatchObject({ total: 2, has_more: false, storage_bytes: 3500 });
  expect(data[1]?.expires_at).toBe((await tus.get(byMember)).expires_at);
  const second = await list('?per_page=1&page=2');
  expect([second.data.map(({ id }) => id), second.meta]).toEqual([
    [idOf(byMember)],
    { total: 2, page: 2, per_page: 1, total_pages: 2, has_more: false, storage_bytes: 3500 },
  ]);
  expect((await list('?per_page=101')).status).toBe(400);
});

test('another workspace sees none of them, and its sessions name nobody', async () => {
  const other = await service.addWorkspace('Other');
  const foreign = await service.signIn(other.id);
  const begun = await tus.post(100, {}, { cookie: foreign.cookie() });
  expect(await other.client.get('/uploads')).toMatchObject({ data: [], meta: { total: 0, storage_bytes: 0 } });
  expect((await other.client.get<Workspace>('/workspace')).data.usage.open_uploads.media_items).toBe(0);
  const id = idOf(String(begun.headers.get('Location')));
  expect((await other.client.delete(`/uploads/${id}`)).status).toBe(404);
  expect((await list()).data).toMatchObject([{ id, created_by: null, filename: 'untitled' }]);
});

test('what they reserve is in the usage, and missing in what is left', async () => {
  const { db, client, workspaceId } = service;
  await savePlan(db, 'small', { name: 'Small', storage_bytes: 1000, media_items: 5 });
  await assignPlan(db, workspaceId, 'small');
  const at = await tus.create(900);
  const { usage, quota } = (await client.get<Workspace>('/workspace')).data;
  expect(usage).toMatchObject({
    storage_bytes: 0,
    media_items: 0,
    open_uploads: { storage_bytes: 900, media_items: 1 },
  });
  expect(quota).toMatchObject({ storage_bytes: 100, media_items: 4 });
  const refused = (await (await tus.post(200)).json()) as { error: { message: string } };
  expect(refused.error.message).toBe(
    'The plan Small allows 1000 bytes of storage, and 900 are used, 900 of them by open uploads; this needs 200 more.',
  );
  expect((await client.delete(`/uploads/${idOf(at)}`)).status).toBe(204);
  expect((await client.get<Workspace>('/workspace')).data.quota).toMatchObject({ storage_bytes: 1000, media_items: 5 });
  await assignPlan(db, workspaceId, 'self-hosted');
});

test('one that is being sent can be discarded, and its client is told', async () => {
  const at = await tus.create(1000, { filename: 'sea.mp4' });
  const hanging = hangingPart(at, Buffer.alloc(400));
  await expect.poll(async () => (await list()).data).toMatchObject([{ filename: 'sea.mp4', sending: true }]);
  // Any key of the workspace may.
  expect((await service.client.delete(`/uploads/${idOf(at)}`)).status).toBe(204);
  // Clients of tus go on after 409, and with a new upload where this one is gone.
  expect(await hanging).toBe(410);
  expect(await list()).toMatchObject({ data: [], meta: { total: 0, storage_bytes: 0 } });
  expect((await tus.head(at)).status).toBe(410);
  const next = await tus.patch(at, 0, Buffer.alloc(1000));
  expect([next.status, await failure(next)]).toEqual([410, 'upload_discarded']);
  expect(await tus.get(at)).toMatchObject({ media_id: null, error: { code: 'upload_discarded' } });
  expect((await service.client.delete(`/uploads/${idOf(at)}`)).status).toBe(410);
  expect((await tus.get(at)).error?.code).toBe('upload_discarded');
});

/** Sends all bytes of a new upload, and holds the end of the body back. @returns where it is, once they have arrived */
async function sendWhole(blue: number, signal: AbortSignal | null = null) {
  const file = path.join(service.folder, `whole-${blue}.png`);
  await makePhoto(file, plain(9, 9, blue));
  const bytes = await readFile(file);
  const at = await tus.create(bytes.length);
  const hanging = hangingPart(at, bytes, signal);
  const arrived = path.join(service.folder, 'data', 'partial-files', service.workspaceId, idOf(at));
  await expect.poll(() => readFile(arrived).catch(() => null)).toEqual(bytes);
  return { at, hanging };
}

test('who hangs up after the last byte has sent an item, and finds it by asking alone', async () => {
  const connection = new AbortController();
  const { at, hanging } = await sendWhole(50, connection.signal);
  expect(await tus.get(at)).toMatchObject({ media_id: null });
  connection.abort();
  expect(await hanging).toBe(0);
  await expect.poll(async () => (await tus.get(at)).media_id).not.toBeNull();
});

test('one whose last byte has come and whose end has not can be discarded', async () => {
  const { at, hanging } = await sendWhole(90);
  expect((await service.client.delete(`/uploads/${idOf(at)}`)).status).toBe(204);
  expect(await hanging).toBe(410);
  expect(await tus.get(at)).toMatchObject({ media_id: null, error: { code: 'upload_discarded' } });
});

test('after a request that ended in the middle of its body the connection takes the next one', async () => {
  const at = await tus.create(2_000_000);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = (method: string, headers: Record<string, string>, send: (request: ClientRequest) => void) =>
    new Promise<number | undefined>((resolve, reject) => {
      const all = { Authorization: `Bearer ${service.key}`, 'Tus-Resumable': tusProtocol.version, ...headers };
      const request = httpRequest(`${service.url}${at}`, { method, agent, headers: all }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode));
      });
      request.on('error', reject);
      send(request);
    });
  const about = { 'Upload-Offset': '0', 'Content-Type': tusProtocol.partType, 'Content-Length': '2000000' };
  const discarded = Promise.withResolvers<void>();
  const part = ask('PATCH', about, (request) => {
    request.write(Buffer.alloc(1_000_000));
    void discarded.promise.then(() => request.end(Buffer.alloc(1_000_000)));
  });
  await expect.poll(async () => (await list()).data[0]?.sending).toBe(true);
  expect((await service.client.delete(`/uploads/${idOf(at)}`)).status).toBe(204);
  expect(await part).toBe(410);
  discarded.resolve();
  // It waited for half a minute, until the connection was closed.
  expect(await ask('HEAD', {}, (request) => request.end())).toBe(410);
  agent.destroy();
}, 20_000);

test('one that is begun again with the same Idempotency-Key is the same, until it is discarded', async () => {
  const begin = (length = 1000) => tus.post(length, { filename: 'a.mp4' }, { 'Idempotency-Key': 'lost answer' });
  const at = (answer: Response) => String(answer.headers.get('Location'));
  const raced = await Promise.all(Array.from({ length: 6 }, () => begin()));
  expect(raced.every(({ status }) => status === 201 || status === 409)).toBe(true);
  const first = at(await begin());
  expect((await tus.patch(first, 0, Buffer.alloc(400))).status).toBe(204);
  const again = await begin();
  expect([again.status, at(again), again.headers.get('Idempotency-Replayed')]).toEqual([201, first, 'true']);
  expect(await again.json()).toMatchObject({ data: { id: idOf(first), offset: 400 } });
  expect((await list()).meta).toMatchObject({ total: 1, storage_bytes: 1000 });
  const other = await begin(1001);
  expect([other.status, await failure(other)]).toEqual([422, 'idempotency_key_reused']);
  expect((await service.client.delete(`/uploads/${idOf(first)}`)).status).toBe(204);
  const next = await begin();
  expect([next.status, next.headers.get('Idempotency-Replayed')]).toEqual([201, null]);
  expect(at(next)).not.toBe(first);
  expect(at(await begin())).toBe(at(next));
});

test('one is discarded once, whoever else wants it at the same time', async () => {
  for (let round = 0; round < 4; round++) {
    const at = await tus.create(1000);
    const hanging = hangingPart(at, Buffer.alloc(400));
    await expect.poll(async () => (await list()).data[0]?.sending).toBe(true);
    const discard = () => service.client.delete(`/uploads/${idOf(at)}`).then(({ status }) => status);
    const asking = Array.from({ length: 6 }, async () => {
      for (let times = 0; times < 4; times++) await tus.head(at);
    });
    const statuses = await Promise.all([discard(), discard()]);
    expect(statuses.toSorted()).toEqual([204, 410]);
    expect((await tus.get(at)).error?.code).toBe('upload_discarded');
    await Promise.all([hanging, ...asking]);
  }
});
