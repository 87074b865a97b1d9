import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { createFileAssetStore } from '../../assets/file-asset-store.ts';
import { openCatalogAt, serviceOptions } from '../../catalog/catalog-location.ts';
import { releaseAllJobs } from '../../catalog/queue/job-queue.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { createPostgresPubSub } from '../../messaging/pubsub/postgres-pubsub.ts';
import { createMemoryPubSub } from '../../messaging/pubsub/pubsub.ts';
import { createLog } from '../../platform/log.ts';
import { createScratch } from '../../platform/storage/scratch.ts';
import { type Backend, backends } from '../../testing/fresh-catalog.ts';
import { openTestCatalog } from '../../testing/test-catalog.ts';
import type { ExportPool } from './export-pool.ts';
import type { ExportTask } from './export-tasks.ts';
import { createExports, type ExportFile } from './exports.ts';

/** Cuts a clip when it is told to: writes its own name. */
function createSlowPool(name: string) {
  const running: { name: string; finish: () => void; signal: AbortSignal }[] = [];
  const run = async (_workspaceId: string, task: ExportTask, signal: AbortSignal) => {
    if (task.kind !== 'clip') throw new Error(task.kind);
    if (task.progressFile !== null) await writeFile(task.progressFile, '0.25');
    // As a pool of processes does: nothing tells of an abort that was before.
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      running.push({ name, finish: resolve, signal });
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
    await writeFile(task.destination, `by ${name}`);
    return { lossless: true, start: 0, end: 1 };
  };
  return { running, pool: { run, stop: () => Promise.resolve() } as unknown as ExportPool };
}

