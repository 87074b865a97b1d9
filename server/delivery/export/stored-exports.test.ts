import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { createFileAssetStore } from '../../assets/file-asset-store.ts';
import { openCatalogAt, serviceOptions } from '../../catalog/catalog-location.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { createPostgresNotices } from '../../messaging/pubsub/postgres-pubsub.ts';
import { createLog } from '../../platform/log.ts';
import { createScratch } from '../../platform/storage/scratch.ts';
import { needsServer, testDatabaseUrl } from '../../testing/temporary-database.ts';
import { openTestCatalog } from '../../testing/test-catalog.ts';
import type { ExportPool } from './export-pool.ts';
import type { ExportTask } from './export-tasks.ts';
import type { ExportFile } from './exports.ts';
import { createStoredExports } from './stored-exports.ts';

beforeEach((context) => context.skip(testDatabaseUrl === undefined, needsServer));

/** Cuts a clip when it is told to: writes its own name. */
function createSlowPool(name: string) {
  const running: { finish: () => void; signal: AbortSignal }[] = [];
  const run = async (_workspaceId: string, task: ExportTask, signal: AbortSignal) => {
    if (task.kind !== 'clip') throw new Error(task.kind);
    if (task.progressFile !== null) await writeFile(task.progressFile, '0.25');
    await new Promise<void>((resolve, reject) => {
      running.push({ finish: resolve, signal });
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
    await writeFile(task.destination, `by ${name}`);
    return { lossless: true, start: 0, end: 1 };
  };
  return { running, pool: { run, stop: () => Promise.resolve() } as unknown as ExportPool };
}

/** An item with its file, and the exports of two processes on one database and one folder. */
async function setUp() {
  const folder = await temporaryFolder();
  const catalog = await openTestCatalog('postgres');
  const assets = createFileAssetStore(folder.path);
  const media = await catalog.add('film.mp4');
  await assets.prepare();
  await writeFile(folder.file('film'), Buffer.alloc(media.size));
  await assets.putOriginal(folder.file('film'), media);
  const { location } = catalog;
  if (!('url' in location)) throw new Error('PostgreSQL has a URL.');
  const stopping: (() => Promise<unknown>)[] = [];
  const open = async (name: string, db: Catalog) => {
    const notices = await createPostgresNotices(location.url, createLog('silent', {}));
    const { pool, running } = createSlowPool(name);
    const scratch = createScratch(path.join(folder.path, name));
    const exports = createStoredExports({ db, assets, scratch, pool, notices, log: createLog('silent', {}) });
    stopping.push(async () => {
      await exports.stop();
      await notices.stop();
    });
    return { ...exports, running };
  };
  const other = await openCatalogAt(location, serviceOptions);
  const [a, b] = [await open('a', catalog.db), await open('b', other)];
  const common = { workspaceId: catalog.workspaceId, moments: [{ media_id: media.id }], title: 'T' };
  const request = { ...common, filename: 'film', baseUrl: 'http://x' };
  return {
    a,
    b,
    db: catalog.db,
    clip: { ...request, format: 'mp4' },
    csv: { ...request, format: 'csv' },
    workspaceId: catalog.workspaceId,
    folder: folder.path,
    async [Symbol.asyncDispose]() {
      for (const stop of stopping) await stop();
      await other.destroy();
      await catalog[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  } as const;
}

const never = new AbortController().signal;
const readFile = (file: ExportFile | null) => (file ? text(file.read()) : null);

test('what one process makes, another shows, waits for and sends', async () => {
  await using t = await setUp();
  const begun = await t.a.start(t.csv);
  expect(begun).toMatchObject({ status: 'processing', produced: null, request: { filename: 'film' } });
  const list = await t.b.waitForFile(begun.request.workspaceId, begun.id, never);
  expect(await readFile(list)).toContain('film.mp4');
  expect(await text(list?.read({ start: 4, end: 7 }) ?? Readable.from([]))).toHaveLength(4);
  expect(await t.b.find(t.workspaceId, begun.id)).toMatchObject({ status: 'ready', progress: 1, error: null });
  expect(await t.b.find('another', begun.id)).toBeUndefined();
  await expect(t.b.waitForFile('another', begun.id, never)).rejects.toMatchObject({ code: 'not_found' });
  await t.b.cancel('another', begun.id);
  expect(await t.a.find(t.workspaceId, begun.id)).toMatchObject({ status: 'ready' });

  const clip = await t.a.start(t.clip);
  const waiting = t.b.waitForFile(clip.request.workspaceId, clip.id, never);
  await expect.poll(async () => (await t.b.find(t.workspaceId, clip.id))?.progress, { timeout: 5000 }).toBe(0.25);
  t.a.running[0]?.finish();
  expect(await readFile(await waiting)).toBe('by a');
  expect(await t.b.find(t.workspaceId, clip.id)).toMatchObject({
    status: 'ready',
    produced: { size: 4, lossless: true, span: { start: 0, end: 1 } },
  });
  await t.b.cancel(clip.request.workspaceId, clip.id);
  expect(await t.a.find(t.workspaceId, clip.id)).toBeUndefined();
  await expect.poll(() => t.db.selectFrom('exports').select('id').execute()).toEqual([{ id: begun.id }]);
  expect(await readdir(path.join(t.folder, 'exports', t.workspaceId))).toEqual([begun.id]);
});

test('cancelled at another process it ends at once; of five at a time the last is refused', async () => {
  await using t = await setUp();
  const begun = [await t.a.start(t.clip), await t.b.start(t.clip), await t.a.start(t.clip), await t.b.start(t.clip)];
  await expect(t.b.start(t.clip)).rejects.toMatchObject({ code: 'throttled' });
  await expect.poll(() => t.a.running.length).toBe(2);
  if (!begun[0]) throw new Error('It has begun.');
  await t.b.cancel(begun[0].request.workspaceId, begun[0].id);
  await expect.poll(() => t.a.running[0]?.signal.aborted, { timeout: 1000, interval: 10 }).toBe(true);
  await t.b.start(t.clip);
});

test('who hangs up ends it, unless somebody else waits, whom another process serves', async () => {
  await using t = await setUp();
  const clip = await t.a.start(t.clip);
  const [atA, atB] = [new AbortController(), new AbortController()];
  const waiting = [
    t.a.waitForFile(clip.request.workspaceId, clip.id, atA.signal),
    t.b.waitForFile(clip.request.workspaceId, clip.id, atB.signal),
  ].map((each) => each.catch((error: Error) => error.message));
  await expect.poll(() => t.a.running.length).toBe(1);
  atA.abort(new Error('gone'));
  expect(await waiting[0]).toBe('gone');
  await new Promise((resolve) => setTimeout(resolve, 4500));
  expect(t.a.running[0]?.signal.aborted).toBe(false);
  atB.abort(new Error('gone'));
  const isGivenUp = async () => {
    // Who looks at it is not who waits for it.
    await t.b.find(t.workspaceId, clip.id);
    return t.a.running[0]?.signal.aborted;
  };
  await expect.poll(isGivenUp, { timeout: 6000 }).toBe(true);
  await expect.poll(() => t.a.find(t.workspaceId, clip.id), { timeout: 8000 }).toBeUndefined();
});

test('what a process that died was making is taken up once; what the dead one still does is of no effect', async () => {
  await using t = await setUp();
  const [clip, deadly] = [await t.a.start(t.clip), await t.a.start(t.clip)];
  await expect.poll(() => t.a.running.length).toBe(2);
  // As if nothing had been heard of it: its heartbeats come from an owner that the rows do not name.
  await t.db.updateTable('exports').set({ deaths: 1 }).where('id', '=', deadly.id).execute();
  await t.db
    .updateTable('exports')
    .set({ owner: 'dead', heartbeat_at: sql<Date>`clock_timestamp() - interval '20 seconds'` })
    .execute();
  await expect.poll(() => t.b.running.length + t.a.running.length, { timeout: 12_000 }).toBe(3);
  expect(await t.b.find(t.workspaceId, deadly.id)).toMatchObject({
    status: 'error',
    error: { code: 'internal_error' },
  });
  await expect(t.a.waitForFile(deadly.request.workspaceId, deadly.id, never)).rejects.toMatchObject({
    code: 'internal_error',
  });
  const [winner, name] = t.b.running.length > 0 ? [t.b.running[0], 'b'] : [t.a.running[2], 'a'];
  t.a.running[0]?.finish();
  winner?.finish();
  expect(await readFile(await t.b.waitForFile(clip.request.workspaceId, clip.id, never))).toBe(`by ${name}`);
});

test('a process that stops gives back what it makes, and others go on with it', async () => {
  await using t = await setUp();
  const clip = await t.a.start(t.clip);
  await expect.poll(() => t.a.running.length).toBe(1);
  await t.a.stop();
  await expect.poll(() => t.b.running.length, { timeout: 12_000 }).toBe(1);
  t.b.running[0]?.finish();
  expect(await readFile(await t.b.waitForFile(clip.request.workspaceId, clip.id, never))).toBe('by b');
  expect(await t.db.selectFrom('exports').select(['attempts', 'deaths']).execute()).toEqual([
    { attempts: 2, deaths: 0 },
  ]);
});
