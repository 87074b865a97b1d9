import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { basePath } from '../../../contract/base-path.ts';
import type { MediaItem } from '../../../contract/media.ts';
import { makePhoto, plain } from '../../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { issueApiKey, revokeApiKey } from '../../catalog/accounts/api-keys.ts';
import { assignPlan, savePlan } from '../../catalog/accounts/plans.ts';
import { createWorkspace } from '../../catalog/accounts/workspaces.ts';
import { startServiceOn, startTestService } from '../../testing/running-service.ts';
import { createTusRequests } from '../../testing/tus-requests.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
let tus: ReturnType<typeof createTusRequests>;

beforeAll(async () => {
  service = await startTestService({ workers: 0 });
  tus = createTusRequests(service);
});

afterAll(() => service[Symbol.asyncDispose]());

let photos = 0;

/** A photograph that the workspace does not have. */
async function newPhoto(): Promise<Buffer> {
  const file = path.join(service.folder, `${photos}.png`);
  await makePhoto(file, plain(photos++, 100, 200));
  return readFile(file);
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const failure = async (answer: Response) => ((await answer.json()) as { error: { code: string } }).error.code;
const idOf = (at: string) => at.split('/').at(-1) ?? '';
const partial = () => readdir(path.join(service.folder, 'data', 'partial-files', service.workspaceId)).catch(() => []);

test('a file in parts becomes an item; its state can be asked for before and after', async () => {
  const bytes = await newPhoto();
  const metadata = { filename: 'C:\\pictures\\red.png', filetype: 'image/png', tags: 'a,b' };
  const created = await tus.post(bytes.length, metadata);
  expect(created.status).toBe(201);
  const at = String(created.headers.get('Location'));
  expect(at).toMatch(/^\/api\/v1\/uploads\/[0-9a-f-]{36}$/);
  const expires = Date.parse(String(created.headers.get('Upload-Expires')));
  expect(Math.abs(expires - Date.now() - 3_600_000)).toBeLessThan(60_000);

  const first = await tus.patch(at, 0, bytes.subarray(0, 100));
  expect([first.status, first.headers.get('Upload-Offset'), await first.text()]).toEqual([204, '100', '']);
  expect(first.headers.get('Content-Location')).toBeNull();
  expect(first.headers.get('Tus-Resumable')).toBe('1.0.0');
  expect(await partial()).toEqual([idOf(at)]);
  const head = await tus.head(at);
  expect([head.status, head.headers.get('Upload-Offset'), head.headers.get('Upload-Length')]).toEqual([
    200,
    '100',
    String(bytes.length),
  ]);
  expect(head.headers.get('Cache-Control')).toBe('no-store');
  expect(head.headers.get('Upload-Metadata')).toContain('filetype ');
  expect(await tus.get(at)).toMatchObject({ offset: 100, length: bytes.length, media_id: null, error: null });

  const last = await tus.patch(at, 100, bytes.subarray(100));
  const address = String(last.headers.get('Content-Location'));
  expect([last.status, last.headers.get('Upload-Offset')]).toEqual([204, String(bytes.length)]);
  const item = await service.client.get<MediaItem>(address.replace(basePath, ''));
  expect(item.data).toMatchObject({
    filename: 'red.png',
    size: bytes.length,
    sha256: sha256(bytes),
    status: 'pending',
  });
  expect(item.data.tag_ids).toHaveLength(2);
  expect(Buffer.from(await (await fetch(item.data.download_url)).arrayBuffer())).toEqual(bytes);
  expect(await partial()).toEqual([]);

  // A client that lost the answer asks again.
  const again = await tus.head(at);
  expect([again.headers.get('Upload-Offset'), again.headers.get('Content-Location')]).toEqual([
    String(bytes.length),
    address,
  ]);
  expect(await tus.get(at)).toMatchObject({ media_id: item.data.id, duplicate: false, offset: bytes.length });
  expect((await tus.patch(at, bytes.length, new Uint8Array())).headers.get('Content-Location')).toBe(address);
  expect((await tus.send('DELETE', at, {})).status).toBe(204);
  expect((await tus.head(at)).status).toBe(404);
  expect((await service.client.get(`/media/${item.data.id}`)).status).toBe(200);
});

test('what the workspace has already is not stored again, and with a checksum not sent', async () => {
  const bytes = await newPhoto();
  const at = await tus.create(bytes.length);
  await tus.patch(at, 0, bytes);
  const { media_id } = await tus.get(at);
  const second = await tus.create(bytes.length);
  expect((await tus.patch(second, 0, bytes)).status).toBe(204);
  expect(await tus.get(second)).toMatchObject({ media_id, duplicate: true });

  await service.client.post('/trash', { ids: [media_id] });
  const known = await tus.post(bytes.length, { sha256: sha256(bytes) });
  expect(await known.json()).toMatchObject({ data: { media_id, duplicate: true, offset: bytes.length } });
  expect(known.headers.get('Content-Location')).toBe(`${basePath}/media/${media_id}`);
  expect((await service.client.get(`/media/${media_id}`)).status).toBe(200);
  expect(await partial()).toEqual([]);
  // With another length it is not that file, whatever its checksum is said to be.
  const lie = await tus.create(bytes.length + 1, { sha256: sha256(bytes) });
  expect(await tus.get(lie)).toMatchObject({ media_id: null, offset: 0 });
  expect(await failure(await tus.patch(lie, 0, Buffer.concat([bytes, Buffer.of(0)])))).toBe('checksum_mismatch');
  expect((await tus.head(lie)).status).toBe(460);

  // Another workspace does not learn from a checksum that a file is here.
  const other = await createWorkspace(service.db, service.secrets, { workspace: 'Other', owner: 'Other' });
  const { key } = await issueApiKey(service.db, service.secrets, other.id);
  const foreign = createTusRequests({ url: service.url, key });
  const theirs = await foreign.create(bytes.length, { sha256: sha256(bytes) });
  expect(await foreign.get(theirs)).toMatchObject({ media_id: null, offset: 0 });
  for (const answer of [
    await tus.head(theirs),
    await tus.send('GET', theirs, {}),
    await tus.patch(theirs, 0, bytes),
    await tus.send('DELETE', theirs, {}),
  ]) {
    expect(answer.status).toBe(404);
  }
});

describe('the protocol', () => {
  test('what is supported is told without a key', async () => {
    const { status, headers } = await fetch(`${service.url}${basePath}/uploads`, { method: 'OPTIONS' });
    expect(status).toBe(204);
    expect(headers.get('Tus-Version')).toBe('1.0.0');
    expect(headers.get('Tus-Extension')).toBe('creation,expiration,termination,checksum');
    expect(headers.get('Tus-Checksum-Algorithm')).toBe('sha256,sha1');
    expect(headers.get('Tus-Max-Size')).toBe(String(64 * 2 ** 20));
    expect(headers.get('Access-Control-Allow-Headers')).toMatch(/Upload-Offset/);
    expect(headers.get('Access-Control-Expose-Headers')).toMatch(/Content-Location.*Upload-Offset/);
  });

  test('another version is refused with the one that is spoken', async () => {
    const at = await tus.create(10);
    for (const version of ['0.2.2', '']) {
      for (const answer of [
        await tus.post(10, {}, { 'Tus-Resumable': version }),
        await tus.send('HEAD', at, { 'Tus-Resumable': version }),
        await tus.patch(at, 0, Buffer.alloc(10), { 'Tus-Resumable': version }),
      ]) {
        expect([answer.status, answer.headers.get('Tus-Version')]).toEqual([412, '1.0.0']);
      }
    }
    expect(await tus.get(at)).toMatchObject({ offset: 0 });
  });

  test.each([
    [409, 'offset_mismatch', { 'Upload-Offset': '1' }, 4],
    [400, 'validation_error', { 'Upload-Offset': '-1' }, 4],
    [400, 'validation_error', { 'Upload-Offset': '' }, 4],
    [415, 'unsupported_media_type', { 'Content-Type': 'application/octet-stream' }, 4],
    [413, 'payload_too_large', {}, 11],
    [400, 'validation_error', { 'Upload-Checksum': 'crc32 AAAA' }, 4],
    [400, 'validation_error', { 'Upload-Checksum': 'sha1' }, 4],
    [460, 'checksum_mismatch', { 'Upload-Checksum': `sha1 ${Buffer.alloc(20).toString('base64')}` }, 4],
  ])('a part that is answered with %i %s leaves nothing', async (status, code, headers, length) => {
    const at = await tus.create(10);
    const answer = await tus.patch(at, 0, Buffer.alloc(length), headers);
    expect([answer.status, await failure(answer)]).toEqual([status, code]);
    expect((await tus.head(at)).headers.get('Upload-Offset')).toBe('0');
    await tus.send('DELETE', at, {});
  });

  test('a part without a length that is too long is refused', async () => {
    const at = await tus.create(10);
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.alloc(8));
        controller.enqueue(Buffer.alloc(8));
        controller.close();
      },
    });
    const init = { body, duplex: 'half' } as RequestInit;
    expect((await tus.patch(at, 0, Buffer.alloc(0), {}, init)).status).toBe(413);
    expect((await tus.get(at)).offset).toBe(0);
  });

  test.each(['sha1', 'sha256'])('a part that has its checksum by %s is kept', async (algorithm) => {
    const bytes = await newPhoto();
    const at = await tus.create(bytes.length);
    for (const [start, end] of [
      [0, 9],
      [9, bytes.length],
    ] as const) {
      const part = bytes.subarray(start, end);
      const checksum = `${algorithm} ${createHash(algorithm).update(part).digest('base64')}`;
      expect((await tus.patch(at, start, part, { 'Upload-Checksum': checksum })).status).toBe(204);
    }
    expect((await tus.get(at)).media_id).not.toBeNull();
  });

  test('a client that cannot send PATCH or DELETE names them in a header', async () => {
    const at = await tus.create(10);
    const headers = { 'X-HTTP-Method-Override': 'PATCH', 'Upload-Offset': '0' };
    const part = { ...headers, 'Content-Type': 'application/offset+octet-stream' };
    expect((await tus.send('POST', at, part, { body: new Uint8Array(4) })).headers.get('Upload-Offset')).toBe('4');
    expect((await tus.send('POST', at, { 'X-HTTP-Method-Override': 'DELETE' })).status).toBe(204);
    expect((await tus.send('POST', at, { 'X-HTTP-Method-Override': 'HEAD' })).status).toBe(410);
    expect((await tus.send('POST', at, {})).status).toBe(405);
    // Elsewhere the header means nothing.
    const media = await tus.send('POST', `${basePath}/creators`, { 'X-HTTP-Method-Override': 'DELETE' });
    expect(media.status).toBe(400);
  });

  test.each([
    ['', 'validation_error'],
    ['0', 'validation_error'],
    ['ten', 'validation_error'],
    [String(2 ** 40), 'payload_too_large'],
  ])('an upload of the length "%s" is refused', async (length, code) => {
    expect(await failure(await tus.post(1, {}, { 'Upload-Length': length }))).toBe(code);
  });

  test.each([
    ['filename x'],
    ['filename eA==,filename eA=='],
    ['file name eA=='],
    [`creator_id ${Buffer.from('7').toString('base64')}`],
    [`creator_id ${Buffer.from('01a1fbe4-6806-793e-a30f-22b8a44e4f85').toString('base64')}`],
    [`collection_id ${Buffer.from('01a1fbe4-6806-793e-a30f-22b8a44e4f85').toString('base64')}`],
    [`sha256 ${Buffer.from('7').toString('base64')}`],
  ])('metadata that is wrong is refused: %s', async (header) => {
    const answer = await tus.post(1, {}, { 'Upload-Metadata': header });
    const body = (await answer.json()) as { error: { details: { path: string }[] } };
    expect(answer.status).toBe(400);
    expect(body.error.details[0]?.path).toMatch(/^header\.Upload-Metadata/);
  });
});

