import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import SQLite from 'better-sqlite3';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import type { NewMedia } from '../../server/catalog/media/media-items.ts';
import type { Catalog } from '../../server/catalog/schema.ts';
import { createSecrets } from '../../server/platform/crypto/secrets.ts';
import { quantile } from './vectors.ts';

/**
 * What quotas and counts cost in a large workspace whose plan limits everything, beside an earlier version of the service, by turns: the
 * catalog's part of an upload, counting a search, what `GET /workspace` reads; and how long counting searches holds the event loop up while
 * another thread holds the catalog's write lock for five seconds.
 *
 *     npm run node -- lab/bench/counts.ts --before <checkout with its dependencies> [--items 20000] [--rounds 200]
 */

type Counter = { countIfAllowed(workspaceId: string): unknown; stop(): Promise<void> };
type Modules = {
  openCatalog: (file: string) => Promise<Catalog>;
  createWorkspace: (
    db: Catalog,
    secrets: object,
    names: { workspace: string; owner: string },
  ) => Promise<{ id: string }>;
  addMedia: (db: Catalog, media: NewMedia, then: () => Promise<void>) => Promise<{ kind: string }>;
  findUploadLimit: (parts: { db: Catalog; maxUploadBytes: number }, id: string, bytes: number) => Promise<unknown>;
  /** An earlier version takes the path of the catalog. */
  createSearchCounter: (source: unknown, isSharedOrLog: unknown, log?: object) => Counter;
  openCountsCatalog?: (file: string) => Catalog;
  readMediaUsage: (db: Catalog, workspaceId: string) => Promise<unknown>;
};
type Version = {
  upload: () => Promise<unknown>;
  countSearch: () => unknown;
  readUsage: () => Promise<unknown>;
  file: string;
  stop: () => Promise<void>;
};

/** The modules of a version that are measured, where this version or that of 9df9b898 has them. */
async function load(checkout: string): Promise<Modules> {
  const files = [
    'catalog/open-catalog',
    'catalog/accounts/workspaces',
    'catalog/workspaces',
    'catalog/media/media-items',
    'catalog/media-items',
    'catalog/media/media-totals',
    'catalog/media-totals',
    'catalog/counters/search-counter',
    'catalog/search-counter',
    'uploads/upload-limit',
  ];
  const paths = files.map((file) => path.resolve(checkout, 'server', `${file}.ts`)).filter((file) => existsSync(file));
  const loaded = await Promise.all(paths.map((file) => import(file) as Promise<object>));
  return Object.assign({}, ...loaded) as Modules;
}

async function open(modules: Modules, file: string, items: number): Promise<Version> {
  const db = await modules.openCatalog(file);
  const { id } = await modules.createWorkspace(db, createSecrets(new Uint8Array(32)), { workspace: 'A', owner: 'B' });
  const limits = { storage_bytes: 1e15, media_items: 1e9, indexed_seconds: 1e12, searches_per_month: 1e12 };
  await db.updateTable('plans').set(limits).execute();
  const media = (): NewMedia => ({
    workspace_id: id,
    id: randomUUID(),
    filename: 'film.mp4',
    type: 'video',
    mime_type: 'video/mp4',
    size: 1_000_000,
    sha256: randomUUID(),
    creator_id: null,
    category_id: null,
  });
  await db.transaction().execute(async (transaction) => {
    const now = new Date().toISOString();
    const times = { created_at: now, updated_at: now };
    for (let i = 0; i < items; i++) {
      await transaction
        .insertInto('media_items')
        .values({ ...media(), status: 'complete', duration: 60, chunk_count: 12, ...times })
        .execute();
    }
  });
  const log = { error: console.error };
  const counts = modules.openCountsCatalog?.(file);
  const counter = counts ? modules.createSearchCounter(counts, false, log) : modules.createSearchCounter(file, log);
  return {
    file,
    async upload() {
      await modules.findUploadLimit({ db, maxUploadBytes: 2 ** 34 }, id, 1_000_000);
      const { kind } = await modules.addMedia(db, media(), () => Promise.resolve());
      if (kind !== 'added') throw new Error(kind);
    },
    countSearch: () => counter.countIfAllowed(id),
    readUsage: () => modules.readMediaUsage(db, id),
    async stop() {
      await counter.stop();
      await counts?.destroy();
      await db.destroy();
    },
  };
}

