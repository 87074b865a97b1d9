import { sql } from 'kysely';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { backends } from '../../testing/fresh-catalog.ts';
import { advanceClock, claim, indexed, openTestCatalog } from '../../testing/test-catalog.ts';
import { emptyTrash, removeExpired } from '../../uploads/trash-removal.ts';
import { changeMembers, createGroup, findGroup } from '../labels/item-groups.ts';
import { createLabel, findLabel } from '../labels/labels.ts';
import { completeIndexing, failIndexing } from '../queue/indexing-jobs.ts';
import { readVectorVersion } from './chunk-vectors.ts';
import { findChunks, listChunkNumbers } from './chunks.ts';
import { readItemsForIndex, readLastChange } from './item-changes.ts';
import {
  addMedia,
  countByMonth,
  changeMedia,
  deleteMedia,
  findMedia,
  findStoredMedia,
  listMedia,
  retryMedia,
} from './media-items.ts';
import { findWrongTotals, readMediaUsage, recountTotals } from './media-totals.ts';
import { listTrash, moveToTrash, readTrashTotals, removalTime, restoreFromTrash } from './trash.ts';

describe.each(backends)('over %s', (backend) => {
  afterEach(() => void vi.useRealTimers());

  const page = { page: 1, per_page: 20, sort: '-created_at' } as const;
  const day = 24 * 60 * 60;
  const { signal } = new AbortController();

  /** A catalog with a complete item of two chunks and a pending one, both of one creator. */
  async function setUp() {
    const t = await openTestCatalog(backend);
    const { db, workspaceId } = t;
    const media = await t.add();
    await completeIndexing(db, await claim(db, 'worker'), indexed(['one', 'two']));
    const other = await t.add('other.mp4');
    const creator = (await createLabel(db, 'creators', workspaceId, { name: 'Ana' }))?.id ?? '';
    for (const { id } of [media, other]) await changeMedia(db, workspaceId, id, { creator_id: creator });
    const removed: string[] = [];
    return {
      ...t,
      media,
      other,
      creator,
      removed,
      removal: {
        db,
        removeFiles: async (_workspaceId: string, id: string) => void removed.push(id),
      },
      ids: async () => (await listMedia(db, workspaceId, page)).rows.map(({ id }) => id),
    };
  }

  test('an item in the trash is in no list, count or index, and comes back with all it had', async () => {
    await using t = await setUp();
    const { db, workspaceId, media, other, creator } = t;
    const numbers = await listChunkNumbers(db, workspaceId, media.id);
    const read = async () => ({
      ids: await t.ids(),
      total: (await listMedia(db, workspaceId, { ...page, creator_id: creator })).total,
      months: await countByMonth(db, workspaceId, {}),
      tag: (await findGroup(db, 'tags', workspaceId, tag))?.media_count,
      label: (await findLabel(db, 'creators', workspaceId, creator))?.media_count,
      chunks: (await findChunks(db, workspaceId, numbers)).length,
      indexed: (await readItemsForIndex(db, workspaceId, [media.id])).length,
      vectors: (await readVectorVersion(db, workspaceId, 'test@1')).count,
      found: (await findMedia(db, workspaceId, media.id))?.id,
    });
    const { id: tag } = (await createGroup(db, 'tags', workspaceId, 'sea')) as { id: string };
    await changeMembers(db, 'tags', workspaceId, tag, { add: [media.id, other.id] });
    const before = await read();
    expect(before).toMatchObject({ total: 2, tag: 2, label: 2, chunks: 2, indexed: 1, vectors: 2, found: media.id });
    const usage = await readMediaUsage(db, workspaceId);

    const change = await readLastChange(db, workspaceId);
    const versions = [await readLastChange(db, workspaceId)];
    expect(await moveToTrash(db, workspaceId, [media.id, 'unknown'])).toEqual([media.id]);
    expect(await read()).toEqual({
      ids: [other.id],
      total: 1,
      months: [{ month: null, count: 1 }],
      tag: 1,
      label: 1,
      chunks: 0,
      indexed: 0,
      vectors: 0,
      found: undefined,
    });
    expect(await readLastChange(db, workspaceId)).toBeGreaterThan(change);
    expect(await listTrash(db, workspaceId, page)).toMatchObject([{ id: media.id }]);
    // What it uses of the plan, it still uses.
    expect(await readMediaUsage(db, workspaceId)).toEqual({
      ...usage,
      by_status: { ...usage.by_status, complete: 0 },
      by_type: { video: 1, image: 0, audio: 0 },
      chunks: 0,
      trash: { media_items: 1, storage_bytes: media.size },
    });
    expect(await retryMedia(db, workspaceId, media.id, [])).toBeUndefined();
    expect(await changeMedia(db, workspaceId, media.id, { creator_id: null })).toBeUndefined();
    expect(await moveToTrash(db, 'elsewhere', [other.id])).toEqual([]);
    expect(await restoreFromTrash(db, 'elsewhere', [media.id])).toEqual([]);
    versions.push(await readLastChange(db, workspaceId));

    advanceClock(1);
    expect(await restoreFromTrash(db, workspaceId, [media.id, other.id, 'unknown'])).toEqual([media.id, other.id]);
    expect(await read()).toEqual(before);
    expect(await readMediaUsage(db, workspaceId)).toEqual(usage);
    expect(new Set([...versions, await readLastChange(db, workspaceId)]).size).toBe(3);
  });

  test('rankings see that one item left for another of the same size', async () => {
    await using t = await setUp();
    const { db, workspaceId, media, other } = t;
    await completeIndexing(db, await claim(db, 'worker'), indexed(['three', 'four']));
    await moveToTrash(db, workspaceId, [other.id]);
    const before = await readVectorVersion(db, workspaceId, 'test@1');
    await moveToTrash(db, workspaceId, [media.id]);
    await restoreFromTrash(db, workspaceId, [other.id]);
    const after = await readVectorVersion(db, workspaceId, 'test@1');
    expect(after).toMatchObject({ latest: before.latest, count: before.count });
    expect(after.moves).toBeGreaterThan(before.moves);
  });

  test('indexing goes on in the trash, whether it succeeds or not', async () => {
    await using t = await setUp();
    const { db, workspaceId, other } = t;
    await moveToTrash(db, workspaceId, [other.id]);
    await completeIndexing(db, await claim(db, 'worker'), indexed(['three']));
    expect(await t.ids()).toEqual([t.media.id]);
    expect(await findWrongTotals(db)).toEqual([]);
    await restoreFromTrash(db, workspaceId, [other.id]);
    expect(await findMedia(db, workspaceId, other.id)).toMatchObject({ status: 'complete', chunk_count: 1 });

    const third = await t.add('third.mp4');
    const job = await claim(db, 'worker');
    await moveToTrash(db, workspaceId, [third.id]);
    await failIndexing(db, job, { code: 'indexing_failed', message: 'It broke.' });
    expect((await readMediaUsage(db, workspaceId)).by_status).toEqual({
      pending: 0,
      indexing: 0,
      complete: 2,
      error: 0,
    });
  });

  test('the same bytes take an item out of the trash, with its labels', async () => {
    await using t = await setUp();
    const { db, workspaceId, media, creator } = t;
    await moveToTrash(db, workspaceId, [media.id]);
    const { id: _id, ...same } = media;
    const added = await addMedia(db, { ...same, id: 'new', filename: 'again.mp4' }, () => Promise.resolve());
    expect(added).toMatchObject({ kind: 'duplicate', row: { id: media.id, trashed_at: null, creator_id: creator } });
    expect(await readTrashTotals(db, workspaceId)).toEqual({ items: 0, bytes: 0 });
  });

  test('after 30 days an item is deleted, and one that is moved again keeps its first time', async () => {
    await using t = await setUp();
    const { db, workspaceId, media, other, removed, removal } = t;
    const timesOf = async () =>
      new Map((await listTrash(db, workspaceId, page)).map((row) => [row.id, removalTime(row)]));
    await moveToTrash(db, workspaceId, [media.id]);
    const first = (await timesOf()).get(media.id);
    advanceClock(day);
    await moveToTrash(db, workspaceId, [media.id, other.id]);
    expect((await timesOf()).get(media.id)).toBe(first);
    advanceClock(29 * day - 60);
    expect(await removeExpired(removal, '', signal)).toMatchObject({ deleted: 0 });
    advanceClock(120);
    expect(await removeExpired(removal, '', signal)).toEqual({ deleted: 1, storage_bytes: media.size });
    expect(removed).toEqual([media.id]);
    expect(await findStoredMedia(db, workspaceId, media.id)).toBeUndefined();
    expect(await findStoredMedia(db, workspaceId, other.id)).toBeDefined();
  });

  test('emptying deletes what is in the trash of this workspace, and nothing else', async () => {
    await using t = await setUp();
    const { db, workspaceId, media, other, removed, removal } = t;
    await moveToTrash(db, workspaceId, [media.id]);
    expect(await emptyTrash(removal, 'elsewhere', signal)).toEqual({ deleted: 0, storage_bytes: 0 });
    expect(await emptyTrash(removal, workspaceId, signal)).toEqual({ deleted: 1, storage_bytes: media.size });
    expect(removed).toEqual([media.id]);
    expect(await t.ids()).toEqual([other.id]);
    expect(await db.selectFrom('pending_removals').select('media_id').execute()).toEqual([{ media_id: media.id }]);
  });

  test('what is restored or moved to the trash while the trash is emptied stays', async () => {
    await using t = await setUp();
    const { db, workspaceId, media, other, removed, removal } = t;
    const third = await t.add('third.mp4');
    await moveToTrash(db, workspaceId, [media.id, other.id]);
    const removeFiles = async (workspace: string, id: string) => {
      // The first deletion of the batch that was read with both.
      await removal.removeFiles(workspace, id);
      await restoreFromTrash(db, workspaceId, [media.id, other.id]);
      advanceClock(1);
      await moveToTrash(db, workspaceId, [third.id]);
    };
    expect(await emptyTrash({ db, removeFiles }, workspaceId, signal)).toMatchObject({ deleted: 1 });
    expect(removed).toHaveLength(1);
    expect(await t.ids()).toEqual([media.id, other.id].filter((id) => !removed.includes(id)));
    expect(await listTrash(db, workspaceId, page)).toMatchObject([{ id: third.id }]);
  });

  test('whatever statement changes items in the trash, its totals are those of the items', async () => {
    await using t = await openTestCatalog(backend);
    const { db, workspaceId } = t;
    const rows = [];
    for (let i = 0; i < 8; i++) rows.push(await t.add());
    const place = sql`cast(substr(sha256, 62) as integer)`;
    await sql`update media_items set trashed_at = '2026-11-01' where ${place} % 2 = 0`.execute(db);
    expect(await findWrongTotals(db)).toEqual([]);
    await sql`update media_items set type = 'image', size = ${place}, duration = 1.5, chunk_count = 3`.execute(db);
    expect(await findWrongTotals(db)).toEqual([]);
    await sql`update media_items set trashed_at = case when trashed_at is null then '2026-11-02' end, status = 'error'`.execute(
      db,
    );
    expect(await findWrongTotals(db)).toEqual([]);
    for (const { id } of rows.slice(2)) await deleteMedia(db, workspaceId, id);
    expect(await findWrongTotals(db)).toEqual([]);
    expect(await readTrashTotals(db, workspaceId)).toMatchObject({ items: 1 });
    const { moves } = await readVectorVersion(db, workspaceId, 'test@1');
    await sql`update trash_totals set items = items + 1`.execute(db);
    expect(await findWrongTotals(db)).toEqual([workspaceId]);
    await recountTotals(db);
    expect(await findWrongTotals(db)).toEqual([]);
    expect((await readVectorVersion(db, workspaceId, 'test@1')).moves).toBeGreaterThan(moves);
    await db.deleteFrom('workspaces').execute();
    expect(await db.selectFrom('trash_totals').selectAll().execute()).toEqual([]);
  });
});
