import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { makePhoto, makeVideo, plain } from '../../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { compileCache, readGreeting } from '../../testing/programs.ts';
import { createTestClient } from '../../testing/running-service.ts';
import { createTusRequests } from '../../testing/tus-requests.ts';
import { registerErrorHandling } from './error-handler.ts';

const main = path.join(import.meta.dirname, '..', '..', 'main.ts');
const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/tmp']).status === 0;

/**
 * Runs the service by a shell line, to which `"$@"` is the service.
 * @param limits what the shell does before it becomes the service
 */
function runLimited(program: string[], limits: string, data: string): ChildProcess {
  const [command = '', ...prefix] = program;
  const line = `${limits}; exec "$@"`;
  return spawn(command, [...prefix, 'sh', '-c', line, 'sh', process.execPath, main], {
    env: {
      ...compileCache,
      DATA_DIR: data,
      PORT: '0',
      WORKERS: '1',
      EMBEDDER: 'descriptors',
      OCR: 'off',
      SPEECH: 'off',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function stop(service: ChildProcess): Promise<void> {
  service.kill('SIGTERM');
  await once(service, 'exit');
}

test('on a full disk uploads get 507 and a log line, and no partial files are left', async ({ skip }) => {
  skip(!canMount, 'this machine lets nobody mount a small disk in a namespace of its own (unshare -rm)');
  await using folder = await temporaryFolder();
  const data = folder.file('data');
  await mkdir(data);
  const service = runLimited(['unshare', '-rm'], `mount -t tmpfs -o size=24m tmpfs '${data}'`, data);
  const log = text(service.stderr as NodeJS.ReadableStream);
  const { url, key } = await readGreeting(service);
  const client = createTestClient(url, key);
  // The small disk as the service sees it.
  const disk = `/proc/${service.pid}/root${data}`;
  const uploads = () => readdir(`${disk}/uploads`);
  await writeFile(folder.file('large.bin'), randomBytes(32 * 2 ** 20));
  await makePhoto(folder.file('photo.png'), plain(200, 30, 30));

  const large = await client.upload(folder.file('large.bin'));
  expect(large).toMatchObject({ status: 507, error: { code: 'insufficient_storage' } });
  expect(large.error.message).toMatch(/no room/);
  await expect.poll(uploads).toEqual([]);

  // Of a resumable upload, what was acknowledged stays, and nothing else takes room.
  const tus = createTusRequests({ url, key });
  const at = await tus.create(32 * 2 ** 20);
  expect((await tus.patch(at, 0, Buffer.alloc(2 ** 20))).status).toBe(204);
  const refused = await tus.patch(at, 2 ** 20, Buffer.alloc(31 * 2 ** 20));
  expect(refused.status).toBe(507);
  const { offset } = await tus.get(at);
  expect(offset).toBeGreaterThanOrEqual(2 ** 20);
  const [workspace = ''] = await readdir(`${disk}/partial-files`);
  const [partialFile = ''] = await readdir(`${disk}/partial-files/${workspace}`);
  expect((await stat(`${disk}/partial-files/${workspace}/${partialFile}`)).size).toBe(offset);
  expect((await tus.send('DELETE', at, {})).status).toBe(204);
  expect(await readdir(`${disk}/partial-files/${workspace}`)).toEqual([]);

  // Fills it to the last byte.
  await writeFile(`${disk}/filler`, Buffer.alloc(24 * 2 ** 20)).catch(() => undefined);
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(1000)]), 'a.png');
  const image = randomBytes(3000).toString('base64');
  const headers = { 'Idempotency-Key': 'full' };
  for (const answer of [
    await client.upload(folder.file('photo.png')),
    await client.post('/media/search/image', { image }),
    await client.call('/media/search/image', { method: 'POST', body: form }),
    await client.post('/creators', { name: 'Ana' }, headers),
  ]) {
    expect(answer).toMatchObject({ status: 507, error: { code: 'insufficient_storage' } });
  }
  expect((await client.get('/media')).data).toEqual([]);
  expect(await uploads()).toEqual([]);

  // With free space everything works again, with the same idempotency keys.
  await rm(`${disk}/filler`);
  expect((await client.post('/creators', { name: 'Ana' }, headers)).status).toBe(201);
  const { status, data: item } = await client.upload(folder.file('photo.png'));
  expect(status).toBe(202);
  expect((await client.waitUntilIndexed(item.id)).status).toBe('complete');

  await stop(service);
  const lines = (await log).split('\n').filter((line) => line.includes('disk or database failed'));
  expect(lines.length).toBe(6);
  expect(lines.some((line) => line.includes(large.headers.get('X-Request-Id') ?? '-'))).toBe(true);
  expect(lines.join('')).toMatch(/ENOSPC/);
});

test('on a full disk text searches still work, and a stop in the middle of indexing is graceful', async ({ skip }) => {
  skip(!canMount, 'this machine lets nobody mount a small disk in a namespace of its own (unshare -rm)');
  await using folder = await temporaryFolder();
  const data = folder.file('data');
  await mkdir(data);
  const service = runLimited(['unshare', '-rm'], `mount -t tmpfs -o size=24m tmpfs '${data}'`, data);
  const log = text(service.stderr as NodeJS.ReadableStream);
  const { url, key } = await readGreeting(service);
  const client = createTestClient(url, key);
  await makePhoto(folder.file('photo.png'), plain(200, 30, 30));
  const { data: photo } = await client.upload(folder.file('photo.png'));
  await client.waitUntilIndexed(photo.id);
  await makeVideo(folder.file('film.avi'), { scenes: [{ paint: plain(0, 0, 200), seconds: 20 }], codec: 'mpeg4' });
  const { data: film } = await client.upload(folder.file('film.avi'));
  const statusOf = async () => (await client.get<{ status: string }>(`/media/${film.id}`)).data.status;
  while ((await statusOf()) === 'pending') await delay(5);
  await writeFile(`/proc/${service.pid}/root${data}/filler`, Buffer.alloc(24 * 2 ** 20)).catch(() => undefined);
  const { status, data: hits } = await client.search('red');
  expect(status).toBe(200);
  expect(hits).toMatchObject([{ id: photo.id }]);
  service.kill('SIGTERM');
  expect(await once(service, 'exit')).toEqual([0, null]);
  const lines = (await log).trim().split('\n');
  expect(lines.every((line) => line.startsWith('{'))).toBe(true);
});

test('a file above the file size limit of the process gets 507, and nothing of it is left', async () => {
  await using folder = await temporaryFolder();
  // In blocks of 512 bytes or of 1024, by the shell.
  const service = runLimited(['env'], 'ulimit -f 16384', folder.file('data'));
  const log = text(service.stderr as NodeJS.ReadableStream);
  const { url, key } = await readGreeting(service);
  const client = createTestClient(url, key);
  await writeFile(folder.file('large.bin'), randomBytes(20 * 2 ** 20));
  const answer = await client.upload(folder.file('large.bin'));
  expect(answer).toMatchObject({ status: 507, error: { code: 'insufficient_storage' } });
  await expect.poll(() => readdir(folder.file('data/uploads'))).toEqual([]);
  await stop(service);
  expect(await log).toMatch(/EFBIG/);
});

test.each([
  ['ENOSPC', 507, 'insufficient_storage'],
  ['EDQUOT', 507, 'insufficient_storage'],
  ['SQLITE_FULL', 507, 'insufficient_storage'],
  ['EIO', 503, 'unavailable'],
  ['SQLITE_IOERR_WRITE', 503, 'unavailable'],
  ['EMFILE', 503, 'unavailable'],
  ['ENFILE', 503, 'unavailable'],
])('%s is answered with %i %s', async (code, status, name) => {
  const app = Fastify();
  registerErrorHandling(app);
  app.get('/', () => {
    throw Object.assign(new Error('/data/uploads/secret: it failed'), { code });
  });
  const answer = await app.inject('/');
  expect(answer.statusCode).toBe(status);
  expect(answer.json()).toMatchObject({ success: false, error: { code: name } });
  expect(answer.body).not.toContain('secret');
  if (status === 503) expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
});
