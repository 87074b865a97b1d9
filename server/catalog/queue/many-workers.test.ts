import { randomUUIDv7 } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, expect, test, vi } from 'vitest';
import { type CatalogLocation } from '../../platform/storage/data-directory.ts';
import { endConnections, needsServer, testDatabaseUrl } from '../../testing/temporary-database.ts';
import { advanceClock, claim, indexed, openTestCatalog, reload } from '../../testing/test-catalog.ts';
import { childOptions, openCatalogAt } from '../catalog-location.ts';
import { listChangesAfter, readLastChange } from '../media/item-changes.ts';
import { deleteMedia } from '../media/media-items.ts';
import { findWrongTotals } from '../media/media-totals.ts';
import type { Catalog } from '../schema.ts';
import { completeIndexing } from './indexing-jobs.ts';
import { maxAttempts } from './job-kinds.ts';
import { claimJob, type Job, releaseJob, releaseJobsOf, renewLease } from './job-queue.ts';

/** What only several connections to a PostgreSQL server can show of the queue and of the record of changes. */

const workers = 5;

afterEach(() => void vi.useRealTimers());

/** A catalog on the server with so many items that wait in each of some workspaces. */
async function setUp({ workspaces = 1, items = 0 } = {}) {
  const t = await openTestCatalog('postgres');
  const ids = [t.workspaceId];
  while (ids.length < workspaces) ids.push((await t.addWorkspace(`Other ${ids.length}`)).id);
  for (const id of ids) {
    await sql`insert into media_items (workspace_id, id, filename, type, status, size, mime_type, sha256, created_at, updated_at)
      select ${id}, 'm' || i, 'x', 'video', 'pending', 1, 'x', 's' || i, '2026', '2026' from generate_series(1, ${sql.lit(items)}) i`.execute(
      t.db,
    );
    await sql`insert into jobs (workspace_id, media_id, kind, priority, payload, created_at)
      select workspace_id, id, 'index', 0, '{}', '2026' from media_items where workspace_id = ${id}`.execute(t.db);
  }
  return { ...t, workspaces: ids };
}

const nameOf = ({ workspace_id, id }: Pick<Job, 'workspace_id' | 'id'>) => `${workspace_id} ${id}`;

/** Claims until there is nothing left. @returns what each got */
const claimAll = (db: Catalog, names: string[]) =>
  Promise.all(
    names.map(async (name) => {
      const jobs: Job[] = [];
      for (let job = await claimJob(db, name); job; job = await claimJob(db, name)) jobs.push(job);
      return jobs;
    }),
  );

test('several workers claim each job once, and none goes away while there are many', async (context) => {
  context.skip(!testDatabaseUrl, needsServer);
  await using t = await setUp({ workspaces: 4, items: 50 });
  const claimed = await claimAll(
    t.db,
    Array.from({ length: workers }, (_, i) => `w${i}`),
  );
  const names = claimed.flat().map(nameOf);
  expect(names).toHaveLength(200);
  expect(new Set(names).size).toBe(200);
  // One that was told "nothing" with many left would have few.
  for (const jobs of claimed) expect(jobs.length).toBeGreaterThan(10);
  const tokens = claimed.map((jobs) => jobs.map(({ token }) => token));
  for (const own of tokens) expect(own).toEqual(own.toSorted((a, b) => a - b));
  // None waits until another workspace is done.
  const first = new Set(claimed.flatMap((jobs) => jobs.slice(0, 10)).map(({ workspace_id }) => workspace_id));
  expect(first.size).toBe(4);
  expect(await findWrongTotals(t.db)).toEqual([]);
});

test('a clock that is wrong takes no job from another, and keeps none', async (context) => {
  context.skip(!testDatabaseUrl, needsServer);
  await using t = await setUp({ items: 1 });
  const job = await claim(t.db, 'right');
  for (const seconds of [-3600, -1.5, 1.5, 7200]) {
    advanceClock(seconds);
    expect(await claimJob(t.db, 'wrong')).toBeUndefined();
    expect(await renewLease(t.db, job)).toBe(true);
    vi.useRealTimers();
  }
  advanceClock(-3600);
  await releaseJob(t.db, job, 'machine failed');
  vi.useRealTimers();
  // It waits for a minute by the clock of the server.
  expect(await claimJob(t.db, 'right')).toBeUndefined();
  await sql`update jobs set available_at = '2026'`.execute(t.db);
  advanceClock(-3600);
  expect(await claim(t.db, 'wrong')).toMatchObject({ attempts: 1 });
});

test('a job whose worker is gone is claimed when its lease ends; only those of the same process are put back', async (context) => {
  context.skip(!testDatabaseUrl, needsServer);
  await using t = await setUp({ items: 2 });
  const [gone, alive] = [await claim(t.db, 'a-1-'), await claim(t.db, 'b-1-')];
  await releaseJobsOf(t.db, 'a-', 'stopped');
  expect(await renewLease(t.db, gone)).toBe(false);
  expect(await renewLease(t.db, alive)).toBe(true);
  expect((await claim(t.db, 'c')).id).toBe(gone.id);
  await sql`update jobs set lease_until = '2026' where lease_owner = 'b-1-'`.execute(t.db);
  expect(await claim(t.db, 'c')).toMatchObject({ id: alive.id, attempts: 2 });
  expect(await completeIndexing(t.db, alive, indexed(['late']))).toBeNull();
});