/** An item with its file, and the exports of two processes on one database and one folder. With SQLite both have one connection. */
async function setUp(backend: Backend) {
  const folder = await temporaryFolder();
  const catalog = await openTestCatalog(backend);
  const assets = createFileAssetStore(folder.path);
  const media = await catalog.add('film.mp4');
  await assets.prepare();
  await writeFile(folder.file('film'), Buffer.alloc(media.size));
  await assets.putOriginal(folder.file('film'), media);
  const { location } = catalog;
  const log = createLog('silent', {});
  const inMemory = createMemoryPubSub(log);
  const stopping: (() => Promise<unknown>)[] = [];
  const open = async (name: string, db: Catalog) => {
    const pubsub = 'url' in location ? await createPostgresPubSub(location.url, log) : inMemory;
    const { pool, running } = createSlowPool(name);
    const scratch = createScratch(path.join(folder.path, name));
    const exports = createExports({ db, assets, scratch, pool, pubsub, log, isShared: true });
    stopping.push(async () => {
      await exports.stop();
      await pubsub.stop();
    });
    return { ...exports, running };
  };
  const other = 'url' in location ? await openCatalogAt(location, serviceOptions) : null;
  const [a, b] = [await open('a', catalog.db), await open('b', other ?? catalog.db)];
  const common = { workspaceId: catalog.workspaceId, moments: [{ media_id: media.id }], title: 'T' };
  const request = { ...common, filename: 'film', machine: null, baseUrl: 'http://x' };
  return {
    a,
    b,
    /** What both make. */
    running: () => [...a.running, ...b.running],
    db: catalog.db,
    clip: { ...request, format: 'mp4' },
    csv: { ...request, format: 'csv' },
    zip: { ...request, format: 'zip' },
    workspaceId: catalog.workspaceId,
    folder: folder.path,
    async [Symbol.asyncDispose]() {
      for (const stop of stopping) await stop();
      await other?.destroy();
      await catalog[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  } as const;
}

const never = new AbortController().signal;
const readFile = (file: ExportFile | null) => (file ? text(file.read()) : null);

describe.each(backends)('on %s', (backend) => {
  test('what one process makes, another shows, waits for and sends', async () => {
    await using t = await setUp(backend);
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
    t.running()[0]?.finish();
    expect(await readFile(await waiting)).toMatch(/^by [ab]$/);
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
    await using t = await setUp(backend);
    const begun = [await t.a.start(t.clip), await t.b.start(t.clip), await t.a.start(t.clip), await t.b.start(t.clip)];
    await expect(t.b.start(t.clip)).rejects.toMatchObject({ code: 'throttled' });
    await expect.poll(() => t.running().length).toBe(4);
    if (!begun[0]) throw new Error('It has begun.');
    await t.b.cancel(begun[0].request.workspaceId, begun[0].id);
    const countAborted = () => t.running().filter(({ signal }) => signal.aborted).length;
    await expect.poll(countAborted, { timeout: 1000, interval: 10 }).toBe(1);
    await t.b.start(t.clip);
  });

  test('who hangs up ends it, unless somebody else waits, whom another process serves', async () => {
    await using t = await setUp(backend);
    const clip = await t.a.start(t.clip);
    const [atA, atB] = [new AbortController(), new AbortController()];
    const waiting = [
      t.a.waitForFile(clip.request.workspaceId, clip.id, atA.signal),
      t.b.waitForFile(clip.request.workspaceId, clip.id, atB.signal),
    ].map((each) => each.catch((error: Error) => error.message));
    await expect.poll(() => t.running().length).toBe(1);
    atA.abort(new Error('gone'));
    expect(await waiting[0]).toBe('gone');
    await new Promise((resolve) => setTimeout(resolve, 4500));
    expect(t.running()[0]?.signal.aborted).toBe(false);
    atB.abort(new Error('gone'));
    const isGivenUp = async () => {
      // Who looks at it is not who waits for it.
      await t.b.find(t.workspaceId, clip.id);
      return t.running()[0]?.signal.aborted;
    };
    await expect.poll(isGivenUp, { timeout: 6000 }).toBe(true);
    await expect.poll(() => t.a.find(t.workspaceId, clip.id), { timeout: 8000 }).toBeUndefined();
  });

  test('what a process that died was making is taken up once; what the dead one still does is of no effect', async () => {
    await using t = await setUp(backend);
    const [clip, deadly] = [await t.a.start(t.clip), await t.a.start(t.clip)];
    await expect.poll(() => t.running().length).toBe(2);
    const begun = t.running();
    // As if nothing had been heard of it: its leases have ended, and it renews others.
    await t.db.updateTable('jobs').set({ attempts: 2 }).where('media_id', '=', deadly.id).execute();
    await t.db.updateTable('jobs').set({ token: 0, lease_until: '2026-01-01T00:00:00.000Z' }).execute();
    await expect.poll(() => t.running().length, { timeout: 12_000 }).toBe(3);
    expect(await t.b.find(t.workspaceId, deadly.id)).toMatchObject({
      status: 'error',
      error: { code: 'internal_error' },
    });
    await expect(t.a.waitForFile(deadly.request.workspaceId, deadly.id, never)).rejects.toMatchObject({
      code: 'internal_error',
    });
    const winner = t.running().find((each) => !begun.includes(each));
    for (const each of begun) each.finish();
    winner?.finish();
    expect(await readFile(await t.b.waitForFile(clip.request.workspaceId, clip.id, never))).toBe(`by ${winner?.name}`);
    expect(await t.db.selectFrom('jobs').select('kind').where('kind', '=', 'export').execute()).toEqual([]);
  });

  test('what a service that was killed was making goes on at its next start, once', async () => {
    await using t = await setUp(backend);
    const clip = await t.a.start(t.clip);
    await expect.poll(() => t.running().length).toBe(1);
    await releaseAllJobs(t.db, 'broke off');
    await expect.poll(() => t.running().length, { timeout: 5000 }).toBe(2);
    await expect.poll(() => t.running()[0]?.signal.aborted, { timeout: 5000 }).toBe(true);
    expect(await t.a.find(t.workspaceId, clip.id)).toMatchObject({ status: 'processing' });
    await releaseAllJobs(t.db, 'broke off');
    await expect(t.b.waitForFile(t.workspaceId, clip.id, never)).rejects.toMatchObject({ code: 'internal_error' });
  });

  test('a process that stops gives back what it makes, and others go on with it', async () => {
    await using t = await setUp(backend);
    const clip = await t.a.start(t.clip);
    await expect.poll(() => t.running().length).toBe(1);
    const [maker, other] = t.a.running.length === 1 ? [t.a, t.b] : [t.b, t.a];
    await maker.stop();
    await expect.poll(() => other.running.length, { timeout: 12_000 }).toBe(1);
    const jobs = t.db.selectFrom('jobs').select('attempts').where('kind', '=', 'export');
    expect(await jobs.execute()).toEqual([{ attempts: 1 }]);
    other.running[0]?.finish();
    const made = await readFile(await other.waitForFile(clip.request.workspaceId, clip.id, never));
    expect(made).toBe(`by ${other.running[0]?.name}`);
    expect(await t.db.selectFrom('exports').select('attempts').execute()).toEqual([{ attempts: 2 }]);
  });

  test('the identifier of an archive finds, sends and cancels nothing for another workspace', async () => {
    await using t = await setUp(backend);
    const { id } = await t.a.start(t.zip);
    expect(await t.a.find('another', id)).toBeUndefined();
    await expect(t.a.waitForFile('another', id, never)).rejects.toMatchObject({ code: 'not_found' });
    await expect(t.a.streamArchive('another', id, never)).rejects.toMatchObject({ code: 'not_found' });
    await t.a.cancel('another', id);
    expect(await t.a.find(t.workspaceId, id)).toMatchObject({ status: 'ready' });
    expect(await t.a.waitForFile(t.workspaceId, id, never)).toBeNull();
    await t.a.cancel(t.workspaceId, id);
    expect(await t.a.find(t.workspaceId, id)).toBeUndefined();
  });
});