test('a file that is none is refused with the last byte, and whenever it is asked for', async () => {
  const at = await tus.create(10);
  expect(await tus.patch(at, 0, Buffer.from('no ')).then((answer) => answer.status)).toBe(204);
  const refused = await tus.patch(at, 3, Buffer.from('picture'));
  expect([refused.status, await failure(refused)]).toEqual([415, 'unsupported_media_type']);
  expect((await tus.patch(at, 10, Buffer.alloc(0))).status).toBe(415);
  expect((await tus.head(at)).status).toBe(415);
  expect(await tus.get(at)).toMatchObject({ media_id: null, error: { code: 'unsupported_media_type' } });
  expect(await partial()).not.toContain(idOf(at));
});

test('open uploads count for the quota until they end', async () => {
  const { db, workspaceId } = service;
  const used = (await service.client.get<{ usage: { storage_bytes: number; media_items: number } }>('/workspace')).data
    .usage;
  const bytes = await newPhoto();
  await savePlan(db, 'small', {
    storage_bytes: used.storage_bytes + 2 * bytes.length,
    media_items: used.media_items + 9,
  });
  await db.deleteFrom('uploads').execute();
  await assignPlan(db, workspaceId, 'small');
  const first = await tus.create(bytes.length);
  const second = await tus.create(bytes.length);
  expect(await failure(await tus.post(1))).toBe('quota_exceeded');
  const form = new FormData();
  form.set('file', new Blob([Uint8Array.from(await newPhoto())]), 'other.png');
  expect((await service.client.call('/media/upload', { method: 'POST', body: form })).status).toBe(403);
  // Its own room is its own.
  expect((await tus.patch(first, 0, bytes)).status).toBe(204);
  expect((await tus.post(1)).status).toBe(403);
  await tus.send('DELETE', second, {});
  expect((await tus.post(1)).status).toBe(201);
  await assignPlan(db, workspaceId, 'self-hosted');
});

