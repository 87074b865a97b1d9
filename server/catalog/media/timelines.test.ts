import { cp } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../packages/media/testing/temporary-folder.ts';
import { writeSnapshot } from '../../operations/transfer/write-snapshot.ts';
import { createSecrets } from '../../platform/crypto/secrets.ts';
import { createStageTimer } from '../../platform/metrics/stage-timer.ts';
import { rankFiltered, updateRankings } from '../../search/highlights/rank-chunks.ts';
import { createRankingCache } from '../../search/highlights/ranking-cache.ts';
import { startEmbeddedSearch } from '../../testing/memory-search.ts';
import { queryEmbedderOf } from '../../testing/query-embedder.ts';
import { seedChunks } from '../../testing/seed-chunks.ts';
import { createWorkspace, listWorkspaces } from '../accounts/workspaces.ts';
import { openCatalog } from '../open-catalog.ts';
import type { Catalog } from '../schema.ts';
import { readLastChange } from './item-changes.ts';
import { beginTimeline, isInHistory, readPosition, readTimeline } from './timelines.ts';

const embedder = queryEmbedderOf('test@1', 16);

function vectorOf(seed: number): Float32Array {
  const raw = Float32Array.from(
    { length: embedder.dimensions },
    (_, axis) => (Math.sin(seed * 12.9898 + axis * 78.233) * 43758.5453) % 1,
  );
  const length = Math.hypot(...raw);
  return raw.map((value) => value / length);
}

/** A data folder whose service is restarted repeatedly, while its catalog is copied and restored by hand. */
async function setUp() {
  const folder = await temporaryFolder();
  const [catalog, copy] = [folder.file('catalog.db'), folder.file('copy.db')];
  const first = await openCatalog(catalog);
  await createWorkspace(first, createSecrets(new Uint8Array(32)), { workspace: 'Test', owner: 'Tester' });
  await first.destroy();
  let db: Catalog | undefined;
  /** Starts on the catalog as it is, and updates its index and its rankings. */
  async function startOnCatalog() {
    db = await openCatalog(catalog);
    await beginTimeline(db);
    const [workspace] = await listWorkspaces(db);
    const id = workspace?.id ?? '';
    const engine = startEmbeddedSearch({
      db,
      catalogFile: catalog,
      indexDirectory: folder.file('indexes'),
      getEmbedder: () => Promise.resolve(embedder),
      onProblem: (error) => expect.unreachable(error.message),
    });
    await engine.warm(id);
    const update = (workspaceId: string, embedderId: string, file: string) =>
      updateRankings(db as Catalog, workspaceId, embedderId, file);
    const rankings = createRankingCache({ db, directory: folder.file('indexes'), update });
    return { db, id, engine, rankings };
  }

  let current: ReturnType<typeof startOnCatalog> | undefined;
  const t = {
    start: () => (current = startOnCatalog()),
    /** Stores chunks with the vectors of these seeds. */
    async add(seeds: number[]): Promise<number[]> {
      const [workspace] = await listWorkspaces(db as Catalog);
      return seedChunks(
        db as Catalog,
        workspace?.id ?? '',
        embedder.id,
        { count: seeds.length, perItem: 10 },
        (place) => ({
          vector: vectorOf(seeds[place] as number),
        }),
      );
    },
    async stop({ save }: { save: boolean }): Promise<void> {
      const { id, engine, rankings } = await t.running();
      if (save) {
        await engine.warm(id);
        await rankings.refresh(id, embedder.id);
      }
      await engine.stop();
      await db?.destroy();
      db = undefined;
    },
    running: () => current as ReturnType<typeof startOnCatalog>,
    copyCatalog: () => cp(catalog, copy),
    /** Copies the catalog of the running service. */
    copyCatalogInUse: () => writeSnapshot(db as Catalog, copy),
    restoreCopy: () => cp(copy, catalog),
    async [Symbol.asyncDispose]() {
      await db?.destroy();
      await folder[Symbol.asyncDispose]();
    },
  };
  return t;
}

type Fixture = Awaited<ReturnType<typeof setUp>>;

/** The index finds each vector under its own number, and the rankings are what would be computed. */
async function expectConsistent(t: Fixture, expected: Map<number, number>): Promise<void> {
  const { db, id, engine, rankings } = await t.running();
  const options = { count: expected.size + 100, dedupe: false, timer: createStageTimer() };
  const all = await engine.searchByVector(id, { vector: vectorOf(1), embedder }, {}, options);
  expect(new Set(all?.map(({ chunk }) => chunk.number))).toEqual(new Set(expected.keys()));
  for (const [number, seed] of [...expected].filter((_, i) => i % 20 === 0)) {
    const [nearest] =
      (await engine.searchByVector(id, { vector: vectorOf(seed), embedder }, {}, { ...options, count: 1 })) ?? [];
    expect(nearest?.chunk.number).toBe(number);
    expect(nearest?.signals.visual).toBeGreaterThan(0.99);
  }
  const kept = await rankings.read(id, embedder.id);
  for (const method of ['knn', 'centroid'] as const) {
    const { numbers, scores } = await rankFiltered(db, id, embedder.id, {}, method);
    expect(kept?.[method], method).toEqual({ numbers, scores });
  }
}

