import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { ListFilter } from '../../../contract/filters.ts';
import { backends } from '../../testing/fresh-catalog.ts';
import { claim, indexed, openTestCatalog } from '../../testing/test-catalog.ts';
import { addChange, addUndo, changeBatch } from '../changes/change-jobs.ts';
import { changeMembers, createGroup } from '../labels/item-groups.ts';
import { completeIndexing } from '../queue/indexing-jobs.ts';
import { claimJobOf } from '../queue/job-queue.ts';
import { countFacets } from './facets.ts';
import { changeMedia, deleteMedia, findStoredMedia, listMedia, retryMedia } from './media-items.ts';
import { findLocated, groupPlaces } from './place-groups.ts';
import { listTrash, moveToTrash, restoreWithStacks } from './trash.ts';

const page = { page: 1, per_page: 100, sort: 'filename' } as const;

describe.each(backends)('over %s', (backend) => {
  /** A catalog, and a way to add items as if they were indexed. `c0`, `c1`, `c2` are a burst, `live.jpg` and `live.mov` a Live Photo, `alone` stands alone. */
  async function setUp() {
    const t = await openTestCatalog(backend);
    const { db, workspaceId } = t;
    const ids: Record<string, string> = {};
    const add = async (name: string, stackKey: string | null, more: object = {}) => {
      const row = await t.add(name);
      ids[name] = row.id;
      await completeIndexing(db, await claim(db, 'a'), { ...indexed(['x']), type: 'image', stackKey, ...more });
    };
    for (const name of ['c0', 'c1', 'c2']) await add(name, 'burst:1');
    await add('live.jpg', 'live:1');
    await add('live.mov', 'live:1', { type: 'video' });
    await add('alone', null);
    const idsOf = (...names: string[]) => names.map((name) => ids[name] ?? '');
    const list = async (filter: ListFilter = {}) => {
      const { rows, total } = await listMedia(db, workspaceId, { ...page, ...filter });
      expect(total).toBe(rows.length);
      return rows.map(({ filename }) => filename);
    };
    const trashed = async () =>
      (await listTrash(db, workspaceId, { page: 1, per_page: 100 })).map(({ filename }) => filename).toSorted();
    const stackOf = async (name: string) => (await findStoredMedia(db, workspaceId, ids[name] ?? ''))?.stack_id ?? null;
    return { ...t, add, ids, idsOf, list, trashed, stackOf };
  }

  test('what stands behind an item that a filter leaves out is listed by itself', async () => {
    await using t = await setUp();
    const created = await createGroup(t.db, 'tags', t.workspaceId, 'best');
    const tag = typeof created === 'object' ? created.id : '';
    const addTag = (...names: string[]) => changeMembers(t.db, 'tags', t.workspaceId, tag, { add: t.idsOf(...names) });
    expect(await t.list()).toEqual(['alone', 'c0', 'live.jpg']);
    await addTag('c1', 'live.mov');
    expect(await t.list({ tag_id: tag })).toEqual(['c1', 'live.mov']);
    await addTag('c0');
    expect(await t.list({ tag_id: tag })).toEqual(['c0', 'live.mov']);
    await changeMedia(t.db, t.workspaceId, t.ids['c2'] ?? '', { rating: 5 });
    expect(await t.list({ rating_min: 4 })).toEqual(['c2']);
    expect(await t.list({ q: 'C2' })).toEqual(['c2']);
    // Who looks for videos looks for no films of photographs.
    expect(await t.list({ type: 'video' })).toEqual([]);
    expect(await t.list({ type: 'video', tag_id: tag })).toEqual(['live.mov']);
    expect(await t.list({ status: 'complete', type: 'image' })).toEqual(['alone', 'c0', 'live.jpg']);
  });

  test('facets and the map count what the list has', async () => {
    await using t = await setUp();
    expect((await countFacets(t.db, t.workspaceId, {}))['camera']).toEqual([{ value: 'Apple iPhone 15', count: 3 }]);
    expect((await countFacets(t.db, t.workspaceId, {}))['type']).toEqual([{ value: 'image', count: 3 }]);
    const query = { zoom: 3 };
    expect((await findLocated(t.db, t.workspaceId, query)).located).toBe(3);
    expect((await groupPlaces(t.db, t.workspaceId, query)).map(({ count }) => count)).toEqual([3]);
    const members = { stack_id: t.ids['c0'] ?? '' };
    expect((await countFacets(t.db, t.workspaceId, members))['type']).toEqual([{ value: 'image', count: 3 }]);
  });

  test('what is shown for others goes to the trash with them, and comes back with them', async () => {
    await using t = await setUp();
    const moved = await moveToTrash(t.db, t.workspaceId, t.idsOf('c0'));
    expect(moved.toSorted()).toEqual(t.idsOf('c0', 'c1', 'c2').toSorted());
    expect(await t.list()).toEqual(['alone', 'live.jpg']);
    await restoreWithStacks(t.db, t.workspaceId, t.idsOf('c0'));
    expect(await t.trashed()).toEqual([]);
    // One that is not shown for others goes alone, and stays where it is when they come back.
    await moveToTrash(t.db, t.workspaceId, t.idsOf('c1'));
    await sql`update media_items set trashed_at = '2026-01-01T00:00:00.000Z' where trashed_at is not null`.execute(
      t.db,
    );
    expect(await t.list()).toEqual(['alone', 'c0', 'live.jpg']);
    await moveToTrash(t.db, t.workspaceId, t.idsOf('c0'));
    expect(await t.trashed()).toEqual(['c0', 'c1', 'c2']);
    await restoreWithStacks(t.db, t.workspaceId, t.idsOf('c0'));
    expect(await t.trashed()).toEqual(['c1']);
  });

  test('a change that deletes what is shown for others is undone with them, and a restoring one too', async () => {
    await using t = await setUp();
    const run = async (row: Awaited<ReturnType<typeof addChange>> | Awaited<ReturnType<typeof addUndo>>) => {
      if (typeof row !== 'object' || row === null || !('id' in row)) throw new Error('no change');
      const job = await claimJobOf(t.db, 'a', 'change');
      if (!job) throw new Error('no job');
      await changeBatch(t.db, job, []);
      return row.id;
    };
    const ids = t.idsOf('live.jpg');
    const change = await run(await addChange(t.db, t.workspaceId, { items: { ids }, change: { delete: true } }));
    expect(await t.trashed()).toEqual(['live.jpg', 'live.mov']);
    await run(await addUndo(t.db, { workspace_id: t.workspaceId, id: change }));
    expect(await t.trashed()).toEqual([]);
    await moveToTrash(t.db, t.workspaceId, ids);
    const restoring = await run(await addChange(t.db, t.workspaceId, { items: { ids }, change: { restore: true } }));
    expect(await t.trashed()).toEqual([]);
    await run(await addUndo(t.db, { workspace_id: t.workspaceId, id: restoring }));
    expect(await t.trashed()).toEqual(['live.jpg', 'live.mov']);
  });

  test('another is shown for a stack whose shown item is deleted for good or taken out', async () => {
    await using t = await setUp();
    await moveToTrash(t.db, t.workspaceId, t.idsOf('c1'));
    await deleteMedia(t.db, t.workspaceId, t.ids['c0'] ?? '');
    expect(await t.list()).toEqual(['alone', 'c2', 'live.jpg']);
    expect(await t.stackOf('c1')).toBe(t.ids['c2']);
  });

  test('a change that is refused moves nothing between stacks', async () => {
    await using t = await setUp();
    const refused = await changeMedia(t.db, t.workspaceId, t.ids['c0'] ?? '', {
      stack_id: t.ids['alone'] ?? '',
      creator_id: '01a1fbe4-6806-793e-a30f-22b8a44e4f85',
    });
    expect(refused).toEqual({ unknown: ['creator_id'] });
    expect([await t.stackOf('c1'), await t.stackOf('alone')]).toEqual([t.ids['c0'], null]);
    const unknown = '01a1fbe4-6806-793e-a30f-22b8a44e4f85';
    expect(await changeMedia(t.db, t.workspaceId, unknown, { stack_id: t.ids['alone'] ?? '' })).toBeUndefined();
    expect(await t.stackOf('alone')).toBeNull();
  });

  test('an item that was taken out stays so when its file is indexed again', async () => {
    await using t = await setUp();
    await changeMedia(t.db, t.workspaceId, t.ids['c1'] ?? '', { stack_id: null });
    await sql`update media_items set status = 'error' where id = ${t.ids['c1']}`.execute(t.db);
    await retryMedia(t.db, t.workspaceId, t.ids['c1'] ?? '', []);
    await completeIndexing(t.db, await claim(t.db, 'a'), { ...indexed(['x']), type: 'image', stackKey: 'burst:1' });
    await t.add('c3', 'burst:1');
    expect(await t.list()).toEqual(['alone', 'c0', 'c1', 'live.jpg']);
  });

  test('an item that joins a stack writes itself alone', async () => {
    await using t = await setUp();
    const updated = async () =>
      Object.fromEntries(
        (await t.db.selectFrom('media_items').select(['filename', 'updated_at']).execute()).map((row) => [
          row.filename,
          row.updated_at,
        ]),
      );
    await sql`update media_items set updated_at = '2026-01-01T00:00:00.000Z'`.execute(t.db);
    await t.add('c3', 'burst:1');
    expect(await updated()).toMatchObject({ c0: '2026-01-01T00:00:00.000Z', c1: '2026-01-01T00:00:00.000Z' });
    expect(await t.stackOf('c3')).toBe(t.ids['c0']);
  });

  test('more files than any burst has stand alone, whatever they say', async () => {
    await using t = await setUp();
    await t.add('first', 'burst:2');
    const [id = ''] = t.idsOf('first');
    const copies = Array.from({ length: 999 }, (_, i) => `copy ${i}`);
    for (const name of copies)
      await sql`insert into media_items (workspace_id, id, filename, type, status, size, mime_type, sha256, created_at, updated_at, stack_key, stack_id)
        select workspace_id, ${name}, ${name}, type, status, size, mime_type, ${name}, created_at, updated_at, stack_key, ${id}
        from media_items where id = ${id}`.execute(t.db);
    await t.add('one more', 'burst:2');
    expect(await t.stackOf('one more')).toBeNull();
  });
});
