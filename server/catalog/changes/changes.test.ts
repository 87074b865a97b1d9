import { describe, expect, test } from 'vitest';
import type { ChangeBody, ChangeOfItems } from '../../../contract/media-changes.ts';
import { backends } from '../../testing/fresh-catalog.ts';
import { openTestCatalog } from '../../testing/test-catalog.ts';
import { readGroupsOfItems } from '../labels/groups-of-items.ts';
import { changeMembers, createGroup, deleteGroup } from '../labels/item-groups.ts';
import { createLabel, deleteLabel } from '../labels/labels.ts';
import type { GroupKind } from '../labels/members.ts';
import { changeMedia, deleteMedia, findStoredMedia } from '../media/media-items.ts';
import { moveToTrash, restoreFromTrash } from '../media/trash.ts';
import { claimJobOf, releaseAllJobs } from '../queue/job-queue.ts';
import { addChange, addUndo, cancelChange, changeBatch } from './change-jobs.ts';
import { canUndo, type ChangeRow, findChange, forgetChanges } from './change-rows.ts';

describe.each(backends)('over %s', (backend) => {
  async function setUp(count: number) {
    const t = await openTestCatalog(backend);
    const { db, workspaceId } = t;
    const ids: string[] = [];
    for (let i = 0; i < count; i++) ids.push((await t.add(`${i}.mp4`)).id);
    const begin = async (items: ChangeBody['items'], change: ChangeOfItems): Promise<ChangeRow> => {
      const row = await addChange(db, workspaceId, { items, change });
      if ('refused' in row) throw new Error(row.refused);
      return row;
    };
    const claim = async () => {
      const job = await claimJobOf(db, 'worker', 'change');
      if (!job) throw new Error('There is no job.');
      return job;
    };
    /** Does all changes to their ends. */
    const work = async () => {
      for (let job = await claimJobOf(db, 'worker', 'change'); job; job = await claimJobOf(db, 'worker', 'change'))
        while ((await changeBatch(db, job, []))?.left);
    };
    const undo = async (id: string): Promise<ChangeRow> => {
      const row = await addUndo(db, { workspace_id: workspaceId, id });
      if (!row || typeof row === 'string') throw new Error(row);
      await work();
      return (await findChange(db, row)) as ChangeRow;
    };
    return {
      ...t,
      ids,
      begin,
      claim,
      work,
      undo,
      change: async (items: ChangeBody['items'], change: ChangeOfItems): Promise<ChangeRow> => {
        const row = await begin(items, change);
        await work();
        return (await findChange(db, row)) as ChangeRow;
      },
      find: (row: ChangeRow) => findChange(db, row),
      item: async (id = '') =>
        (await findStoredMedia(db, workspaceId, id)) as NonNullable<Awaited<ReturnType<typeof findStoredMedia>>>,
      groups: async (id = '') => (await readGroupsOfItems(db, workspaceId, [id])).get(id),
      async group(kind: GroupKind, name: string): Promise<string> {
        const row = await createGroup(db, kind, workspaceId, name);
        if (typeof row === 'string') throw new Error(row);
        return row.id;
      },
    };
  }

  test('a filter fixes the items when the change begins, and all but some of them are changed', async () => {
    await using t = await setUp(4);
    const [a = '', b = '', c = '', d = ''] = t.ids;
    await t.change({ ids: [a, b] }, { rating: 2 });
    const row = await t.begin({ filter: { rating_min: 2 }, except_ids: [b] }, { rating: 0 });
    expect(row).toMatchObject({ state: 'running', total: 1, done: 0 });
    // It passes the filter from now on only.
    await changeMedia(t.db, t.workspaceId, c, { rating: 5 });
    await t.work();
    expect(await t.find(row)).toMatchObject({ state: 'done', total: 1, done: 1, skipped: 0 });
    const ratings = await Promise.all([a, b, c, d].map(async (id) => (await t.item(id)).rating));
    expect(ratings).toEqual([0, 2, 5, 0]);
  });

  test('what was so before, is gone or in the trash is skipped; unknown labels are refused by their place', async () => {
    await using t = await setUp(4);
    const [a = '', b = '', c = '', d = ''] = t.ids;
    await changeMedia(t.db, t.workspaceId, a, { rating: 3 });
    const row = await t.begin({ ids: t.ids }, { rating: 3 });
    await deleteMedia(t.db, t.workspaceId, b);
    await moveToTrash(t.db, t.workspaceId, [c]);
    await t.work();
    expect(await t.find(row)).toMatchObject({ state: 'done', total: 4, done: 1, skipped: 3, failed: 0 });
    expect((await t.item(d)).rating).toBe(3);
    expect((await t.item(c)).rating).toBe(0);
    const nobody = '01a1fbe4-6806-793e-a30f-22b8a44e4f85';
    const tag = await t.group('tags', 'red');
    const change = { creator_id: nobody, add_tag_ids: [tag, nobody], remove_tag_ids: [nobody] };
    expect(await addChange(t.db, t.workspaceId, { items: { filter: {} }, change })).toEqual({
      refused: 'unknown',
      places: ['creator_id', 'add_tag_ids.1'],
    });
    expect(await t.begin({ ids: [nobody] }, { rating: 1 })).toMatchObject({ state: 'done', total: 0 });
  });

  test('an undo sets back what the change did to each item, and nothing that was changed since', async () => {
    await using t = await setUp(5);
    const { db, workspaceId } = t;
    const [a = '', b = '', c = '', d = '', e = ''] = t.ids;
    const ana = (await createLabel(db, 'creators', workspaceId, { name: 'Ana' }))?.id ?? '';
    const bo = (await createLabel(db, 'creators', workspaceId, { name: 'Bo' }))?.id ?? '';
    const cy = (await createLabel(db, 'creators', workspaceId, { name: 'Cy' }))?.id ?? '';
    const red = await t.group('tags', 'red');
    const blue = await t.group('tags', 'blue');
    const trip = await t.group('collections', 'Trip');
    await changeMedia(db, workspaceId, a, { creator_id: ana, rating: 1 });
    await changeMedia(db, workspaceId, b, { creator_id: cy });
    await changeMembers(db, 'tags', workspaceId, red, { add: [a, b] });
    await changeMembers(db, 'collections', workspaceId, trip, { add: [c] });
    const before = await Promise.all(t.ids.map(async (id) => t.groups(id)));

    const row = await t.change(
      { filter: {} },
      { creator_id: bo, rating: 4, add_tag_ids: [blue], remove_tag_ids: [red], add_collection_ids: [trip] },
    );
    expect(row).toMatchObject({ done: 5 });
    expect(await t.item(a)).toMatchObject({ creator_id: bo, rating: 4 });
    expect(await t.groups(a)).toEqual({ tag_ids: [blue], collection_ids: [trip] });

    // Others go on working.
    await changeMedia(db, workspaceId, d, { creator_id: ana });
    await changeMembers(db, 'tags', workspaceId, blue, { remove: [e] });
    await deleteLabel(db, 'creators', workspaceId, cy);
    expect(await t.undo(row.id)).toMatchObject({ state: 'done', undoes: row.id, total: 5, done: 5 });
    expect(await t.item(a)).toMatchObject({ creator_id: ana, rating: 1 });
    expect(await t.item(b)).toMatchObject({ creator_id: null, rating: 0 });
    expect(await t.item(c)).toMatchObject({ creator_id: null, rating: 0 });
    expect(await t.item(d)).toMatchObject({ creator_id: ana, rating: 0 });
    expect(await Promise.all(t.ids.map(async (id) => t.groups(id)))).toEqual(before);
    expect(await addUndo(db, row)).toBe('not now');
  });

  test('two changes of the same items: an undo of the first leaves what the second set', async () => {
    await using t = await setUp(2);
    const first = await t.change({ filter: {} }, { rating: 2 });
    const second = await t.change({ ids: t.ids.slice(0, 1) }, { rating: 5 });
    expect(await t.undo(first.id)).toMatchObject({ done: 1, skipped: 1 });
    expect([(await t.item(t.ids[0])).rating, (await t.item(t.ids[1])).rating]).toEqual([5, 0]);
    await t.undo(second.id);
    expect((await t.item(t.ids[0])).rating).toBe(2);
  });

  test('items move to the trash and back, each with its own time', async () => {
    await using t = await setUp(3);
    const { db, workspaceId } = t;
    const [a = '', b = '', c = ''] = t.ids;
    await moveToTrash(db, workspaceId, [a]);
    const wasTrashed = (await t.item(a)).trashed_at;
    const deletion = await t.change({ filter: {} }, { delete: true });
    expect(deletion).toMatchObject({ total: 2, done: 2 });
    await restoreFromTrash(db, workspaceId, [b]);
    expect(await t.undo(deletion.id)).toMatchObject({ done: 1, skipped: 1 });
    expect([(await t.item(a)).trashed_at, (await t.item(b)).trashed_at, (await t.item(c)).trashed_at]).toEqual([
      wasTrashed,
      null,
      null,
    ]);
    const restoring = await t.change({ filter: {} }, { restore: true });
    expect(restoring).toMatchObject({ total: 1, done: 1 });
    await t.undo(restoring.id);
    expect((await t.item(a)).trashed_at).toBe(wasTrashed);
  });

  test('a change is cancelled between two batches, and what was done can be undone', async () => {
    await using t = await setUp(700);
    const row = await t.begin({ filter: {} }, { rating: 1 });
    const job = await t.claim();
    expect(await changeBatch(t.db, job, [])).toMatchObject({ left: true });
    expect(await cancelChange(t.db, row)).toMatchObject({ state: 'cancelled', done: 500, total: 700 });
    expect(await changeBatch(t.db, job, [])).toBeNull();
    expect(await t.find(row)).toMatchObject({ state: 'cancelled', done: 500 });
    expect(await t.undo(row.id)).toMatchObject({ state: 'done', total: 500, done: 500 });
    const rated = await t.db.selectFrom('media_items').select('id').where('rating', '>', 0).execute();
    expect(rated).toEqual([]);
    // Cancelled again it stays as it is, and what was never begun is not kept.
    expect(await cancelChange(t.db, row)).toMatchObject({ state: 'cancelled' });
    const kept = await t.db
      .selectFrom('media_change_items')
      .select('position')
      .where('change_id', '=', row.id)
      .execute();
    expect(kept).toHaveLength(500);
  });

  test('with many labels a batch has fewer items, so that other writers hardly wait', async () => {
    await using t = await setUp(120);
    const tags: string[] = [];
    for (let i = 0; i < 20; i++) tags.push(await t.group('tags', `tag ${i}`));
    const collections: string[] = [];
    for (let i = 0; i < 20; i++) collections.push(await t.group('collections', `collection ${i}`));
    const row = await t.begin({ filter: {} }, { add_tag_ids: tags, add_collection_ids: collections });
    await changeBatch(t.db, await t.claim(), []);
    expect(await t.find(row)).toMatchObject({ state: 'running', done: 50 });
  });

  test('the oldest changes are forgotten sooner where many items were changed since', async () => {
    await using t = await setUp(3);
    const [first, second, third] = [
      await t.change({ filter: {} }, { rating: 1 }),
      await t.change({ filter: {} }, { rating: 2 }),
      await t.change({ filter: {} }, { rating: 3 }),
    ];
    await forgetChanges(t.db, AbortSignal.timeout(10_000), 6);
    expect(await t.find(first)).toBeUndefined();
    expect([await t.find(second), await t.find(third)]).toMatchObject([{ done: 3 }, { done: 3 }]);
  });

  test('an attempt that broke off goes on behind what is stored; an attempt that lost its lease stores nothing', async () => {
    await using t = await setUp(600);
    const tag = await t.group('tags', 'red');
    const row = await t.begin({ filter: {} }, { add_tag_ids: [tag] });
    const lost = await t.claim();
    await changeBatch(t.db, lost, []);
    await releaseAllJobs(t.db, 'broke off');
    await t.claim();
    expect(await changeBatch(t.db, lost, [])).toBeNull();
    expect(await t.find(row)).toMatchObject({ state: 'running', done: 500 });
    await releaseAllJobs(t.db, 'broke off');
    await t.work();
    expect(await t.find(row)).toMatchObject({ state: 'done', done: 600, skipped: 0 });
  });

  test('groups that are deleted meanwhile keep no change from its end, and old changes are forgotten', async () => {
    await using t = await setUp(3);
    const { db, workspaceId } = t;
    const red = await t.group('tags', 'red');
    const trip = await t.group('collections', 'Trip');
    const row = await t.begin({ filter: {} }, { add_tag_ids: [red], add_collection_ids: [trip] });
    await deleteGroup(db, 'tags', workspaceId, red);
    await t.work();
    expect(await t.find(row)).toMatchObject({ state: 'done', done: 3 });
    await deleteGroup(db, 'collections', workspaceId, trip);
    expect(await t.undo(row.id)).toMatchObject({ state: 'done', done: 0, skipped: 3 });
    await db.updateTable('media_changes').set({ created_at: '2020-01-01T00:00:00.000Z' }).execute();
    await forgetChanges(db, AbortSignal.timeout(10_000));
    expect(await t.find(row)).toBeUndefined();
    expect(await db.selectFrom('media_change_items').select('media_id').execute()).toEqual([]);
  });

  test('what is tried again cannot be undone, and no more than 20 changes are under way', async () => {
    await using t = await setUp(2);
    await t.db
      .updateTable('media_items')
      .set({ status: 'error', error_code: 'x', error_message: 'x' })
      .where('id', '=', t.ids[0] ?? '')
      .execute();
    await t.db.deleteFrom('jobs').execute();
    const row = await t.change({ filter: {} }, { retry: true });
    expect(row).toMatchObject({ state: 'done', done: 1, skipped: 1 });
    expect((await t.item(t.ids[0])).status).toBe('pending');
    expect(await canUndo(t.db, row)).toBe(false);
    for (let i = 0; i < 20; i++) await t.begin({ filter: {} }, { rating: i % 5 });
    const refused = await addChange(t.db, t.workspaceId, { items: { filter: {} }, change: { rating: 1 } });
    expect(refused).toEqual({ refused: 'too many' });
  });
});