const seedsFrom = (first: number, count: number) => Array.from({ length: count }, (_, i) => first + i);

/** Chunks from which on indexes and rankings are saved, and a few more. */
const savedCount = 2010;

test('numbers that are reused after an older catalog was restored lead to the current vectors', async () => {
  await using t = await setUp();
  await t.start();
  const common = await t.add(seedsFrom(1, savedCount));
  await t.stop({ save: true });
  await t.copyCatalog();

  await t.start();
  const before = await t.add(seedsFrom(10_000, 100));
  await t.stop({ save: true });

  await t.restoreCopy();
  await t.start();
  const now = await t.add(seedsFrom(20_000, 100));
  // The same numbers and the same count: only the history differs.
  expect(now).toEqual(before);
  const expected = new Map([
    ...common.map((number, i) => [number, 1 + i] as const),
    ...now.map((number, i) => [number, 20_000 + i] as const),
  ]);
  await expectConsistent(t, expected);
  await t.stop({ save: true });
  await t.start();
  await expectConsistent(t, expected);
});

test('deletions that an older catalog reverts are reverted in derived files', async () => {
  await using t = await setUp();
  await t.start();
  const numbers = await t.add(seedsFrom(1, savedCount + 100));
  await t.stop({ save: true });
  await t.copyCatalog();
  const again = await t.start();
  await again.db.deleteFrom('chunks').where('number', 'in', numbers.slice(50, 150)).execute();
  await t.add([30_000]);
  await t.stop({ save: true });
  await t.restoreCopy();
  await t.start();
  await expectConsistent(t, new Map(numbers.map((number, i) => [number, 1 + i])));
});

test('a position is in the history up to where an older copy was made, and not beyond', async () => {
  await using t = await setUp();
  const { db } = await t.start();
  await t.add(seedsFrom(1, 20));
  const early = await readPosition(db);
  await t.stop({ save: false });
  await t.copyCatalog();
  const later = await t.start();
  await t.add(seedsFrom(21, 20));
  const late = await readPosition(later.db);
  expect(await isInHistory(later.db, late)).toBe(true);
  await t.stop({ save: false });
  await t.restoreCopy();
  const restored = await t.start();
  expect(await isInHistory(restored.db, early)).toBe(true);
  expect(await isInHistory(restored.db, { ...early, sequence: early.sequence + 1 })).toBe(false);
  expect(await isInHistory(restored.db, late)).toBe(false);
  await t.add(seedsFrom(51, 40));
  // Numbers exceed it again, on another timeline.
  expect(await isInHistory(restored.db, late)).toBe(false);
  expect(await isInHistory(restored.db, { ...early, sequence: early.sequence + 1 })).toBe(false);
});

/** What search indexes store: the last change that they hold. */
const changePosition = async (db: Catalog) => {
  const [workspace] = await listWorkspaces(db);
  return { timeline: await readTimeline(db), change: await readLastChange(db, workspace?.id ?? '') };
};

test.each<[what: string, change: (db: Catalog) => Promise<unknown>]>([
  ['a label', (db) => db.updateTable('media_items').set({ creator_id: 'c' }).execute()],
  ['a name', (db) => db.updateTable('media_items').set({ filename: 'renamed.mp4' }).execute()],
  ['a deletion of an item', (db) => db.deleteFrom('media_items').execute()],
  ['a deletion of a chunk', (db) => db.deleteFrom('chunks').where('position', '=', 1).execute()],
])('a restored copy that differs only by %s is told apart, whether a start came between or not', async (_, change) => {
  await using t = await setUp();
  const { db } = await t.start();
  await t.add(seedsFrom(1, 5));
  const early = await changePosition(db);
  await t.copyCatalogInUse();
  await change(db);
  const late = await changePosition(db);
  expect(late.change).toBe(early.change + 1);
  expect([await isInHistory(db, early), await isInHistory(db, late)]).toEqual([true, true]);
  await t.stop({ save: false });
  const second = await t.start();
  await second.db.updateTable('media_items').set({ category_id: 'd' }).execute();
  const latest = await changePosition(second.db);
  await t.stop({ save: false });

  await t.restoreCopy();
  const restored = await t.start();
  const isPast = () => Promise.all([early, late, latest].map((position) => isInHistory(restored.db, position)));
  expect(await isPast()).toEqual([true, false, false]);
  // The same numbers are given again, to other changes.
  for (const filename of ['a.mp4', 'b.mp4', 'c.mp4'])
    await restored.db.updateTable('media_items').set({ filename }).execute();
  expect(await isPast()).toEqual([true, false, false]);
  expect(await isInHistory(restored.db, await changePosition(restored.db))).toBe(true);
});
