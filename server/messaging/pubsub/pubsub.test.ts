import { setTimeout as delay } from 'node:timers/promises';
import { CompiledQuery, Kysely, PostgresDialect, sql } from 'kysely';
import { Client } from 'pg';
import { expect, test, vi } from 'vitest';
import { renameWorkspace } from '../../catalog/accounts/workspaces.ts';
import { setTargetEmbedder } from '../../catalog/embedders.ts';
import { createPool } from '../../catalog/postgres/pool.ts';
import { releaseJob } from '../../catalog/queue/job-queue.ts';
import type { Database } from '../../catalog/schema.ts';
import { openEmptyDatabase } from '../../testing/fresh-catalog.ts';
import { endConnections, needsServer, testDatabaseUrl } from '../../testing/temporary-database.ts';
import { claim, openTestCatalog } from '../../testing/test-catalog.ts';
import { createPostgresPubSub } from './postgres-pubsub.ts';
import { createMemoryPubSub } from './pubsub.ts';

const log = { error: vi.fn(), warn: () => undefined };

const openPool = (url: string) => new Kysely<Database>({ dialect: new PostgresDialect({ pool: createPool(url, 2) }) });

/** Counts the transactions by which notices come, as the server's processes do. */
async function countNotifications(url: string) {
  const client = new Client(url);
  await client.connect();
  const heard: string[] = [];
  client.on('notification', ({ payload = '' }) => heard.push(payload));
  await client.query('listen media_search');
  return { heard, [Symbol.asyncDispose]: () => client.end() };
}

test('a notice reaches the subscribers of its channel, whatever the others do, until they leave', async () => {
  const { db } = await openTestCatalog();
  const pubsub = createMemoryPubSub(log);
  const heard: string[] = [];
  pubsub.subscribe('exports', () => {
    throw new Error('broken');
  });
  const leave = pubsub.subscribe('exports', (id) => heard.push(`exports ${id}`));
  pubsub.subscribe('shares', (id) => heard.push(`shares ${id}`));
  await pubsub.publish(db, 'exports', 'one');
  expect(heard).toEqual([]);
  await pubsub.publish(db, 'shares', 'two');
  await vi.waitFor(() => expect(heard).toEqual(['exports one', 'shares two']), 20_000);
  leave();
  await pubsub.publish(db, 'exports', 'three');
  await delay(5);
  expect(heard).toHaveLength(2);
  expect(log.error).toHaveBeenCalled();
  await pubsub.stop();
  await db.destroy();
});

test('a notice reaches all processes when its transaction is committed, and none when it is not', async (context) => {
  context.skip(!testDatabaseUrl, needsServer);
  await using database = await openEmptyDatabase();
  const db = openPool(database.url);
  const [here, there] = [await createPostgresPubSub(database.url, log), await createPostgresPubSub(database.url, log)];
  const heard: string[] = [];
  here.subscribe('shares', (id) => heard.push(`here ${id}`));
  there.subscribe('shares', (id) => heard.push(`there ${id}`));
  await db.transaction().execute(async (transaction) => {
    await here.publish(transaction, 'shares', 'one');
    await delay(50);
    expect(heard).toEqual([]);
  });
  await vi.waitFor(() => expect(heard.toSorted()).toEqual(['here one', 'there one']), 20_000);
  await expect(
    db.transaction().execute(async (transaction) => {
      await here.publish(transaction, 'shares', 'never');
      throw new Error('rolled back');
    }),
  ).rejects.toThrow('rolled back');
  await here.publish(db, 'shares', '');
  await vi.waitFor(() => expect(heard.slice(2).toSorted()).toEqual(['here ', 'there ']), 20_000);
  await Promise.all([here.stop(), there.stop(), db.destroy()]);
});

test('after its connection was ended, a listener reports the gap and hears again', async (context) => {
  context.skip(!testDatabaseUrl, needsServer);
  await using database = await openEmptyDatabase();
  const db = openPool(database.url);
  const pubsub = await createPostgresPubSub(database.url, log);
  const heard: string[] = [];
  let gaps = 0;
  pubsub.subscribe('jobs', (id) => heard.push(id));
  pubsub.onGap(() => (gaps += 1));
  expect(await endConnections(database.name, 'media-search notices')).toBe(1);
  await vi.waitFor(() => expect(gaps).toBe(1), 20_000);
  await pubsub.publish(db, 'jobs', 'after');
  await vi.waitFor(() => expect(heard).toEqual(['after']), 20_000);
  await pubsub.stop();
  // Nothing is left that would listen. Tests beside this one have listeners on databases of their own.
  const { rows } = await db.executeQuery(
    CompiledQuery.raw(
      "select 1 from pg_stat_activity where datname = current_database() and application_name = 'media-search notices'",
    ),
  );
  expect(rows).toEqual([]);
  await db.destroy();
});

