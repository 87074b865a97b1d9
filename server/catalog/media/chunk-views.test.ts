import { expect, test } from 'vitest';
import { createSecrets } from '../../platform/crypto/secrets.ts';
import { seedChunks } from '../../testing/seed-chunks.ts';
import { createWorkspace } from '../accounts/workspaces.ts';
import { openCatalog } from '../open-catalog.ts';
import { readEmbeddings, storeEmbeddings } from './chunk-views.ts';

const unit = (values: number[]) => Float32Array.from(values, (value) => value / Math.hypot(...values));

async function setUp() {
  const db = await openCatalog(':memory:');
  const { id: workspaceId } = await createWorkspace(db, createSecrets(new Uint8Array(32)), {
    workspace: 'Test',
    owner: 'Owner',
  });
  const vector = unit([3, -1, 2]);
  const numbers = await seedChunks(db, workspaceId, 'a', { count: 2, perItem: 2 }, () => ({ vector }));
  return { db, workspaceId, vector, numbers, [Symbol.asyncDispose]: () => db.destroy() };
}

test('views are read as they were stored, within 8 bit precision; an existing vector is not replaced', async () => {
  await using t = await setUp();
  const [first = 0, second = 0] = t.numbers;
  expect((await readEmbeddings(t.db, t.workspaceId, 'a', [first])).get(first)).toEqual({
    vector: t.vector,
    views: null,
    things: new Uint8Array(),
  });
  const views = [unit([0.002, -7, 0.4]), unit([1, 1, 1]), new Float32Array(3)];
  await storeEmbeddings(t.db, t.workspaceId, [
    { chunkNumber: first, embedderId: 'a', vector: unit([0, 0, 1]), views },
    { chunkNumber: second, embedderId: 'a', vector: t.vector, views: [] },
  ]);
  const stored = await readEmbeddings(t.db, t.workspaceId, 'a', t.numbers);
  expect(stored.get(first)?.vector).toEqual(t.vector);
  expect(stored.get(first)?.views).toHaveLength(3);
  for (const [i, view] of views.entries()) {
    // Half a step of the 127 that the largest value is divided into.
    const most = Math.max(...view.map(Math.abs)) / 254 + 1e-6;
    for (const [j, value] of view.entries()) {
      expect(Math.abs((stored.get(first)?.views?.[i]?.[j] ?? Number.NaN) - value)).toBeLessThanOrEqual(most);
    }
  }
  // An empty list differs from unknown.
  expect(stored.get(second)?.views).toEqual([]);
  const [row] = await t.db.selectFrom('chunk_views').select('vectors').where('chunk_number', '=', first).execute();
  expect(row?.vectors.byteLength).toBe(3 * (4 + 3));
});

test('what was seen is read as it was stored; where nothing was given it is empty', async () => {
  await using t = await setUp();
  const [first = 0, second = 0] = t.numbers;
  const things = Uint8Array.of(0, 1, 255, 7);
  await storeEmbeddings(t.db, t.workspaceId, [
    { chunkNumber: first, embedderId: 'a', vector: t.vector, views: [], things },
    { chunkNumber: second, embedderId: 'a', vector: t.vector, views: [] },
  ]);
  const stored = await readEmbeddings(t.db, t.workspaceId, 'a', t.numbers);
  expect([first, second].map((number) => [...(stored.get(number)?.things ?? [])])).toEqual([[...things], []]);
});

test('views belong to one embedder and are deleted with its vector', async () => {
  await using t = await setUp();
  const [number = 0] = t.numbers;
  for (const id of ['a', 'b']) {
    const views = [unit([1, 0, id === 'a' ? 0 : 1])];
    await storeEmbeddings(t.db, t.workspaceId, [{ chunkNumber: number, embedderId: id, vector: t.vector, views }]);
  }
  expect((await readEmbeddings(t.db, t.workspaceId, 'b', [number])).get(number)?.views?.[0]?.[2]).toBeGreaterThan(0.7);
  await t.db.deleteFrom('chunk_vectors').where('embedder_id', '=', 'b').execute();
  expect(await t.db.selectFrom('chunk_views').select('embedder_id').execute()).toEqual([{ embedder_id: 'a' }]);
  await t.db.deleteFrom('chunks').execute();
  expect(await t.db.selectFrom('chunk_views').selectAll().execute()).toEqual([]);
});