/** Median milliseconds of an action in each version, by turns, and the median of the ratios. */
async function compare(rounds: number, versions: [Version, Version], action: (version: Version) => unknown) {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    for (const place of [0, 1] as const) {
      const began = performance.now();
      await action(versions[place]);
      times[place].push(performance.now() - began);
    }
  }
  const ratios = times[0].map((before, i) => before / (times[1][i] as number));
  return { before: quantile(times[0], 0.5), after: quantile(times[1], 0.5), ratio: quantile(ratios, 0.5) };
}

const lockSeconds = 5;

/** Longest time in milliseconds that the event loop does not run while searches are counted and another thread writes. */
async function measurePause({ file, countSearch }: Version): Promise<number> {
  const isHeld = new Int32Array(new SharedArrayBuffer(4));
  const writer = new Worker(import.meta.filename, { workerData: { file, isHeld } });
  const ended = once(writer, 'exit');
  while (Atomics.load(isHeld, 0) === 0) await sleep(5);
  let [last, longest] = [performance.now(), 0];
  while (Atomics.load(isHeld, 0) === 1) {
    await countSearch();
    await sleep(5);
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }
  await ended;
  return longest;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      before: { type: 'string' },
      items: { type: 'string', default: '20000' },
      rounds: { type: 'string', default: '200' },
    },
  });
  if (values.before === undefined) throw new Error('Name a checkout of an earlier version: --before <folder>');
  await using folder = await temporaryFolder();
  const [items, rounds] = [Number(values.items), Number(values.rounds)];
  const versions: [Version, Version] = [
    await open(await load(values.before), folder.file('before.db'), items),
    await open(await load(path.join(import.meta.dirname, '..', '..')), folder.file('after.db'), items),
  ];
  const searches = 500;
  const rows: [string, Awaited<ReturnType<typeof compare>>][] = [
    ['upload, the catalog’s part', await compare(rounds, versions, ({ upload }) => upload())],
    ['what `GET /workspace` reads of items', await compare(rounds, versions, ({ readUsage }) => readUsage())],
    [
      `counting ${searches} searches`,
      await compare(rounds, versions, async ({ countSearch }) => {
        for (let i = 0; i < searches; i++) await countSearch();
      }),
    ],
  ];
  console.log(`${items} items, ${rounds} rounds\n\n| | before, ms | now, ms | ratio |\n| --- | --- | --- | --- |`);
  for (const [what, { before, after, ratio }] of rows) {
    console.log(`| ${what} | ${before.toFixed(3)} | ${after.toFixed(3)} | ${ratio.toFixed(1)} |`);
  }
  const pauses = [await measurePause(versions[0]), await measurePause(versions[1])];
  console.log(
    `\nlongest pause while another thread writes for ${lockSeconds} s: ${pauses.map((pause) => pause.toFixed(0)).join(', ')} ms`,
  );
  for (const version of versions) await version.stop();
}

/** Holds the write lock of a catalog for some seconds. */
async function holdLock({ file, isHeld }: { file: string; isHeld: Int32Array }): Promise<void> {
  const sqlite = new SQLite(file);
  sqlite.exec('begin immediate');
  Atomics.store(isHeld, 0, 1);
  await sleep(lockSeconds * 1000);
  sqlite.exec('rollback');
  Atomics.store(isHeld, 0, 2);
  sqlite.close();
}

await (isMainThread ? main() : holdLock(workerData as { file: string; isHeld: Int32Array }));
