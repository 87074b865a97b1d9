import { describe, expect, test } from 'vitest';
import { backends } from '../../testing/fresh-catalog.ts';
import { openTestCatalog } from '../../testing/test-catalog.ts';
import { listAspectRatios, listMedia } from './media-items.ts';
import { moveToTrash } from './trash.ts';

/** Sizes by name. A hundred times 199 / 400 is 49.75, 50.5 for 101 / 200. */
const sizes: Record<string, [width: number, height: number] | null> = {
  'a wide.png': [1920, 1080],
  'b high.png': [1080, 1920],
  'c half.png': [101, 200],
  'd nearly half.png': [199, 400],
  'e not read yet.png': null,
  'f panorama.png': [60_000, 500],
};

describe.each(backends)('over %s', (backend) => {
  async function setUp() {
    const t = await openTestCatalog(backend);
    for (const [name, size] of Object.entries(sizes)) {
      const { id } = await t.add(name);
      const [width, height] = size ?? [null, null];
      await t.db.updateTable('media_items').set({ width, height }).where('id', '=', id).execute();
    }
    return t;
  }

  test('all items have their shape in the order of the list, those of no known size 0', async () => {
    await using t = await setUp();
    expect(await listAspectRatios(t.db, t.workspaceId, { sort: 'filename' })).toEqual([178, 56, 51, 50, 0, 12_000]);
    expect(await listAspectRatios(t.db, t.workspaceId, { sort: '-filename' })).toEqual([12_000, 0, 50, 51, 56, 178]);
    expect(await listAspectRatios(t.db, t.workspaceId, { sort: 'filename', q: 'half' })).toEqual([51, 50]);
    expect(await listAspectRatios(t.db, 'elsewhere', { sort: 'filename' })).toEqual([]);
    for (const sort of ['created_at', '-taken_at', '-size', 'rating'] as const) {
      const { rows } = await listMedia(t.db, t.workspaceId, { sort, page: 1, per_page: 9 });
      const shapes = rows.map(({ width, height }) => Math.round((100 * (width ?? 0)) / (height ?? 1)));
      expect(await listAspectRatios(t.db, t.workspaceId, { sort })).toEqual(shapes);
    }
  });

  test('what is in the trash has no place', async () => {
    await using t = await setUp();
    const { rows } = await listMedia(t.db, t.workspaceId, { sort: 'filename', page: 1, per_page: 1 });
    await moveToTrash(t.db, t.workspaceId, [rows[0]?.id ?? '']);
    expect(await listAspectRatios(t.db, t.workspaceId, { sort: 'filename' })).toEqual([56, 51, 50, 0, 12_000]);
  });
});