/** Begins to send a part, and leaves the connection open. */
async function hangingPart(at: string, offset: number, length: number, bytes: Uint8Array) {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(
    `PATCH ${at} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: ${offset}\r\nContent-Type: application/offset+octet-stream\r\nContent-Length: ${length}\r\n\r\n`,
  );
  socket.write(bytes);
  const file = path.join(service.folder, 'data', 'partial-files', service.workspaceId, idOf(at));
  const size = () =>
    stat(file).then(
      (found) => found.size,
      () => 0,
    );
  await expect.poll(size).toBe(offset + bytes.length);
  return socket;
}

test('what arrives before a connection breaks is kept', async () => {
  const bytes = await newPhoto();
  const at = await tus.create(bytes.length);
  const socket = await hangingPart(at, 0, bytes.length, bytes.subarray(0, 500));
  socket.destroy();
  await expect.poll(async () => (await tus.get(at)).offset).toBe(500);
  expect((await tus.patch(at, 500, bytes.subarray(500))).status).toBe(204);
});

test('a client that comes again while its old connection hangs goes on at once', async () => {
  const bytes = await newPhoto();
  const at = await tus.create(bytes.length);
  const socket = await hangingPart(at, 0, bytes.length, bytes.subarray(0, 300));
  const begun = performance.now();
  await expect.poll(async () => (await tus.head(at)).headers.get('Upload-Offset')).toBe('300');
  const second = await hangingPart(at, 300, bytes.length - 300, bytes.subarray(300, 600));
  const last = await tus.patch(at, 300, bytes.subarray(300, 301));
  // The later request ended the one before, whose bytes count: the client is told where to go on.
  expect([last.status, last.headers.get('Upload-Offset')]).toEqual([409, '600']);
  expect((await tus.patch(at, 600, bytes.subarray(600))).status).toBe(204);
  expect(performance.now() - begun).toBeLessThan(5000);
  expect((await tus.get(at)).media_id).not.toBeNull();
  for (const each of [socket, second]) each.destroy();
});

