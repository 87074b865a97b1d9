import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdir, rm } from 'node:fs/promises';
import { sql } from 'kysely';
import { describe, expect, test, vi } from 'vitest';
import { createRandom, drawVector } from '../../packages/search-engine/testing/random.ts';
import { parseStorageUrl, type StorageSettings } from '../assets/storage-settings.ts';
import { openCatalogAt, serviceOptions } from '../catalog/catalog-location.ts';
import { createLabel, updateLabel } from '../catalog/labels/labels.ts';
import { changeMedia, deleteMedia } from '../catalog/media/media-items.ts';
import { beginTimeline } from '../catalog/media/timelines.ts';
import { readWorkspaceState } from '../catalog/media/workspace-state.ts';
import type { Catalog } from '../catalog/schema.ts';
import { startS3Server, testAccount } from '../testing/s3-server.ts';
import { searchOptions, setUpSearch, textEmbedder } from '../testing/search-setup.ts';
import { seedChunks } from '../testing/seed-chunks.ts';
import { testDatabaseUrl } from '../testing/temporary-database.ts';
import { createIndexRanker, type IndexRankerParts } from './index-ranker.ts';
import { createPostgresRanker } from './postgres/postgres-ranker.ts';
import { createSearchEngine } from './search-engine.ts';

/** So many that an index is saved, and few enough that nothing saves it before its process stops. */
const savedChunks = 2050;

const random = createRandom(33);
const draw = (): Float32Array => drawVector(random, textEmbedder.dimensions);

/** A catalog in PostgreSQL, and what would be processes of a service: each has connections, threads and indexes of its own. */
async function setUp() {
  const t = await setUpSearch('postgres');
  if (!('url' in t.location)) throw new Error('The catalog is not in PostgreSQL.');
  const { url } = t.location;
  await beginTimeline(t.db);
  const opened: { stop(): Promise<void> }[] = [];
  return {
    ...t,
    url,
    seed: (workspaceId: string, count: number, text = 'harbour') =>
      seedChunks(t.db, workspaceId, textEmbedder.id, { count, perItem: 5 }, () => ({ vector: draw(), text })),
    async startProcess(changes: Partial<IndexRankerParts> = {}) {
      const db = await openCatalogAt({ url }, serviceOptions);
      const problems: Error[] = [];
      const getEmbedder = () => Promise.resolve(textEmbedder);
      const ranker = createIndexRanker({
        db,
        location: { url },
        indexDirectory: t.folder.file('indexes'),
        storage: null,
        maxBytes: 2 ** 30,
        other: createPostgresRanker(db),
        getEmbedder,
        onProblem: (error) => problems.push(error),
        ...changes,
      });
      const engine = createSearchEngine({ db, ranker, getEmbedder });
      let isStopped = false;
      const find = async (workspaceId: string, words: string) =>
        (await engine.searchByText(workspaceId, words, {}, searchOptions(10))).hits.map(({ chunk }) => chunk.number);
      const own = {
        problems,
        report: ranker.report,
        find,
        near: async (workspaceId: string, vector: Float32Array) =>
          (await engine.searchByVector(workspaceId, { vector, embedder: textEmbedder }, {}, searchOptions(10)))?.map(
            ({ chunk }) => chunk.number,
          ),
        /** Searches until the index of a workspace is in memory. */
        load: (workspaceId: string) =>
          vi.waitFor(
            async () => {
              await find(workspaceId, 'harbour');
              expect([...ranker.report().changes.keys()]).toContain(workspaceId);
            },
            { timeout: 20_000, interval: 100 },
          ),
        async stop() {
          if (isStopped) return;
          isStopped = true;
          await engine.stop();
          await db.destroy();
        },
      };
      opened.push(own);
      return own;
    },
    async [Symbol.asyncDispose]() {
      for (const each of opened) await each.stop();
      await t[Symbol.asyncDispose]();
    },
  };
}

const itemOf = async (db: Catalog, number: number) =>
  (await db.selectFrom('chunks').select('media_id').where('number', '=', number).executeTakeFirstOrThrow()).media_id;

/** Deletes the vectors of all chunks, and tells nobody: an index that is built from then on finds nothing by a vector. */
async function forgetVectors(db: Catalog): Promise<void> {
  await db.connection().execute(async (connection) => {
    await sql`set session_replication_role = replica`.execute(connection);
    await connection.deleteFrom('chunk_vectors').execute();
    await sql`reset session_replication_role`.execute(connection);
  });
}

/** Ends all leases, as time does. */
const endLeases = (db: Catalog) =>
  db.updateTable('saved_indexes').set({ lease_until: '2020-01-01T00:00:00.000Z' }).execute();