test('connections that end in the middle of claims and commits lose no job, and no attempt', async (context) => {
  context.skip(!testDatabaseUrl, needsServer);
  await using t = await setUp({ workspaces: 2, items: 15 });
  let broken = 0;
  const attempts: number[] = [];
  const work = async (name: string) => {
    let mayHoldJob = false;
    for (;;) {
      try {
        if (mayHoldJob) await releaseJobsOf(t.db, name, 'stopped');
        mayHoldJob = true;
        const job = (await claimJob(t.db, name)) as Job<'index'> | undefined;
        if (job) {
          attempts.push(job.attempts);
          await completeIndexing(t.db, job, indexed(['one', 'two']));
        } else if ((await t.db.selectFrom('jobs').select('kind').execute()).length === 0) return;
        mayHoldJob = false;
      } catch {
        broken += 1;
      }
    }
  };
  const location = t.location as Extract<CatalogLocation, { url: string }>;
  const working = Promise.all(['a', 'b', 'c'].map(work));
  for (let i = 0; i < 5; i++) {
    await delay(60);
    await endConnections(new URL(location.url).pathname.slice(1), 'media-search');
  }
  await working;
  expect(broken).toBeGreaterThan(0);
  expect(new Set(attempts)).toEqual(new Set([1]));
  const items = await t.db.selectFrom('media_items').select(['status', 'chunk_count']).execute();
  expect(items).toEqual(items.map(() => ({ status: 'complete', chunk_count: 2 })));
  expect(
    await t.db
      .selectFrom('chunks')
      .select((e) => e.fn.countAll<number>().as('n'))
      .execute(),
  ).toEqual([{ n: 60 }]);
  expect(await findWrongTotals(t.db)).toEqual([]);
});

test('who follows the changes of many writers misses none', async (context) => {
  context.skip(!testDatabaseUrl, needsServer);
  await using t = await setUp({ items: 24 });
  await using other = await openCatalogAt(t.location, childOptions).then((db) => ({
    db,
    [Symbol.asyncDispose]: () => db.destroy(),
  }));
  const seen = new Map<string, string>();
  let [known, done] = [0, false];
  const follow = async () => {
    for (;;) {
      const wasDone = done;
      const changes = await listChangesAfter(other.db, t.workspaceId, known, 5);
      for (const { sequence, media_id } of changes) {
        const item = await other.db
          .selectFrom('media_items')
          .select('status')
          .where('id', '=', media_id)
          .executeTakeFirst();
        seen.set(media_id, item?.status ?? 'gone');
        known = sequence;
      }
      if (wasDone && changes.length === 0) return;
    }
  };
  const following = follow();
  const work = async (name: string) => {
    for (let job = await claimJob(t.db, name); job; job = await claimJob(t.db, name)) {
      if (job.id.endsWith('3')) await deleteMedia(t.db, t.workspaceId, job.id);
      else await completeIndexing(t.db, job as Job<'index'>, indexed(['one']));
    }
  };
  await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map(work));
  done = true;
  await following;
  expect([...seen.values()].toSorted()).toEqual([
    ...Array.from({ length: 21 }, () => 'complete'),
    'gone',
    'gone',
    'gone',
  ]);
  expect(known).toBe(await readLastChange(t.db, t.workspaceId));
});

test('claims and deletions of the same items never wait for each other in a circle', async (context) => {
  context.skip(!testDatabaseUrl, needsServer);
  await using t = await setUp({ items: 40 });
  const db = await openCatalogAt(t.location, { ...childOptions, connections: 8 });
  const ids = Array.from({ length: 40 }, (_, i) => `m${i + 1}`);
  await Promise.all([claimAll(db, ['a', 'b', 'c']), ...ids.map((id) => deleteMedia(db, t.workspaceId, id))]);
  // A connection counts what it saw at the latest when it ends.
  await db.destroy();
  const count = sql<{ deadlocks: number }>`select deadlocks from pg_stat_database where datname = current_database()`;
  await delay(100);
  expect((await count.execute(t.db)).rows).toEqual([{ deadlocks: 0 }]);
  expect(await t.db.selectFrom('jobs').selectAll().execute()).toEqual([]);
  expect(await findWrongTotals(t.db)).toEqual([]);
});

test('a job is given up after its attempts by whoever claims it', async (context) => {
  context.skip(!testDatabaseUrl, needsServer);
  await using t = await openTestCatalog('postgres');
  const media = await t.add(`${randomUUIDv7()}.mp4`);
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    expect((await claim(t.db, 'a')).attempts).toBe(attempt);
    await sql`update jobs set lease_until = '2026'`.execute(t.db);
  }
  expect(await Promise.all(['a', 'b', 'c'].map((name) => claimJob(t.db, name)))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(await reload(t.db, media)).toMatchObject({ status: 'error', error_code: 'indexing_failed' });
});
