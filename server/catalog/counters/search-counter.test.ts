import { statSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import SQLite from 'better-sqlite3';
import { afterEach, expect, test, vi } from 'vitest';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { createSecrets } from '../../platform/crypto/secrets.ts';
import { createWorkspace } from '../accounts/workspaces.ts';
import { openCatalog, openCountsCatalog } from '../open-catalog.ts';
import { createSearchCounter } from './search-counter.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** A catalog with a workspace, the counter of a service, and `other`: a connection as another process has it. */
async function setUp(searchesPerMonth: number | null) {
  const folder = await temporaryFolder();
  const file = folder.file('catalog.db');
  const db = await openCatalog(file);
  const { id } = await createWorkspace(db, createSecrets(new Uint8Array(32)), { workspace: 'Test', owner: 'Test' });
  const limit = (limit: number | null) => db.updateTable('plans').set({ searches_per_month: limit }).execute();
  await limit(searchesPerMonth);
  const errors: unknown[] = [];
  const log = { error: (error: unknown) => void errors.push(error) };
  const other = new SQLite(file);
  const selectSum = other.prepare<[], number>('select coalesce(sum(searches), 0) from usage_days').pluck();
  const counters: ReturnType<typeof createSearchCounter>[] = [];
  const connections: ReturnType<typeof openCountsCatalog>[] = [];
  const start = () => {
    const counts = openCountsCatalog(file);
    const counter = createSearchCounter(counts, false, log);
    counters.push(counter);
    connections.push(counts);
    return counter;
  };
  const counter = start();
  return {
    db,
    id,
    counter,
    errors,
    other,
    limit,
    /** Another counter, as of the next start. */
    start,
    search: (times: number, by = counter) => Promise.all(Array.from({ length: times }, () => by.countIfAllowed(id))),
    stored: () => selectSum.get(),
    fileSize: () => statSync(file).size,
    async [Symbol.asyncDispose]() {
      if (other.inTransaction) other.exec('rollback');
      for (const each of counters) await each.stop();
      for (const each of connections) await each.destroy();
      other.close();
      await db.destroy();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const passed = (outcomes: unknown[]) => outcomes.filter((violation) => violation === undefined).length;

test('exactly as many searches pass as the plan allows, with flushes in between and after a restart', async () => {
  await using t = await setUp(20);
  const outcomes = [];
  for (let i = 0; i < 15; i++) {
    if (i % 4 === 0) await t.counter.flush();
    outcomes.push(await t.counter.countIfAllowed(t.id));
  }
  expect(passed(outcomes)).toBe(15);
  await t.counter.stop();
  const next = t.start();
  const more = await t.search(60, next);
  expect(passed(more)).toBe(5);
  expect(more[5]).toMatchObject({ limit: 'searches_per_month', allowed: 20, used: 20 });
  await next.flush();
  expect(t.stored()).toBe(20);
  expect(passed(await t.search(1, next))).toBe(0);
});

test('searches are stored automatically within a second, and at the stop', async () => {
  await using t = await setUp(null);
  await t.search(3);
  expect(t.stored()).toBe(0);
  await expect.poll(t.stored).toBe(3);
  await t.search(1);
  await t.counter.stop();
  expect(t.stored()).toBe(4);
});

test('counts that could not be stored are retried, and none is stored twice', async () => {
  await using t = await setUp(10);
  // The second workspace's row fails after the first's was written.
  const { id: second } = await createWorkspace(t.db, createSecrets(new Uint8Array(32)), { workspace: 'B', owner: 'B' });
  t.other.exec(`create trigger refuse before insert on usage_days when new.workspace_id = '${second}'
    begin select raise(abort, 'refused'); end`);
  await t.search(3);
  await t.counter.countIfAllowed(second);
  await expect(t.counter.flush()).rejects.toThrow('refused');
  expect(t.stored()).toBe(0);
  await t.search(1);
  await expect.poll(() => t.errors).not.toEqual([]);
  t.other.exec('drop trigger refuse');
  await expect.poll(t.stored).toBe(5);
  expect(passed(await t.search(9))).toBe(6);
});

test('while another process writes for seconds, searches go on and the event loop does not wait', async () => {
  await using t = await setUp(1000);
  await t.search(5);
  await t.counter.flush();
  t.other.exec('begin immediate');
  await t.search(5);
  await expect(t.counter.flush()).rejects.toThrow('locked');
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  let slowest = 0;
  const end = performance.now() + 3500;
  while (performance.now() < end) {
    const began = performance.now();
    expect(await t.counter.countIfAllowed(t.id)).toBeUndefined();
    await t.counter.read(t.id);
    slowest = Math.max(slowest, performance.now() - began);
    await sleep(10);
  }
  delay.disable();
  expect(t.stored()).toBe(5);
  // Some thirty flushes were tried meanwhile. By the connection of all requests the first would have waited for the lock.
  expect(delay.max / 1e6).toBeLessThan(500);
  expect(slowest).toBeLessThan(500);
  const counted = (await t.counter.read(t.id)).searches_per_month;
  expect(counted).toBeGreaterThan(20);
  t.other.exec('rollback');
  await expect.poll(t.stored).toBe(counted);
  expect(t.errors).toEqual([]);
});

test('storing the counts does not move what another process wrote from the log to the file', async () => {
  await using t = await setUp(null);
  t.other.pragma('wal_autocheckpoint = 0');
  t.other.exec('create table large (bytes blob)');
  t.other.exec('insert into large values (zeroblob(8000000))');
  const before = t.fileSize();
  await t.search(1);
  await t.counter.flush();
  expect(t.stored()).toBe(1);
  expect(t.fileSize()).toBe(before);
});

test('the stop waits for another process that writes, without blocking', async () => {
  await using t = await setUp(null);
  await t.search(2);
  t.other.exec('begin immediate');
  const stopped = t.counter.stop();
  await sleep(300);
  t.other.exec('commit');
  await stopped;
  expect(t.stored()).toBe(2);
  expect(t.errors).toEqual([]);
});

test('a plan that changes while the service runs applies within a second', async () => {
  await using t = await setUp(null);
  expect(passed(await t.search(3))).toBe(3);
  await t.limit(4);
  await sleep(1050);
  expect(passed(await t.search(3))).toBe(1);
  await t.limit(6);
  await sleep(1050);
  expect(passed(await t.search(3))).toBe(2);
});

test('the month turns over at midnight UTC, also for what is not stored yet', async () => {
  await using t = await setUp(3);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-30T23:59:59.999Z') });
  expect(passed(await t.search(5))).toBe(3);
  vi.setSystemTime('2026-12-01T00:00:00Z');
  expect(await t.counter.read(t.id)).toEqual({
    searches_per_month: 0,
    history: [{ date: '2026-11-30', uploads: 0, searches: 3, storage_bytes: 0 }],
  });
  expect(passed(await t.search(2))).toBe(2);
  // The clock is set back: November is used up, and stays so.
  vi.setSystemTime('2026-11-30T12:00:00Z');
  expect(passed(await t.search(1))).toBe(0);
  vi.setSystemTime('2026-12-02T12:00:00Z');
  await t.counter.flush();
  expect(passed(await t.search(2))).toBe(1);
  expect(await t.counter.read(t.id)).toMatchObject({
    searches_per_month: 3,
    history: [
      { date: '2026-11-30', searches: 3 },
      { date: '2026-12-01', searches: 2 },
      { date: '2026-12-02', searches: 1 },
    ],
  });
});

test('the statistics hold what is counted, stored or not, and a new day has the bytes of the last', async () => {
  await using t = await setUp(null);
  t.other.exec(`insert into media_totals values ('${t.id}', 'complete', 'video', 1, 500, 0, 0);
    insert into usage_days values ('${t.id}', '2026-11-01', 1, 4, 500)`);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-03T12:00:00Z') });
  await t.search(2);
  const expected = {
    searches_per_month: 6,
    history: [
      { date: '2026-11-01', uploads: 1, searches: 4, storage_bytes: 500 },
      { date: '2026-11-03', uploads: 0, searches: 2, storage_bytes: 500 },
    ],
  };
  expect(await t.counter.read(t.id)).toEqual(expected);
  await t.counter.flush();
  expect(await t.counter.read(t.id)).toEqual(expected);
  expect(t.stored()).toBe(6);
});

test('searches of a workspace that is gone do not keep those of others from being stored', async () => {
  await using t = await setUp(null);
  const { id: second } = await createWorkspace(t.db, createSecrets(new Uint8Array(32)), { workspace: 'B', owner: 'B' });
  await t.counter.countIfAllowed(second);
  await t.search(1);
  await t.db.deleteFrom('workspaces').where('id', '=', second).execute();
  await t.counter.flush();
  expect(t.stored()).toBe(1);
});