async function issueKey() {
  const { db, secrets, workspaceId, url } = service;
  const { id, key } = await issueApiKey(db, secrets, workspaceId);
  return { theirs: createTusRequests({ url, key }), revoke: () => revokeApiKey(db, workspaceId, id) };
}

test('a key that is revoked in the middle sends no more', async () => {
  const { theirs, revoke } = await issueKey();
  const length = 40 * 2 ** 20;
  const at = await theirs.create(length);
  const send = async function* () {
    for (let sent = 0; sent < length; sent += 2 ** 20) {
      if (sent === 20 * 2 ** 20) await revoke();
      yield randomBytes(2 ** 20);
    }
  };
  const body = ReadableStream.from(send());
  const answer = await theirs.patch(at, 0, Buffer.alloc(0), {}, { body, duplex: 'half' });
  expect(answer.status).toBe(401);
  expect((await tus.get(at)).offset).toBeLessThan(length);
  await tus.send('DELETE', at, {});
});

test('a key that is revoked during the last part makes no item of it', async () => {
  const { theirs, revoke } = await issueKey();
  const bytes = await newPhoto();
  const at = await theirs.create(bytes.length);
  const send = async function* () {
    yield bytes.subarray(0, 100);
    await expect.poll(partial).toContain(idOf(at));
    await revoke();
    yield bytes.subarray(100);
  };
  const init: RequestInit = { body: ReadableStream.from(send()), duplex: 'half' };
  expect((await theirs.patch(at, 0, Buffer.alloc(0), {}, init)).status).toBe(401);
  expect(await tus.get(at)).toMatchObject({ media_id: null, offset: bytes.length });
  expect((await tus.head(at)).headers.get('Content-Location')).not.toBeNull();
});