describe.skipIf(testDatabaseUrl === undefined)('search indexes of several processes over PostgreSQL', () => {
  test('what is stored, relabelled or deleted by one is found so by the next search of each', async () => {
    await using t = await setUp();
    const { db } = t;
    const mine = await t.addWorkspace('Mine');
    await t.seed(mine, 100);
    const processes = [await t.startProcess(), await t.startProcess()];
    for (const each of processes) await each.load(mine);
    const before = processes.map(({ report }) => report().ranked);
    const [memory = 0] = before.map((ranked) => ranked.memory);
    const all = (words: string) => Promise.all(processes.map(({ find }) => find(mine, words)));
    const ana = (await createLabel(db, 'creators', mine, { name: 'Zanzibar' }))?.id ?? '';
    for (let round = 0; round < 5; round++) {
      const word = `q${randomUUID().replaceAll('-', '')}`;
      const [number = 0] = await seedChunks(db, mine, textEmbedder.id, { count: 1, perItem: 1 }, () => ({
        vector: draw(),
        text: word,
      }));
      expect(await all(word)).toEqual([[number], [number]].map((own) => expect.arrayContaining(own)));
      for (const hits of await all(`"${word}"`)) expect(hits).toEqual([number]);
      const id = await itemOf(db, number);
      await changeMedia(db, mine, id, { creator_id: ana });
      for (const hits of await all('zanzibar')) expect(hits[0]).toBe(number);
      const name = `Kilimandjaro${round}`;
      await updateLabel(db, 'creators', mine, ana, { name });
      for (const hits of await all(name)) expect(hits[0]).toBe(number);
      for (const hits of await all('"zanzibar"')) expect(hits).toEqual([]);
      await updateLabel(db, 'creators', mine, ana, { name: 'Zanzibar' });
      await deleteMedia(db, mine, id);
      for (const hits of await all(word)) expect(hits).not.toContain(number);
    }
    // By the indexes: the database ranks only where one does not follow within a second.
    for (const { report } of processes) expect(report().ranked.memory - memory).toBeGreaterThan(20);
    for (const { problems } of processes) expect(problems).toEqual([]);
  });

  test('what one process has built another loads, follows from there, and does not write', async () => {
    await using t = await setUp();
    const mine = await t.addWorkspace('Mine');
    const numbers = await t.seed(mine, savedChunks);
    const vectors = await t.db.selectFrom('chunk_vectors').select('chunk_number').execute();
    expect(vectors).toHaveLength(savedChunks);
    const first = await t.startProcess();
    await first.load(mine);
    await first.stop();
    expect(await readdir(t.folder.file(`indexes/${mine}`))).toEqual(['text-1.index']);
    await forgetVectors(t.db);
    const vector = draw();
    const [later = 0] = await seedChunks(t.db, mine, textEmbedder.id, { count: 1, perItem: 1 }, () => ({
      vector,
      text: 'later',
    }));
    // The first process after it is the owner, and holds the index as long as it runs.
    const owner = await t.startProcess();
    await owner.load(mine);
    const follower = await t.startProcess();
    await follower.load(mine);
    for (const { near, report } of [owner, follower]) {
      const found = (await near(mine, vector)) ?? [];
      expect(found[0]).toBe(later);
      expect(found).toHaveLength(10);
      expect(found.slice(1).every((number) => numbers.includes(number))).toBe(true);
      expect(report().loaded).toBe(1);
    }
  });

  test('one process builds a large index; when it is killed another does, after the lease', async () => {
    await using t = await setUp();
    const mine = await t.addWorkspace('Mine');
    await t.seed(mine, savedChunks);
    const program = new URL('../testing/index-owner.ts', import.meta.url);
    const owner = fork(program, [t.url, t.folder.file('indexes'), mine]);
    expect((await once(owner, 'message'))[0]).toBe('built');
    const second = await t.startProcess();
    for (let i = 0; i < 5; i++) {
      expect(await second.find(mine, 'harbour')).toHaveLength(10);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    // It was asked for, and has not been built twice.
    expect(second.report()).toMatchObject({ loaded: 0, ranked: { memory: 0, database: 5 } });
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    expect(await readdir(t.folder.file('indexes')).catch(() => [])).toEqual([]);
    await endLeases(t.db);
    await second.load(mine);
    expect(await second.find(mine, 'harbour')).toHaveLength(10);
    expect(second.report().ranked.memory).toBeGreaterThan(0);
    expect(second.problems).toEqual([]);
  });

  test('with a bucket the owner stores its index there, and another machine loads it; the one before is removed', async () => {
    await using t = await setUp();
    await using server = await startS3Server();
    const { accessKeyId, secretAccessKey } = testAccount;
    const storage: StorageSettings = {
      ...(parseStorageUrl('s3://media/some/folder') as Pick<StorageSettings, 'bucket' | 'prefix'>),
      endpoint: server.url,
      region: null,
      credentials: { accessKeyId, secretAccessKey },
      redirect: false,
      cacheBytes: 2 ** 30,
      idleMs: 3000,
    };
    const mine = await t.addWorkspace('Mine');
    await t.seed(mine, savedChunks);
    for (const [round, machine] of ['a', 'b'].entries()) {
      const each = await t.startProcess({ storage, indexDirectory: t.folder.file(machine) });
      await each.load(mine);
      await t.seed(mine, 5, `round ${round}`);
      expect(await each.find(mine, `"round ${round}"`)).toHaveLength(5);
      await each.stop();
      expect(each.problems).toEqual([]);
      const names = [...server.objects.keys()];
      expect(names).toHaveLength(1);
      const { file } = await t.db.selectFrom('saved_indexes').select('file').executeTakeFirstOrThrow();
      expect(names[0]).toBe(`some/folder/indexes/${file}`);
    }
    await rm(t.folder.file('a'), { recursive: true });
    await forgetVectors(t.db);
    const third = await t.startProcess({ storage, indexDirectory: t.folder.file('a') });
    await third.load(mine);
    expect(await third.near(mine, draw())).toHaveLength(10);
    expect(await third.find(mine, '"round 0"')).toHaveLength(5);
    expect(third.problems).toEqual([]);
  });

  test('workspaces that are asked for at the same time are loaded only as far as there is room', async () => {
    await using t = await setUp();
    const ids: string[] = [];
    for (const name of ['A', 'B', 'C']) ids.push(await t.addWorkspace(name));
    for (const id of ids) await t.seed(id, 200);
    const each = await t.startProcess({ maxBytes: 120_000 });
    await Promise.all(ids.map((id) => each.find(id, 'harbour')));
    await vi.waitFor(() => expect(each.report().changes.size).toBe(1), { timeout: 20_000 });
    await Promise.all(ids.map((id) => each.find(id, 'harbour')));
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(each.report()).toMatchObject({ loaded: 1, closed: 0 });
    expect(each.problems).toEqual([]);
  });

  test('changes that a standby lost when it took over are not waited for, and what has their numbers is found', async () => {
    await using t = await setUp();
    const { db } = t;
    const mine = await t.addWorkspace('Mine');
    await t.seed(mine, 50);
    const each = await t.startProcess();
    await each.load(mine);
    const before = await readWorkspaceState(db, mine);
    const lost = await t.seed(mine, 25, 'lost');
    expect(await each.find(mine, '"lost"')).toHaveLength(10);
    await db.connection().execute(async (connection) => {
      await sql`set session_replication_role = replica`.execute(connection);
      for (const table of ['chunk_segments', 'chunk_vectors'] as const)
        await connection.deleteFrom(table).where('chunk_number', 'in', lost).execute();
      await connection
        .deleteFrom('media_items')
        .where('id', 'in', (e) => e.selectFrom('chunks').select('media_id').where('number', 'in', lost))
        .execute();
      await connection.deleteFrom('chunks').where('number', 'in', lost).execute();
      await sql`delete from item_changes where workspace_id = ${mine} and sequence > ${before.change}`.execute(
        connection,
      );
      await sql`update workspace_changes set last = ${before.change}, labels = ${before.labels} where workspace_id = ${mine}`.execute(
        connection,
      );
      await sql`reset session_replication_role`.execute(connection);
    });
    const [number = 0] = await t.seed(mine, 1, 'later');
    const memory = each.report().ranked.memory;
    expect(await each.find(mine, '"later"')).toEqual([number]);
    expect(await each.find(mine, '"lost"')).toEqual([]);
    expect(each.report().ranked.memory).toBeGreaterThan(memory);
    expect((await readWorkspaceState(db, mine)).change).toBe(each.report().changes.get(mine));
    expect(each.problems).toEqual([]);
  });

  test('a workspace beyond the budget is ranked by the database, and the one that was not searched for longest makes room', async () => {
    await using t = await setUp();
    const ids: string[] = [];
    for (const name of ['A', 'B', 'C']) ids.push(await t.addWorkspace(name));
    const [a = '', b = '', large = ''] = ids;
    for (const id of [a, b]) await t.seed(id, 200);
    await t.seed(large, 1500);
    // What an index takes is estimated first, at more than these short texts need.
    const maxBytes = 200_000;
    const each = await t.startProcess({ maxBytes });
    await each.load(a);
    await each.load(b);
    for (let i = 0; i < 3; i++) expect(await each.find(large, 'harbour')).toHaveLength(10);
    await vi.waitFor(() => expect(each.report().ranked.database).toBeGreaterThanOrEqual(3), 20_000);
    expect([...each.report().changes.keys()].toSorted()).toEqual([a, b].toSorted());
    // One that grows beyond the budget leaves; what was searched before is found by the database from then on.
    await t.seed(b, 1200);
    expect(await each.find(b, 'harbour')).toHaveLength(10);
    await vi.waitFor(() => expect(each.report().bytes).toBeLessThanOrEqual(maxBytes), 20_000);
    expect(await each.find(b, 'harbour')).toHaveLength(10);
    expect(each.report().closed).toBeGreaterThan(0);
    expect(each.problems).toEqual([]);
  });
});
