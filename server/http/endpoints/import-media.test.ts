import { readFile, readdir } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MediaItem } from '../../../contract/media.ts';
import { makePhoto, plain } from '../../../packages/media/samples/draw-media.ts';
import { issueApiKey, revokeApiKey } from '../../catalog/accounts/api-keys.ts';
import { assignPlan, savePlan } from '../../catalog/accounts/plans.ts';
import { startTestService } from '../../testing/running-service.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
let source: Server;
let address: string;
/** Requests of files that are sent in part, and those whose connection ended. */
const open = { begun: 0, ended: 0 };

/** The encodings that requests of compressed files ask for. */
const asked: string[] = [];
let packed: Buffer;

/** Happens while a file is sent. */
let meanwhile: () => Promise<void> = () => Promise.resolve();

beforeAll(async () => {
  service = await startTestService({ workers: 0, allowedAddresses: ['127.0.0.1'], maxUploadBytes: 2 ** 20 });
  const file = path.join(service.folder, 'photo.png');
  await makePhoto(file, plain(200, 30, 30));
  const photo = await readFile(file);
  packed = gzipSync(photo);
  source = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x');
    const size = Number(searchParams.get('size'));
    const answers: Record<string, () => unknown> = {
      '/a%20red%2Fphoto.png': () => response.end(photo),
      '/again': () => response.writeHead(302, { Location: '/a%20red%2Fphoto.png' }).end(),
      '/named': () =>
        response.writeHead(200, { 'Content-Disposition': `attachment; filename*=UTF-8''..%2Fr%C3%B6t.png` }).end(photo),
      '/inside': () => response.writeHead(302, { Location: 'http://127.0.0.2:9/' }).end(),
      '/nowhere': () => response.writeHead(302, { Location: 'http://name.invalid/' }).end(),
      '/switching': () =>
        request.socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
      '/text': () => response.end('no picture'),
      '/page': () => response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end('<p>A page'),
      '/empty': () => response.end(),
      '/cut': () => response.writeHead(200, { 'Content-Length': 9999 }).write('a', () => response.destroy()),
      '/declared': () => response.writeHead(200, { 'Content-Length': size }).flushHeaders() ?? response.write('a'),
      '/padded': () => response.end(Buffer.concat([photo, Buffer.alloc(size - photo.length)])),
      '/large': () => response.end(Buffer.alloc(size)),
      '/packed': () => {
        asked.push(String(request.headers['accept-encoding']));
        response.writeHead(200, { 'Content-Encoding': searchParams.get('as') ?? 'gzip' }).end(packed);
      },
      '/slow': () => {
        response.write(photo.subarray(0, 50));
        void meanwhile().then(() => response.end(Buffer.concat([photo.subarray(50), Buffer.from('another')])));
      },
      '/stuck': () => {
        open.begun += 1;
        request.socket.once('close', () => (open.ended += 1));
        response.write(photo.subarray(0, 50));
      },
    };
    (answers[pathname] ?? (() => response.writeHead(404).end()))();
  });
  await new Promise<void>((resolve) => source.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(source.address() as AddressInfo).port}`;
});

afterAll(async () => {
  source.closeAllConnections();
  source.close();
  await service[Symbol.asyncDispose]();
});

const importMedia = (body: object, headers: Record<string, string> = {}) =>
  service.client.post<MediaItem, { duplicate?: true }>('/media/import', body, headers);

/** What is left of downloads on disk. */
const leftovers = () => readdir(path.join(service.scratchDirectory, 'uploads'));

test('a file is downloaded and stored with its labels, once for each key and each content', async () => {
  const { client } = service;
  const creator = (await client.post<{ id: string }>('/creators', { name: 'Ana' })).data.id;
  const body = { url: `${address}/again`, creator_id: creator, tags: ['sea', 'red, and blue'] };
  const first = await importMedia(body, { 'Idempotency-Key': 'one' });
  // The name is that of the last URL: a slash in it is a path to no other folder.
  expect(first).toMatchObject({
    status: 202,
    data: { filename: 'photo.png', status: 'pending', type: 'image', creator_id: creator },
  });
  expect(first.headers.get('Location')).toBe(`/api/v1/media/${first.data.id}`);
  expect(first.data.tag_ids).toHaveLength(2);

  const repeated = await importMedia(body, { 'Idempotency-Key': 'one' });
  expect([repeated.status, repeated.headers.get('Idempotency-Replayed')]).toEqual([202, 'true']);
  expect((await importMedia({ url: `${address}/text` }, { 'Idempotency-Key': 'one' })).status).toBe(422);
  expect(await importMedia({ url: `${address}/named` })).toMatchObject({
    status: 200,
    data: { id: first.data.id },
    meta: { duplicate: true },
  });

  // Given names come before those of the source.
  await client.delete(`/media/${first.data.id}`);
  expect((await importMedia({ url: `${address}/named` })).data.filename).toBe('röt.png');
  const [red] = (await client.get<MediaItem[]>('/media')).data;
  await client.delete(`/media/${red?.id}`);
  expect((await importMedia({ url: `${address}/named`, filename: 'Mine.png' })).data.filename).toBe('Mine.png');
  expect(await leftovers()).toEqual([]);
});

test('a file that is exactly as large as one may be is stored', async () => {
  const padded = await importMedia({ url: `${address}/padded?size=${2 ** 20}` });
  expect([padded.status, padded.data.size]).toEqual([202, 2 ** 20]);
  await service.client.delete(`/media/${padded.data.id}`);
});

test.each([
  ['/missing', 422, 'unreadable_media', 'The URL responded with status 404.'],
  ['/empty', 422, 'unreadable_media', 'The file at this URL is empty.'],
  ['/cut', 422, 'unreadable_media', /could not be fetched/],
  ['/text', 415, 'unsupported_media_type', /^This file is no video, image or sound/],
  ['/page', 415, 'unsupported_media_type', /leads to a web page/],
  ['/declared?size=1048577', 413, 'payload_too_large', /at most 1048576 bytes/],
  ['/large?size=1048577', 413, 'payload_too_large', /at most 1048576 bytes/],
  ['/inside', 400, 'validation_error', /leads to no IP address, or to a private IP address/],
  ['/nowhere', 400, 'validation_error', /leads to no IP address, or to a private IP address/],
  ['/switching', 422, 'unreadable_media', 'The URL responded with status 101.'],
])('what cannot be imported is refused, and nothing is left of it: %s', async (place, status, code, message) => {
  const { error, ...answer } = await importMedia({ url: address + place });
  expect([answer.status, error.code]).toEqual([status, code]);
  expect(error.message).toMatch(message);
  expect(error.message).not.toContain(address);
  expect(await leftovers()).toEqual([]);
});

test.each([
  [{ url: 'ftp://example.org/a.mp4' }, 'body.url'],
  [{ url: `http://example.org/${'x'.repeat(2048)}` }, 'body.url'],
  [{}, 'body.url'],
  [{ url: 'http://example.org/a.mp4', filename: '../a.mp4' }, 'body.filename'],
  [{ url: 'http://example.org/a.mp4', tags: [''] }, 'body.tags.0'],
])('a body that is not right is refused: %j', async (body, place) => {
  expect(await importMedia(body)).toMatchObject({ status: 400, error: { details: [{ path: place }] } });
});

