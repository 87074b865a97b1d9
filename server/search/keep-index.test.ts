import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import type { KyselyPlugin } from 'kysely';
import { expect, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { type BuiltIndex, createBuiltIndex } from '../../packages/search-engine/builder/built-index.ts';
import { catchUp } from '../../packages/search-engine/builder/follow-source.ts';
import { saveIndex } from '../../packages/search-engine/builder/index-file.ts';
import { unshared } from '../../packages/search-engine/builder/index-sharing.ts';
import type { IndexSource } from '../../packages/search-engine/builder/index-source.ts';
import { keepIndex } from '../../packages/search-engine/builder/keep-index.ts';
import { readLinked } from '../../packages/search-engine/index/index-memory.ts';
import { hasSlot } from '../../packages/search-engine/index/slot-set.ts';
import { createRandom, drawClusters } from '../../packages/search-engine/testing/random.ts';
import { createWorkspace } from '../catalog/accounts/workspaces.ts';
import { readLastChange } from '../catalog/media/item-changes.ts';
import { beginTimeline } from '../catalog/media/timelines.ts';
import { openCatalog } from '../catalog/open-catalog.ts';
import type { Catalog } from '../catalog/schema.ts';
import { createSecrets } from '../platform/crypto/secrets.ts';
import { seedChunks } from '../testing/seed-chunks.ts';
import { createIndexSource } from './index-source.ts';

const dimensions = 8;
const embedder = { id: 'test@1', dimensions };
/** Threads that link have the lowest priority: beside tests that use all cores they get hardly any time, ms. */
const linkingTimeout = 200_000;

/** What a keeper published. */
type Published = { indexId: string; slotCount: number; change: number; segments: number };

/** A catalog with a workspace, and keepers of its index. */
async function setUp() {
  const folder = await temporaryFolder();
  const db = await openCatalog(folder.file('catalog.db'));
  await beginTimeline(db);
  const names = { workspace: 'Test', owner: 'Tester' };
  const { id: workspaceId } = await createWorkspace(db, createSecrets(new Uint8Array(32)), names);
  const random = createRandom(9);
  const file = folder.file('indexes/test.index');
  let current: BuiltIndex | undefined;
  return {
    db,
    workspaceId,
    file,
    folder,
    /** The index that was published last. */
    index: () => current as BuiltIndex,
    add: (count: number, perItem = 1, text = 'harbour') => {
      const vectors = drawClusters(random, { count, clusters: 10, dimensions });
      return seedChunks(db, workspaceId, embedder.id, { count, perItem }, (i) => ({
        vector: vectors[i] as Float32Array,
        text: `${text} ${i}`,
      }));
    },
    keep: (catalog: Catalog = db, changes: Partial<IndexSource> = {}) => {
      const published: Published[] = [];
      const problems: unknown[] = [];
      const keeper = keepIndex({
        source: { ...createIndexSource(catalog), ...changes },
        key: { workspaceId, embedder },
        file,
        sharing: unshared,
        publish(index) {
          current = index;
          const { indexId, slotCount, change, textSegments } = index;
          published.push({ indexId, slotCount, change, segments: textSegments.length });
          // Whatever searches see, they see with its texts.
          const last = textSegments.at(-1);
          expect(last ? last.firstSlot + last.slotCount : 0).toBe(slotCount);
          let next = 0;
          for (const { firstSlot, slotCount } of textSegments) {
            expect(firstSlot).toBe(next);
            next += slotCount;
          }
        },
        report: (error) => problems.push(error),
      });
      return { ...keeper, published, problems };
    },
    async [Symbol.asyncDispose]() {
      await db.destroy();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Counts the rows that are read of chunks and vectors. */
function countRows(): { plugin: KyselyPlugin; rows: () => number } {
  let rows = 0;
  return {
    rows: () => rows,
    plugin: {
      transformQuery: ({ node }) => node,
      transformResult({ result }) {
        if (result.rows.some((row) => 'start_time' in row || 'vector' in row)) rows += result.rows.length;
        return Promise.resolve(result);
      },
    },
  };
}

/** Fails the reads of changes from the `first` on, until it is told to stop. */
function failReadingChanges(first: number): { plugin: KyselyPlugin; stop: () => void } {
  let reads = 0;
  let isFailing = true;
  return {
    stop: () => (isFailing = false),
    plugin: {
      transformQuery({ node }) {
        if (JSON.stringify(node).includes('item_changes')) reads += 1;
        if (isFailing && reads >= first) throw new Error('disk I/O error');
        return node;
      },
      transformResult: ({ result }) => Promise.resolve(result),
    },
  };
}

const saved = (folder: { file(name: string): string }) => readdir(folder.file('indexes')).catch(() => []);

test('a restart reads only what came since, and is not behind in anything', async () => {
  await using t = await setUp();
  const numbers = await t.add(3000, 3);
  const first = t.keep();
  await first.refresh();
  expect(first.published).toMatchObject([{ slotCount: 3000 }]);
  await first.stop();
  expect(await saved(t.folder)).toEqual(['test.index']);
  await t.add(30, 3, 'newer');
  const [second] = await t.db
    .selectFrom('chunks')
    .select('media_id')
    .where('number', '=', numbers[3] as number)
    .execute();
  await t.db
    .deleteFrom('media_items')
    .where('id', '=', second?.media_id ?? '')
    .execute();
  const counter = countRows();
  const again = t.keep(t.db.withPlugin(counter.plugin));
  await again.refresh();
  // Thirty chunks and their vectors, once as missing and perhaps once more as all of their item.
  expect(counter.rows()).toBeGreaterThanOrEqual(60);
  expect(counter.rows()).toBeLessThanOrEqual(120);
  expect(again.published).toMatchObject([{ slotCount: 3030 }]);
  expect(t.index().deletedCount).toBe(3);
  expect(t.index().change).toBe(await readLastChange(t.db, t.workspaceId));
  await again.stop();
});

test('an index of another history is rebuilt, and so is a damaged one', async () => {
  await using t = await setUp();
  await t.add(2100);
  const first = t.keep();
  await first.refresh();
  await first.stop();
  const bytes = await readFile(t.file);
  for (const damage of [Buffer.alloc(bytes.length), bytes.subarray(0, 5000), Buffer.from(bytes).fill(7, 100, 101)]) {
    await writeFile(t.file, damage);
    const counter = countRows();
    const again = t.keep(t.db.withPlugin(counter.plugin));
    await again.refresh();
    expect(counter.rows()).toBeGreaterThanOrEqual(2 * 2100);
    expect(again.published).toMatchObject([{ slotCount: 2100 }]);
    await again.discard();
  }
  // Something else in its place is reported, and does no harm.
  await rm(t.file, { force: true });
  await mkdir(t.file);
  const beside = t.keep();
  await beside.refresh();
  expect(beside.published).toMatchObject([{ slotCount: 2100 }]);
  await rm(t.file, { recursive: true });
  // Saved, and then an older copy of the catalog was restored, in which those changes never were.
  await writeFile(t.file, bytes);
  await t.db.deleteFrom('timelines').execute();
  await beginTimeline(t.db);
  const counter = countRows();
  await t.keep(t.db.withPlugin(counter.plugin)).refresh();
  expect(counter.rows()).toBeGreaterThanOrEqual(2 * 2100);
});

test('what an update took over before it failed is published by the next one', async () => {
  await using t = await setUp();
  await t.add(120);
  for (const failing of [1, 2, 3, 4]) {
    const failure = failReadingChanges(failing);
    const keeper = t.keep(t.db.withPlugin(failure.plugin));
    await expect(keeper.refresh()).rejects.toThrow('disk I/O error');
    failure.stop();
    await keeper.refresh();
    expect(keeper.published).toMatchObject([{ slotCount: 120, change: await readLastChange(t.db, t.workspaceId) }]);
    await keeper.stop();
  }
});

test('an index that cannot be saved is reported, followed on, and saved once that is possible', async () => {
  await using t = await setUp();
  await writeFile(t.folder.file('indexes'), 'a file where the folder should be');
  await t.add(5200);
  const keeper = t.keep();
  await keeper.refresh();
  await vi.waitFor(() => expect(keeper.problems).toHaveLength(1), 50_000);
  expect(String(keeper.problems[0])).toMatch(/EEXIST|ENOTDIR/);
  await t.add(10);
  await keeper.refresh();
  expect(keeper.published.at(-1)).toMatchObject({ slotCount: 5210 });
  await rm(t.folder.file('indexes'));
  await t.add(10);
  await keeper.refresh();
  await keeper.stop();
  expect(await saved(t.folder)).toEqual(['test.index']);
  const counter = countRows();
  await t.keep(t.db.withPlugin(counter.plugin)).refresh();
  expect(counter.rows()).toBe(0);
});

test('texts are merged in the background, while others are added', async () => {
  await using t = await setUp();
  const keeper = t.keep();
  // Merging takes longer than adding, so both go on at the same time.
  const counts = [1500, 1000, ...Array<number>(40).fill(30), 1500, 300, 300];
  for (const count of counts) {
    await t.add(count, 10, 'lighthouse harbour sextant walrus');
    await keeper.refresh();
  }
  await vi.waitFor(() => expect(t.index().textSegments.length).toBeLessThan(8), 50_000);
  expect(t.index().slotCount).toBe(counts.reduce((sum, count) => sum + count, 0));
  expect(keeper.published.length).toBeGreaterThan(counts.length);
  // The checks in `publish` failed nowhere.
  expect(keeper.problems).toEqual([]);
  // Whatever was published last holds all changes.
  expect(keeper.published.at(-1)?.change).toBe(t.index().change);
  await keeper.stop();
});

test('after many deletions the index is built again without them', async () => {
  await using t = await setUp();
  await t.add(5900);
  const keeper = t.keep();
  await keeper.refresh();
  const before = keeper.published[0]?.indexId;
  await t.db
    .deleteFrom('media_items')
    .where('id', 'in', (query) => query.selectFrom('chunks').select('media_id').orderBy('number').limit(5200))
    .execute();
  await keeper.refresh();
  expect(keeper.published.at(-1)).toMatchObject({ slotCount: 5900, indexId: before });
  expect(t.index().deletedCount).toBe(5200);
  await vi.waitFor(() => expect(keeper.published.at(-1)).toMatchObject({ slotCount: 700 }), 50_000);
  expect(keeper.published.at(-1)?.indexId).not.toBe(before);
  expect(t.index().deletedCount).toBe(0);
  // It is the one that follows from now on.
  await t.add(10);
  await keeper.refresh();
  expect(keeper.published.at(-1)).toMatchObject({ slotCount: 710 });
  expect(keeper.problems).toEqual([]);
  await keeper.stop();
});

test('a large index gets a graph, is saved with it, and a restart links only what came since', async () => {
  await using t = await setUp();
  await t.add(6500, 5);
  const keeper = t.keep();
  await keeper.refresh();
  await vi.waitFor(() => expect(readLinked(t.index().open.header)).toBe(6500), linkingTimeout);
  await keeper.stop();
  await t.add(5);
  const again = t.keep();
  await again.refresh();
  expect(readLinked(t.index().open.header)).toBeGreaterThanOrEqual(6500);
  expect(hasSlot({ words: t.index().open.deleted }, 6500)).toBe(false);
  await vi.waitFor(() => expect(readLinked(t.index().open.header)).toBe(6505), linkingTimeout);
  await again.stop();
}, 420_000);

test('a graph that lacks many slots is linked by one set of threads, whatever is stored meanwhile', async () => {
  await using t = await setUp();
  await t.add(7000, 100);
  const key = { workspaceId: t.workspaceId, embedder };
  const source = createIndexSource(t.db);
  const unlinked = createBuiltIndex(key);
  await catchUp(source, unlinked, new AbortController().signal);
  await saveIndex(t.file, unlinked, { timeline: await source.readTimeline(), change: unlinked.change });
  let threads = 0;
  const note = () => (threads += 1);
  subscribe('worker_threads', note);
  onTestFinished(() => void unsubscribe('worker_threads', note));
  const keeper = t.keep();
  await keeper.refresh();
  // The graph is begun by this thread, then others take their parts.
  await vi.waitFor(() => expect(threads).toBeGreaterThan(0), { interval: 1, timeout: linkingTimeout });
  for (let i = 0; i < 5; i++) {
    await t.add(1);
    await keeper.refresh();
  }
  await vi.waitFor(() => expect(readLinked(t.index().open.header)).toBe(7005), { timeout: linkingTimeout });
  expect(threads).toBeLessThanOrEqual(availableParallelism());
  await keeper.stop();
  expect(keeper.problems).toEqual([]);
}, 420_000);

test('the index of an embedder that is no longer active is removed, and published no more', async () => {
  await using t = await setUp();
  await t.add(2500);
  const first = t.keep();
  await first.refresh();
  await first.stop();
  expect(await saved(t.folder)).toEqual(['test.index']);
  const keeper = t.keep();
  await keeper.refresh();
  await keeper.discard();
  expect(await saved(t.folder)).toEqual([]);
  const { length } = keeper.published;
  await t.add(5);
  await expect(keeper.refresh()).rejects.toThrow(/abort/);
  expect(keeper.published).toHaveLength(length);
  expect(await saved(t.folder)).toEqual([]);
});

test('an index of a source in whose place another copy came is dropped, and what it had saved as well', async () => {
  await using t = await setUp();
  await t.add(2500);
  let identity = 'one';
  const first = t.keep();
  await first.refresh();
  await first.stop();
  const keeper = t.keep(t.db, {
    async readIdentity() {
      return identity;
    },
  });
  await keeper.refresh();
  await t.add(5);
  await keeper.refresh();
  expect(new Set(keeper.published.map(({ indexId }) => indexId)).size).toBe(1);
  // As after a failover: the copy lacks the last changes, and has others under their numbers.
  identity = 'two';
  await beginTimeline(t.db);
  await t.db.updateTable('timelines').set({ first_change: 10 }).where('number', '>', 1).execute();
  await keeper.refresh();
  expect(new Set(keeper.published.map(({ indexId }) => indexId)).size).toBe(2);
  expect(t.index().slotCount).toBe(2505);
  await keeper.stop();
  const next = t.keep();
  await next.refresh();
  expect(next.published).toMatchObject([{ slotCount: 2505 }]);
  expect(keeper.problems).toEqual([]);
});
