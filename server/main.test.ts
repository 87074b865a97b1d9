import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { MediaExport } from '../contract/exports.ts';
import { checkers, makePhoto, makeVideo, plain } from '../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../packages/media/testing/temporary-folder.ts';
import { readGreeting, waitForExit, spawnProgram } from './testing/programs.ts';
import { createTestClient } from './testing/running-service.ts';

test('a first start prints URL, sign-in link, key and a curl line; the key is what admin prints', async () => {
  await using folder = await temporaryFolder();
  const settings = { DATA_DIR: folder.path, PORT: '0', WORKERS: '1', EMBEDDER: '' };
  const service = spawnProgram('main', [], settings);
  const { url, key, out } = await readGreeting(service);
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(key).toMatch(/^service_[\w-]{43}$/);
  expect(out).toContain(`${url}/sign-in?token=`);
  expect(out).toContain(`curl -H "Authorization: Bearer ${key}" ${url}/api/v1/workspace`);
  expect((await createTestClient(url, key).get('/workspace')).status).toBe(200);

  expect(await waitForExit(spawnProgram('admin', ['key'], settings))).toEqual({ code: 0, out: `${key}\n`, err: '' });
  expect((await waitForExit(spawnProgram('admin', ['key', 'My workspace'], settings))).out).toBe(`${key}\n`);
  expect(await waitForExit(spawnProgram('admin', ['key', 'None'], settings))).toMatchObject({ code: 1, out: '' });

  // A second service on the same data is refused.
  const second = await waitForExit(spawnProgram('main', [], settings));
  expect(second).toMatchObject({ code: 1, out: '' });
  expect(second.err).toMatch(/^Another Media Search is running on the data folder .*\n$/);

  const began = Date.now();
  // npm passes a terminal's Ctrl-C on to what it runs, which gets it from the terminal too.
  service.kill('SIGINT');
  setTimeout(() => service.kill('SIGINT'), 20);
  expect((await once(service, 'exit'))[0]).toBe(0);
  expect(Date.now() - began).toBeLessThan(5000);
});

test.each([
  ['a wrong setting', { PORT: 'eighty' }, /^The setting PORT=eighty is wrong: it must be a whole number\.\n$/],
  ['an address of another machine', { HOST: '192.0.2.1' }, /^This machine has no address 192\.0\.2\.1; .*\n$/],
])('%s gives one sentence and exit status 1', async (_, changes, sentence) => {
  await using folder = await temporaryFolder();
  const result = await waitForExit(spawnProgram('main', [], { DATA_DIR: folder.path, PORT: '0', ...changes }));
  expect(result).toMatchObject({ code: 1, out: '' });
  expect(result.err).toMatch(sentence);
});

test('a busy port gives one sentence and exit status 1', async () => {
  await using folder = await temporaryFolder();
  const blocker = createServer().listen(0, '127.0.0.1');
  await once(blocker, 'listening');
  const address = blocker.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const result = await waitForExit(spawnProgram('main', [], { DATA_DIR: folder.path, PORT: String(port) }));
  blocker.close();
  expect(result).toMatchObject({ code: 1, out: '' });
  expect(result.err).toBe(
    `Port ${port} on 127.0.0.1 is in use by another program; stop that or set PORT to a free one.\n`,
  );
});

test('a data folder that cannot be written gives one sentence and exit status 1', async () => {
  await using folder = await temporaryFolder();
  // A file where the folder should be; permissions would not stop root.
  await writeFile(folder.file('data'), '');
  const result = await waitForExit(spawnProgram('main', [], { DATA_DIR: folder.file('data'), PORT: '0' }));
  expect(result).toMatchObject({ code: 1, out: '' });
  expect(result.err).toMatch(/^The data folder .*data cannot be written \(.*\); set DATA_DIR to one that can\.\n$/);
});

// Longer than others: a service starts twice and indexes a video twice.
test('what was acknowledged survives kill -9, in the middle of indexing or of an export too', async () => {
  await using folder = await temporaryFolder();
  const settings = { DATA_DIR: folder.file('data'), PORT: '0', WORKERS: '1' };
  await makeVideo(folder.file('long.avi'), {
    scenes: [{ paint: checkers(0.3), seconds: 20 }],
    codec: 'mpeg4',
    width: 480,
    height: 270,
  });
  await makePhoto(folder.file('after.png'), plain(255, 140, 0));

  const first = spawnProgram('main', [], settings);
  const begun = await readGreeting(first);
  const client = createTestClient(begun.url, begun.key);
  const video = (await client.upload(folder.file('long.avi'))).data;
  while ((await client.get<{ status: string }>(`/media/${video.id}`)).data.status === 'pending') await delay(30);
  const photo = (await client.upload(folder.file('after.png'))).data;
  const creator = await client.post('/creators', { name: 'Ana' }, { 'Idempotency-Key': 'ana' });
  first.kill('SIGKILL');
  await once(first, 'exit');

  const second = spawnProgram('main', [], settings);
  const { url, key } = await readGreeting(second);
  expect(key).toBe(begun.key);
  const again = createTestClient(url, key);
  const after = await again.get<{ status: string }>(`/media/${video.id}`);
  expect(after.data.status).toMatch(/^(pending|indexing)$/);
  expect(await again.waitUntilIndexed(video.id)).toMatchObject({ status: 'complete', chunk_count: 2 });
  expect(await again.waitUntilIndexed(photo.id)).toMatchObject({ status: 'complete' });
  const repeated = await again.post('/creators', { name: 'Ana' }, { 'Idempotency-Key': 'ana' });
  expect(repeated).toMatchObject({ status: 201, data: creator.data });
  expect((await again.search('orange')).data[0]?.id).toBe(photo.id);

  // What was being exported goes on at the next start.
  const moments = [{ media_id: video.id, start: 0.3, end: 19.7 }];
  const { data: clip } = await again.post<MediaExport>('/exports', { format: 'mp4', moments });
  expect(clip.status).toBe('processing');
  second.kill('SIGKILL');
  await once(second, 'exit');
  const third = spawnProgram('main', [], settings);
  const last = createTestClient((await readGreeting(third)).url, key);
  const readExport = async () => (await last.get<MediaExport>(`/exports/${clip.id}`)).data;
  await expect.poll(readExport, { timeout: 30_000 }).toMatchObject({ status: 'ready', lossless: false });
  const { body, status } = await fetch((await readExport()).url);
  expect([status, body === null]).toEqual([200, false]);
  await body?.cancel();

  third.kill('SIGTERM');
  expect((await once(third, 'exit'))[0]).toBe(0);
}, 150_000);