test('a service that stops stores what has come, and goes on with it after its next start', async () => {
  await using folder = await temporaryFolder();
  const bytes = await newPhoto();
  const first = await startServiceOn(folder.path, { workers: 0 });
  const before = createTusRequests(first);
  const at = await before.create(bytes.length);
  const body = new ReadableStream({ start: (controller) => controller.enqueue(bytes.subarray(0, 400)) });
  const hanging = before.patch(at, 0, Buffer.of(), {}, { body, duplex: 'half' });
  const file = folder.file(path.join('partial-files', first.workspaceId, idOf(at)));
  await expect
    .poll(() =>
      stat(file).then(
        (found) => found.size,
        () => 0,
      ),
    )
    .toBe(400);
  const begun = performance.now();
  await first.stop();
  // It waits for no body that may never come.
  expect(performance.now() - begun).toBeLessThan(2500);
  expect((await hanging).status).toBe(503);

  const second = await startServiceOn(folder.path, { workers: 0 });
  const after = createTusRequests(second);
  expect((await after.head(at)).headers.get('Upload-Offset')).toBe('400');
  expect((await after.patch(at, 400, bytes.subarray(400))).status).toBe(204);
  await second.stop();
});

test('the same bytes put a lost original back', async () => {
  const bytes = await newPhoto();
  const at = await tus.create(bytes.length);
  await tus.patch(at, 0, bytes);
  const { media_id } = await tus.get(at);
  const original = path.join(service.folder, 'data', 'assets', service.workspaceId, String(media_id), 'original');
  await rm(original);
  const again = await tus.create(bytes.length);
  expect((await tus.patch(again, 0, bytes)).status).toBe(204);
  expect(await tus.get(again)).toMatchObject({ media_id, duplicate: true });
  expect(await readFile(original)).toEqual(bytes);
  expect(await partial()).not.toContain(idOf(again));
});
