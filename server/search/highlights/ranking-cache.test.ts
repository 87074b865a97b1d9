import { readdir, truncate } from 'node:fs/promises';
import { toUnit } from '@media-search/search-engine/vectors';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { createWorkspace } from '../../catalog/accounts/workspaces.ts';
import { beginTimeline } from '../../catalog/media/timelines.ts';
import { createSecrets } from '../../platform/crypto/secrets.ts';
import { type Backend, backends, openFresh } from '../../testing/fresh-catalog.ts';
import { seedChunks } from '../../testing/seed-chunks.ts';
import { readCacheFile } from './cache-file.ts';
import { rankFiltered, updateRankings } from './rank-chunks.ts';
import { createRankingCache } from './ranking-cache.ts';

const embedder = 'test@1';
const dimensions = 16;

/** Rankings of a new workspace, counting how often they were refreshed. */
async function setUp(backend: Backend = 'sqlite') {
  const folder = await temporaryFolder();
  const catalog = await openFresh(backend);
  const { db } = catalog;
  // As a start does.
  await beginTimeline(db);
  const { id } = await createWorkspace(db, createSecrets(new Uint8Array(32)), { workspace: 'Test', owner: 'Tester' });
  const counted = { passes: 0 };
  const open = () =>
    createRankingCache({
      db,
      directory: folder.file('indexes'),
      update: async (workspaceId, embedderId, file) => {
        counted.passes += 1;
        await updateRankings(db, workspaceId, embedderId, file);
      },
    });
  return {
    db,
    counted,
    folder,
    workspaceId: id,
    open,
    add: (count: number) => seedChunks(db, id, embedder, { count, perItem: 10 }, () => ({ vector: randomVector() })),
    computed: async (method: 'knn' | 'lof' | 'centroid') => {
      const { numbers, scores } = await rankFiltered(db, id, embedder, {}, method);
      return { numbers, scores };
    },
    async [Symbol.asyncDispose]() {
      await catalog[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const randomVector = (): Float32Array => toUnit(Array.from({ length: dimensions }, () => Math.random() - 0.5));

test('cached rankings equal freshly computed ones, also after changes and a restart', async () => {
  await using t = await setUp();
  await t.add(2100);
  for (const open of [t.open, t.open]) {
    const numbers = await t.add(60);
    await t.db.deleteFrom('chunks').where('number', 'in', numbers.slice(0, 7)).execute();
    await t.db
      .updateTable('chunks')
      .set({ blank: 1 })
      .where('number', '=', numbers.at(-1) as number)
      .execute();
    const kept = await open().read(t.workspaceId, embedder);
    for (const method of ['knn', 'lof', 'centroid'] as const) expect(kept?.[method]).toEqual(await t.computed(method));
  }
  // A graph that an earlier version saved is read by these names.
  const graph = await readCacheFile(t.db, t.folder.file(`indexes/${t.workspaceId}/test-1.rankings.graph`));
  expect(Object.keys(graph ?? {}).toSorted()).toEqual(['distances', 'horizons', 'neighbors', 'numbers']);
});

test('a request does not wait for a few changes; they are added in the background', async () => {
  await using t = await setUp();
  await t.add(2100);
  const rankings = t.open();
  const first = await rankings.read(t.workspaceId, embedder);
  const [added] = await t.add(1);
  expect(await rankings.read(t.workspaceId, embedder)).toBe(first);
  await rankings.refresh(t.workspaceId, embedder);
  const second = await rankings.read(t.workspaceId, embedder);
  expect(second?.knn.numbers).toContain(added);
  expect(second).toBe(await rankings.read(t.workspaceId, embedder));
  // For many changes the request waits.
  const more = await t.add(200);
  expect((await rankings.read(t.workspaceId, embedder))?.knn.numbers).toEqual(expect.arrayContaining(more));
});

test('many requests at once cause two refreshes, not one each', async () => {
  await using t = await setUp();
  await t.add(2100);
  const rankings = t.open();
  await Promise.all(Array.from({ length: 50 }, () => rankings.refresh(t.workspaceId, embedder)));
  expect(t.counted.passes).toBeLessThanOrEqual(2);
});

test.runIf(backends.includes('postgres'))('what one process computed, others read', async () => {
  await using t = await setUp('postgres');
  await t.add(2100);
  await using other = await temporaryFolder();
  const elsewhere = createRankingCache({
    db: t.db,
    directory: other.file('indexes'),
    update: () => Promise.reject(new Error('It was computed already.')),
  });
  const computed = await t.open().read(t.workspaceId, embedder);
  expect(await elsewhere.read(t.workspaceId, embedder)).toEqual(computed);
  // Two at once: the second finds what the first has stored.
  await t.add(100);
  const first = t.open();
  await Promise.all([first.refresh(t.workspaceId, embedder), t.open().refresh(t.workspaceId, embedder)]);
  const again = await first.read(t.workspaceId, embedder);
  expect(again?.knn.numbers).toHaveLength(2200);
  expect(await elsewhere.read(t.workspaceId, embedder)).toEqual(again);
});

test('small workspaces have no cache, damaged files are recomputed, files of another embedder are removed', async () => {
  await using t = await setUp();
  await t.add(100);
  expect(await t.open().read(t.workspaceId, embedder)).toBeNull();
  await t.open().refresh(t.workspaceId, embedder);
  expect(t.counted.passes).toBe(0);
  await t.add(2000);
  await t.open().read(t.workspaceId, embedder);
  const [name] = await readdir(t.folder.file(`indexes/${t.workspaceId}`));
  for (const file of [name, `${name}.graph`]) {
    await truncate(t.folder.file(`indexes/${t.workspaceId}/${file}`), 1000);
    expect((await t.open().read(t.workspaceId, embedder))?.lof).toEqual(await t.computed('lof'));
  }
  await seedChunks(t.db, t.workspaceId, 'other@1', { count: 2000, perItem: 10 }, () => ({ vector: randomVector() }));
  await t.open().read(t.workspaceId, 'other@1');
  expect(await readdir(t.folder.file(`indexes/${t.workspaceId}`))).toEqual([
    'other-1.rankings',
    'other-1.rankings.graph',
  ]);
});