test('labels of another workspace, and a file beyond the plan, are refused before it is downloaded', async () => {
  await using guarded = await startTestService({ workers: 0, allowedAddresses: ['127.0.0.1'] });
  const { client, db, workspaceId } = guarded;
  await savePlan(db, 'small', { name: 'Small', storage_bytes: 100 });
  await assignPlan(db, workspaceId, 'small');
  const begun = open.begun;
  expect(await client.post('/media/import', { url: `${address}/declared?size=101` })).toMatchObject({
    status: 403,
    error: { code: 'quota_exceeded' },
  });
  await assignPlan(db, workspaceId, 'self-hosted');
  const theirs = (await service.client.post<{ id: string }>('/creators', { name: 'Bo' })).data.id;
  expect(await client.post('/media/import', { url: `${address}/stuck`, creator_id: theirs })).toMatchObject({
    status: 400,
    error: { details: [{ path: 'body.creator_id' }] },
  });
  expect(open.begun).toBe(begun);
});

test('a download ends with its client, and a workspace has a few at once', async () => {
  const waiting = new AbortController();
  const begin = (signal: AbortSignal) =>
    service.client.call('/media/import', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ url: `${address}/stuck` }),
      signal,
    });
  const ended = Promise.allSettled(Array.from({ length: 4 }, () => begin(waiting.signal)));
  await expect.poll(() => open.begun).toBe(4);
  // The fifth waits for its turn, and its client goes when its download has begun.
  const fifth = new AbortController();
  const last = begin(fifth.signal).catch(() => undefined);
  expect((await service.client.get('/media')).status).toBe(200);
  expect(open.begun).toBe(4);
  waiting.abort();
  await ended;
  await expect.poll(() => open.begun).toBe(5);
  fifth.abort();
  await last;
  await expect.poll(() => open.ended).toBe(5);
  await expect.poll(leftovers).toEqual([]);
});

test('a key that is revoked while a file is downloaded stores no item', async () => {
  const { client, db, secrets, url, workspaceId } = service;
  const issued = await issueApiKey(db, secrets, workspaceId);
  meanwhile = () => revokeApiKey(db, workspaceId, issued.id).then(() => undefined);
  const before = (await client.get<MediaItem[], { total: number }>('/media')).meta.total;
  const answer = await fetch(`${url}/api/v1/media/import`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${issued.key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ url: `${address}/slow` }),
  });
  expect(answer.status).toBe(401);
  expect((await client.get<MediaItem[], { total: number }>('/media')).meta.total).toBe(before);
  expect(await leftovers()).toEqual([]);
  // What it had downloaded is stored for a key that works.
  meanwhile = () => Promise.resolve();
  expect((await importMedia({ url: `${address}/slow` })).status).toBe(202);
});

test.each(['gzip', 'GZIP', 'br', 'gzip, identity'])(
  'what is sent as %s is asked for plain, and refused',
  async (as) => {
    asked.length = 0;
    const answer = await importMedia({ url: `${address}/packed?as=${encodeURIComponent(as)}` });
    expect(answer).toMatchObject({ status: 422, error: { code: 'unreadable_media' } });
    expect(answer.error.message).toContain('compressed');
    const image = { url: `${address}/packed?as=${encodeURIComponent(as)}` };
    expect(await service.client.post('/media/search/image', image)).toMatchObject({
      status: 422,
      error: { code: 'unreadable_media', message: answer.error.message },
    });
    expect(asked).toEqual(['identity', 'identity']);
  },
);

test('what is named `identity` is not compressed', async () => {
  const answer = await importMedia({ url: `${address}/packed?as=identity` });
  // The bytes of gzip are kept as they are, which is no picture.
  expect(answer).toMatchObject({ status: 415, error: { code: 'unsupported_media_type' } });
});
