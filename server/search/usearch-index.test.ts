import { readFile, truncate, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { openCatalog } from '../catalog/open-catalog.ts';
import type { Catalog } from '../catalog/schema.ts';
import { createWorkspace } from '../catalog/workspaces.ts';
import { createSecrets } from '../crypto/secrets.ts';
import { temporaryFolder } from '../testing/running-service.ts';
import { seedChunks } from '../testing/seed-chunks.ts';
import { toUnit } from '../vectors.ts';
import type { ChunkSelection } from './chunk-selection.ts';
import { createUsearchIndex } from './usearch-index.ts';

const dimensions = 24;
const embedder = { id: 'test@1', dimensions };

const vectorOf = (i: number): Float32Array =>
  toUnit(
    Float32Array.from({ length: dimensions }, (_, axis) => (Math.sin(i * 12.9898 + axis * 78.233) * 43758.5453) % 1),
  );

async function setUp() {
  const folder = await temporaryFolder();
  const db = await openCatalog(folder.file('catalog.db'));
  const { id } = await createWorkspace(db, createSecrets(new Uint8Array(32)), { workspace: 'Test', owner: 'Tester' });
  return {
    db,
    workspaceId: id,
    file: folder.file('index.usearch'),
    /** Stores chunks `from`..`to`, whose numbers are their positions. */
    add: (from: number, to: number) =>
      seedChunks(db, id, embedder.id, { count: to + 1 - from, perItem: 10 }, (place) => ({
        vector: vectorOf(from + place),
      })),
    open: () => createUsearchIndex(db, id, embedder, folder.file('index.usearch')),
    async [Symbol.asyncDispose]() {
      await db.destroy();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** An index as after a start of the service, and the nearest chunks that it finds for the vectors of some chunks. */
async function start(t: Awaited<ReturnType<typeof setUp>>, numbers: number[]) {
  const index = t.open();
  await index.refresh();
  const first = [];
  for (const number of numbers) first.push((await index.search(vectorOf(number), 1, everything))[0]?.number);
  return { index, size: await index.size(), first };
}

const everything: ChunkSelection = { size: Infinity, numbers: null, filter: (numbers) => Promise.resolve(numbers) };

/** Changes a stored vector without notifying the index: only a rebuilt index has it. */
async function swapVector(db: Catalog, number: number, like: number): Promise<void> {
  const vector = new Uint8Array(vectorOf(like).buffer);
  await db.updateTable('chunk_vectors').set({ vector }).where('chunk_number', '=', number).execute();
}

test('a saved index is loaded: chunks stored since are added, deleted ones are dropped', async () => {
  await using t = await setUp();
  await t.add(1, 2500);
  const { index } = await start(t, []);
  await index.save();
  const before = (await index.background(vectorOf(7))).length;
  await t.add(2501, 2600);
  await t.db.deleteFrom('chunks').where('number', 'in', [5, 2000]).execute();
  await swapVector(t.db, 9, 9009);
  const again = await start(t, [1, 9, 1234, 2500, 2501, 2600]);
  // Nine as well: the index was loaded, not rebuilt.
  expect(again.first).toEqual([1, 9, 1234, 2500, 2501, 2600]);
  expect(again.size).toBe(2598);
  const near = await again.index.search(vectorOf(5), 3, everything);
  expect(near.map(({ number }) => number)).not.toContain(5);
  expect(await again.index.background(vectorOf(7))).toHaveLength(before);
  expect(await again.index.sample()).toHaveLength(500);
  const [nearest] = await again.index.search(vectorOf(1234), 1, everything);
  expect(nearest?.similarity).toBeCloseTo(1, 2);
});

test('the index is rebuilt if its file is damaged or lacks chunks of the catalog', async () => {
  await using t = await setUp();
  await t.add(1, 2500);
  const { index } = await start(t, []);
  await index.save();
  await swapVector(t.db, 9, 9009);
  await truncate(t.file, 1000);
  const rebuilt = await start(t, [3, 9009]);
  expect(rebuilt).toMatchObject({ size: 2500, first: [3, 9] });

  await rebuilt.index.save();
  await swapVector(t.db, 11, 9011);
  const description = JSON.parse(await readFile(`${t.file}.json`, 'utf8')) as { numbers: number[] };
  await writeFile(`${t.file}.json`, JSON.stringify({ ...description, numbers: description.numbers.slice(1) }));
  expect(await start(t, [1, 9011])).toMatchObject({ size: 2500, first: [1, 11] });
});

test('a small index is not saved, and the file of a discarded one is removed', async () => {
  await using t = await setUp();
  await t.add(1, 500);
  await (await start(t, [])).index.save();
  await expect(readFile(t.file)).rejects.toThrow('ENOENT');
  await t.add(501, 2500);
  const { index } = await start(t, []);
  await index.save();
  expect((await readFile(t.file)).length).toBeGreaterThan(10_000);
  await index.discard();
  await expect(readFile(t.file)).rejects.toThrow('ENOENT');
});
