import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { MediaItem } from '../../contract/media.ts';
import type { Source } from '../../contract/sources.ts';
import { makePhoto, plain } from '../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { startTestService } from '../testing/running-service.ts';

/** The processes of ours that read sources. */
async function findSourceProcesses(): Promise<number[]> {
  const found: number[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const [command, state] = await Promise.all(
      ['cmdline', 'stat'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')),
    );
    const parent = state?.slice(state.lastIndexOf(')') + 2).split(' ')[1];
    if (command?.includes('source-process.ts') && parent === String(process.pid)) found.push(Number(pid));
  }
  return found;
}

async function setUp(workers: number) {
  const stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryFolder());
  const root = folder.file('nas');
  await mkdir(root);
  for (const [i, name] of ['a.jpg', 'b.jpg'].entries()) await makePhoto(path.join(root, name), plain(99 * i, 90, 200));
  const service = stack.use(await startTestService({ workers, sourceRoots: [folder.path] }));
  const { client } = service;
  const { id } = (await client.post<Source>('/sources', { location: root })).data;
  const source = async () => (await client.get<Source>(`/sources/${id}`)).data;
  await expect.poll(async () => (await source()).last_scan, { timeout: 30_000 }).not.toBeNull();
  return {
    root,
    client,
    id,
    source,
    list: async () => (await client.get<MediaItem[]>('/media')).data,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

test.runIf(process.platform === 'linux')(
  'a share that hangs is offline, and the service answers meanwhile',
  async () => {
    await using t = await setUp(0);
    const stopped = await findSourceProcesses();
    expect(stopped).toHaveLength(1);
    // As a process is that waits for a share: it answers nothing.
    for (const pid of stopped) process.kill(pid, 'SIGSTOP');
    await t.client.post(`/sources/${t.id}/scan`, {});
    const began = performance.now();
    await expect.poll(async () => (await t.source()).state, { timeout: 60_000 }).toBe('offline');
    expect((await t.source()).problem).toMatchObject({ code: 'hangs' });
    expect(await t.list()).toHaveLength(2);
    // Each of the answers came while it hung.
    expect(performance.now() - began).toBeGreaterThan(15_000);
    await t.client.post(`/sources/${t.id}/scan`, {});
    await expect.poll(async () => (await t.source()).state, { timeout: 60_000 }).toBe('ready');
  },
);

test('what a person deletes stays out until the file changes', async () => {
  await using t = await setUp(1);
  const before = await t.list();
  for (const { id } of before) await t.client.delete(`/media/${id}`);
  expect(await t.list()).toEqual([]);
  const scan = async () => {
    const { last_scan } = await t.source();
    await t.client.post(`/sources/${t.id}/scan`, {});
    await expect
      .poll(async () => (await t.source()).last_scan?.ended_at, { timeout: 30_000 })
      .not.toBe(last_scan?.ended_at);
  };
  await scan();
  expect(await t.list()).toEqual([]);
  await makePhoto(path.join(t.root, 'a.jpg'), plain(7, 7, 7), { width: 64 });
  await scan();
  expect((await t.list()).map(({ filename }) => filename)).toEqual(['a.jpg']);
});

test('a file that is gone says so, and its source is not taken as away', async () => {
  await using t = await setUp(0);
  await rm(path.join(t.root, 'a.jpg'));
  const item = (await t.list()).find(({ filename }) => filename === 'a.jpg');
  const download = await fetch(item?.download_url ?? '');
  expect(await download.json()).toMatchObject({ error: { code: 'original_missing' } });
  expect((await t.source()).state).toBe('ready');
});
