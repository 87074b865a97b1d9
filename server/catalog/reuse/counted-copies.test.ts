import { expect, test } from 'vitest';
import { backends } from '../../testing/fresh-catalog.ts';
import { openTestCatalog } from '../../testing/test-catalog.ts';
import { listCopies, listDuplicateGroups } from './copies.ts';
import { storeFingerprint } from './fingerprints.ts';

/** Two items that were found to be the same. */
async function setUp(backend: (typeof backends)[number]) {
  const catalog = await openTestCatalog(backend);
  const { db, workspaceId: workspace_id } = catalog;
  const [one, other] = [await catalog.add(), await catalog.add()];
  await db.updateTable('media_items').set({ status: 'complete' }).execute();
  const span = { a: { start: 0, end: 2 }, b: { start: 0, end: 2 }, speed: 1, mirrored: false, cropped: 0, score: 1 };
  const found = {
    kind: 'same',
    spans: JSON.stringify([span]),
    score: 1,
    found_at: '2026-01-01T00:00:00.000Z',
  } as const;
  await db
    .insertInto('item_copies')
    .values({ workspace_id, media_id: one.id, other_id: other.id, ...found })
    .execute();
  return {
    ...catalog,
    one,
    other,
    groups: () => listDuplicateGroups(db, workspace_id),
    copies: async (id: string) => (await listCopies(db, workspace_id, id)).map(({ otherId }) => otherId),
  };
}

test.for(backends)(
  'of an item whose file changed nothing is said before it is compared again (%s)',
  async (backend) => {
    await using t = await setUp(backend);
    const { db, one, other } = t;
    expect(await t.groups()).toEqual([[one.id, other.id]]);
    // Its file changed: it waits to be indexed, or could not be.
    for (const status of ['pending', 'error'] as const) {
      await db.updateTable('media_items').set({ status }).where('id', '=', other.id).execute();
      expect([await t.groups(), await t.copies(one.id), await t.copies(other.id)]).toEqual([[], [], []]);
    }
    // The new file is black from beginning to end: there is nothing to compare.
    await storeFingerprint(db, other, [null, null]);
    await db.updateTable('media_items').set({ status: 'complete' }).execute();
    expect([await t.groups(), await t.copies(one.id), await t.copies(other.id)]).toEqual([[], [], []]);
  },
);

test('what was dismissed stays so', async () => {
  await using t = await setUp('sqlite');
  await t.db.updateTable('item_copies').set({ dismissed_at: '2026-01-02T00:00:00.000Z' }).execute();
  await storeFingerprint(t.db, t.one, [null]);
  expect(await t.db.selectFrom('item_copies').select('dismissed_at').execute()).toHaveLength(1);
});