test('jobs that can be claimed, changed workspaces and another target are told in their transactions', async (context) => {
  context.skip(!testDatabaseUrl, needsServer);
  await using t = await openTestCatalog('postgres');
  const pubsub = await createPostgresPubSub((t.location as { url: string }).url, log);
  let heard: string[] = [];
  for (const channel of ['jobs', 'workspace', 'models'] as const) {
    pubsub.subscribe(channel, (id) => heard.push(`${channel} ${id}`.trim()));
  }
  const expectNotices = async (expected: string[], ignored: string[] = []) => {
    await pubsub.publish(t.db, 'jobs', 'last');
    await vi.waitFor(() => expect(heard.at(-1)).toBe('jobs last'), 20_000);
    expect(heard.slice(0, -1).filter((notice) => !ignored.includes(notice))).toEqual(expected);
    heard = [];
  };
  await t.add();
  await expectNotices(['jobs']);
  const job = await claim(t.db, 'a');
  await expectNotices([]);
  await releaseJob(t.db, job, 'stopped');
  await expectNotices(['jobs']);
  await releaseJob(t.db, await claim(t.db, 'a'), 'machine failed');
  await expectNotices([]);
  await renameWorkspace(t.db, t.workspaceId, 'Renamed');
  await expectNotices([`workspace ${t.workspaceId}`]);
  const target = { id: 'new@1', kind: 'descriptors', dimensions: 3 } as const;
  for (const expected of [['models'], []]) {
    await setTargetEmbedder(t.db, target);
    // It looks for items to embed again, and has workspaces keep the embedder that they used.
    await expectNotices(expected, ['jobs', `workspace ${t.workspaceId}`]);
  }
  await pubsub.stop();
});

test('many commits in a moment are told by few notices, at once where it was quiet, and no trigger calls NOTIFY', async (context) => {
  context.skip(!testDatabaseUrl, needsServer);
  await using t = await openTestCatalog('postgres');
  const { url } = t.location as { url: string };
  await using notices = await countNotifications(url);
  const waits: number[] = [];
  // Beside other work of the machine one may come late.
  while (waits.length < 10 && !waits.some((ms) => ms < 150)) {
    await delay(300);
    notices.heard.length = 0;
    const asked = performance.now();
    await renameWorkspace(t.db, t.workspaceId, `First ${waits.length}`);
    await vi.waitFor(() => expect(notices.heard).toContain(`workspace ${t.workspaceId}`), {
      interval: 5,
      timeout: 20_000,
    });
    waits.push(performance.now() - asked);
  }
  expect(Math.min(...waits)).toBeLessThan(150);
  await delay(300);
  notices.heard.length = 0;
  const begun = performance.now();
  for (let i = 0; i < 200; i++) await renameWorkspace(t.db, t.workspaceId, `Name ${i}`);
  const tookMs = performance.now() - begun;
  await delay(300);
  expect(notices.heard.length).toBeGreaterThan(0);
  expect(notices.heard.length).toBeLessThanOrEqual(2 + tookMs / 200);
  const { rows } = await sql`select proname from pg_proc
    where pronamespace = current_schema()::regnamespace and prosrc like '%pg_notify%'`.execute(t.db);
  expect(rows).toEqual([]);
});

test('a process that ends tells before what it committed last', async (context) => {
  context.skip(!testDatabaseUrl, needsServer);
  await using t = await openTestCatalog('postgres');
  const { url } = t.location as { url: string };
  await using notices = await countNotifications(url);
  const db = openPool(url);
  for (const name of ['one', 'two', 'three']) {
    await db.updateTable('workspaces').set({ name }).where('id', '=', t.workspaceId).execute();
    await sql`select tell_processes(${`exports ${name}`})`.execute(db);
  }
  await db.destroy();
  await vi.waitFor(
    () => expect(notices.heard).toEqual(expect.arrayContaining(['exports one', 'exports three'])),
    20_000,
  );
});

test('what a transaction told that failed is not told by the next one of its connection', async (context) => {
  context.skip(!testDatabaseUrl, needsServer);
  await using t = await openTestCatalog('postgres');
  const { url } = t.location as { url: string };
  await using notices = await countNotifications(url);
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: createPool(url, 1) }) });
  const tell = (executor: Kysely<Database>, notice: string) => sql`select tell_processes(${notice})`.execute(executor);
  await expect(
    db.transaction().execute(async (transaction) => {
      await tell(transaction, 'exports rolled-back');
      await sql`select 1 / 0`.execute(transaction);
    }),
  ).rejects.toThrow('division by zero');
  await expect(sql`select tell_processes('exports failed'), 1 / (random() * 0)::int`.execute(db)).rejects.toThrow();
  await tell(db, 'exports stored');
  await db.destroy();
  await vi.waitFor(() => expect(notices.heard).toContain('exports stored'), 20_000);
  expect(notices.heard).toEqual(['exports stored']);
});
