import type { ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { descriptorsReference } from '@media-search/models/load-embedder';
import { expect, test } from 'vitest';
import { makePhoto, makeVideo, plain } from '../../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { childEnvironment } from '../../catalog/child-catalog.ts';
import { openCatalog } from '../../catalog/open-catalog.ts';
import { createTaskPool } from '../../jobs/task-pool.ts';
import { BusyError } from '../../platform/fair-queue.ts';
import { catalogFile } from '../../platform/storage/data-directory.ts';
import { startTestService } from '../../testing/running-service.ts';
import { createQueryPool } from './query-pool.ts';
import type { QueryResult, QueryTask } from './query-tasks.ts';
import { CrashError } from './task-errors.ts';

const patient = new AbortController().signal;

async function setUp() {
  const folder = await temporaryFolder();
  await (await openCatalog(catalogFile(folder.path))).destroy();
  const pool = createQueryPool(folder.path, { file: catalogFile(folder.path) }, 2);
  await makePhoto(folder.file('red.png'), plain(200, 30, 30));
  return {
    folder,
    pool,
    imageTask: { kind: 'image' as const, path: folder.file('red.png'), embedder: descriptorsReference },
    async [Symbol.asyncDispose]() {
      await pool.stop();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Worker processes, in the order in which they were started. */
const workers: ChildProcess[] = [];
subscribe('child_process', (message) => workers.push((message as { process: ChildProcess }).process));

test('an image is embedded; another file is refused by name', async () => {
  await using t = await setUp();
  const vectors = await t.pool.run('a', t.imageTask, patient);
  expect(vectors.map((vector) => Math.hypot(...vector))).toEqual([expect.closeTo(1, 5)]);
  await expect(t.pool.run('a', { ...t.imageTask, path: catalogFile(t.folder.path) }, patient)).rejects.toMatchObject({
    name: 'UnreadableMediaError',
    code: 'unreadable_media',
  });
});

test('a worker that dies is replaced, and its task fails with a CrashError', async () => {
  await using t = await setUp();
  await makeVideo(t.folder.file('long.mp4'), { scenes: [{ paint: plain(9, 9, 9), seconds: 30 }] });
  const query = await t.pool.run('a', t.imageTask, patient);
  const long = t.pool.run(
    'a',
    { kind: 'moment', path: t.folder.file('long.mp4'), at: 29, embedder: descriptorsReference },
    patient,
  );
  long.catch(() => undefined);
  for (const worker of workers) worker.kill('SIGKILL');
  await expect(long).rejects.toBeInstanceOf(CrashError);
  expect(await t.pool.run('a', t.imageTask, patient)).toHaveLength(query.length);
});

test('who goes away ends no worker that reads an image, a moment or a frame', async () => {
  await using t = await setUp();
  const path = t.folder.file('long.mp4');
  await makeVideo(path, { scenes: [{ paint: plain(9, 9, 9), seconds: 10 }] });
  await t.pool.run('a', t.imageTask, patient);
  const started = workers.length;
  const abort = new AbortController();
  const at = 9;
  const moment = t.pool.run('a', { kind: 'moment', path, at, embedder: descriptorsReference }, abort.signal);
  const source = { file: path, type: 'video' as const, mimeType: 'video/mp4' };
  const frame = t.pool.run('a', { kind: 'frame', source, at, width: 64 }, abort.signal);
  // Both have begun: the worker of the second is a new one.
  await expect.poll(() => workers.length).toBeGreaterThan(started);
  abort.abort(new Error('given up'));
  expect((await moment).length).toBeGreaterThan(0);
  expect((await frame).length).toBeGreaterThan(0);
});

test('a task beyond its time limit fails as a file that cannot be read', async () => {
  await using t = await setUp();
  await using pool = Object.assign(
    createTaskPool<QueryTask, QueryResult>({
      filename: new URL('./query-worker.ts', import.meta.url),
      options: { dataDirectory: t.folder.path },
      environment: childEnvironment({ file: catalogFile(t.folder.path) }),
      concurrency: 1,
      longTasks: new Set(),
      timeLimits: { image: 1 },
    }),
    { [Symbol.asyncDispose]: () => pool.stop() },
  );
  await expect(pool.run('a', t.imageTask, patient)).rejects.toMatchObject({
    name: 'UnreadableMediaError',
    message: 'Reading this takes longer than 0.001 seconds.',
  });
});

test('tasks beyond the limit of the queue are refused; an aborted one makes room', async () => {
  await using t = await setUp();
  const abort = new AbortController();
  const query = await t.pool.run('a', t.imageTask, patient);
  const tasks = Array.from({ length: 72 }, () => t.pool.run('a', t.imageTask, abort.signal));
  const refused = Promise.allSettled(tasks);
  await expect(t.pool.run('a', t.imageTask, patient)).rejects.toBeInstanceOf(BusyError);
  abort.abort(new Error('given up'));
  const outcomes = (await refused).map((each) => (each.status === 'rejected' ? (each.reason as Error) : undefined));
  expect(outcomes.filter((error) => error instanceof BusyError)).toHaveLength(72 - 66);
  // The two that ran come to their end.
  expect(outcomes.filter((error) => error?.message === 'given up')).toHaveLength(64);
  expect(await t.pool.run('a', t.imageTask, patient)).toHaveLength(query.length);
});

test('workspaces take turns, and the long tasks of one leave a worker to others', async () => {
  await using t = await setUp();
  const abort = new AbortController();
  const order: string[] = [];
  const run = (workspaceId: string) =>
    t.pool.run(workspaceId, t.imageTask, abort.signal).then(() => order.push(workspaceId));
  // Both workers run: while one starts, the other would do most of the work.
  await Promise.all(['d', 'e'].map((workspaceId) => t.pool.run(workspaceId, t.imageTask, patient)));
  // One fills both workers and the queue; what others ask for comes before the rest of it.
  const greedy = Array.from({ length: 12 }, () => run('greedy'));
  const others = ['b', 'c'].map((workspaceId) => run(workspaceId));
  await Promise.all(others);
  // Without turns all would come first.
  expect(order.filter((workspaceId) => workspaceId === 'greedy').length).toBeLessThan(10);
  await Promise.all(greedy);
  expect(order).toHaveLength(14);

  // Reading a frame far into a film takes long: of two only one begins, and another workspace has the other worker.
  const file = t.folder.file('long.mp4');
  await makeVideo(file, { scenes: [{ paint: plain(9, 9, 9), seconds: 60 }] });
  const read: string[] = [];
  const source = { file, type: 'video' as const, mimeType: 'video/mp4' };
  const readFrame = () =>
    t.pool.run('greedy', { kind: 'frame', source, at: 59, width: 64 }, abort.signal).then(() => read.push('greedy'));
  const frames = [readFrame(), readFrame()];
  await t.pool.run('b', t.imageTask, patient).then(() => read.push('b'));
  // With both workers reading it would come third.
  expect(read.slice(0, 2)).toContain('b');
  abort.abort(new Error('given up'));
  await Promise.allSettled(frames);
});

test('heavy requests beyond what a workspace may have in flight wait, light ones are answered meanwhile', async () => {
  await using service = await startTestService();
  const { client, folder } = service;
  await makePhoto(`${folder}/red.png`, plain(200, 30, 30));
  const { id } = await client.waitUntilIndexed((await client.upload(`${folder}/red.png`)).data.id);
  await makeVideo(`${folder}/film.mp4`, { scenes: [{ paint: plain(30, 30, 200), seconds: 2 }] });
  const film = await client.waitUntilIndexed((await client.upload(`${folder}/film.mp4`)).data.id);
  const heavy = Array.from({ length: 24 }, () => client.post('/media/search/image', { media_id: film.id, at: 1 }));
  const light = await client.get(`/media/${id}`);
  expect(light.status).toBe(200);
  const answers = await Promise.all(heavy);
  expect(answers.map(({ status }) => status)).toEqual(heavy.map(() => 200));
});
