import { setTimeout as delay } from 'node:timers/promises';
import { CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import { Pool } from 'pg';
import { expect, test, vi } from 'vitest';
import { renameWorkspace } from '../../catalog/accounts/workspaces.ts';
import { setTargetEmbedder } from '../../catalog/embedders.ts';
import { releaseJob } from '../../catalog/queue/job-queue.ts';
import type { Database } from '../../catalog/schema.ts';
import { endConnections, needsServer, temporaryDatabase, testDatabaseUrl } from '../../testing/temporary-database.ts';
import { claim, openTestCatalog } from '../../testing/test-catalog.ts';
import { createPostgresPubSub } from './postgres-pubsub.ts';
import { createMemoryPubSub } from './pubsub.ts';

const log = { error: vi.fn(), warn: () => undefined };

const openPool = (url: string) =>
  new Kysely<Database>({ dialect: new PostgresDialect({ pool: new Pool({ connectionString: url, max: 2 }) }) });

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
  await vi.waitFor(() => expect(heard).toEqual(['exports one', 'shares two']));
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
  await using database = await temporaryDatabase();
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
  await vi.waitFor(() => expect(heard.toSorted()).toEqual(['here one', 'there one']));
  await expect(
    db.transaction().execute(async (transaction) => {
      await here.publish(transaction, 'shares', 'never');
      throw new Error('rolled back');
    }),
  ).rejects.toThrow('rolled back');
  await here.publish(db, 'shares', '');
  await vi.waitFor(() => expect(heard.slice(2).toSorted()).toEqual(['here ', 'there ']));
  await Promise.all([here.stop(), there.stop(), db.destroy()]);
});

test('after its connection was ended, a listener reports the gap and hears again', async (context) => {
  context.skip(!testDatabaseUrl, needsServer);
  await using database = await temporaryDatabase();
  const db = openPool(database.url);
  const pubsub = await createPostgresPubSub(database.url, log);
  const heard: string[] = [];
  let gaps = 0;
  pubsub.subscribe('jobs', (id) => heard.push(id));
  pubsub.onGap(() => (gaps += 1));
  expect(await endConnections(database.name, 'media-search notices')).toBe(1);
  await vi.waitFor(() => expect(gaps).toBe(1), 10_000);
  await pubsub.publish(db, 'jobs', 'after');
  await vi.waitFor(() => expect(heard).toEqual(['after']));
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
    await vi.waitFor(() => expect(heard.at(-1)).toBe('jobs last'));
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
