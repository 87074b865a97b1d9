import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { backends } from '../../testing/fresh-catalog.ts';
import { claim, indexed, openTestCatalog } from '../../testing/test-catalog.ts';
import { completeIndexing, failIndexing, reportProgress } from '../queue/indexing-jobs.ts';
import type { Catalog } from '../schema.ts';
import { deleteMedia, retryMedia } from './media-items.ts';
import { findWrongTotals, listMediaTotals, readMediaUsage, recountTotals } from './media-totals.ts';

describe.each(backends)('over %s', (backend) => {
  /** Totals with items, as the items themselves say. */
  async function countItems(db: Catalog): Promise<unknown[]> {
    const { rows } = await sql`
    select workspace_id, status, type, count(*) as items, sum(size) as bytes,
      cast(sum(round(coalesce(duration, 0) * 1000000)) as integer) as microseconds, sum(chunk_count) as chunks
    from media_items group by workspace_id, status, type order by status, type`.execute(db);
    return rows;
  }

  const present = async (db: Catalog, workspaceId: string) =>
    (await listMediaTotals(db, workspaceId)).filter(({ items }) => items > 0);

  test('totals follow an item through its life', async () => {
    await using t = await openTestCatalog(backend);
    const { db, workspaceId } = t;
    const total = { workspace_id: workspaceId, type: 'video', items: 1, bytes: 1000, microseconds: 0, chunks: 0 };
    const media = await t.add();
    expect(await present(db, workspaceId)).toEqual([{ ...total, status: 'pending' }]);
    const job = await claim(db, 'a');
    await reportProgress(db, job, 'analysing', 0.5);
    expect(await present(db, workspaceId)).toEqual([{ ...total, status: 'indexing' }]);
    await failIndexing(db, job, { code: 'indexing_failed', message: 'It broke.' });
    expect(await present(db, workspaceId)).toEqual([{ ...total, status: 'error' }]);
    await retryMedia(db, workspaceId, media.id, []);
    await completeIndexing(db, await claim(db, 'a'), indexed(['one', 'two']));
    expect(await present(db, workspaceId)).toEqual([
      { ...total, status: 'complete', microseconds: 2_000_000, chunks: 2 },
    ]);
    expect(await readMediaUsage(db, workspaceId)).toEqual({
      media_items: 1,
      storage_bytes: 1000,
      indexed_seconds: 2,
      by_status: { pending: 0, indexing: 0, complete: 1, error: 0 },
      by_type: { video: 1, image: 0, audio: 0 },
      chunks: 2,
      trash: { media_items: 0, storage_bytes: 0 },
    });
    // Found again as a photograph.
    await db.updateTable('media_items').set({ type: 'image', duration: null }).execute();
    expect(await present(db, workspaceId)).toEqual([
      { ...total, status: 'complete', type: 'image', microseconds: 0, chunks: 2 },
    ]);
    await deleteMedia(db, workspaceId, media.id);
    expect(await present(db, workspaceId)).toEqual([]);
    expect(await findWrongTotals(db)).toEqual([]);
  });

  test('only complete items use seconds, and fractions add up exactly', async () => {
    await using t = await openTestCatalog(backend);
    const rows = [];
    for (let i = 0; i < 30; i++) rows.push(await t.add());
    await t.db.updateTable('media_items').set({ duration: 0.1, status: 'complete' }).execute();
    expect((await readMediaUsage(t.db, t.workspaceId)).indexed_seconds).toBe(3);
    for (const { id } of rows.slice(1)) await deleteMedia(t.db, t.workspaceId, id);
    expect((await readMediaUsage(t.db, t.workspaceId)).indexed_seconds).toBe(0.1);
    await t.db.updateTable('media_items').set({ status: 'error' }).execute();
    expect((await readMediaUsage(t.db, t.workspaceId)).indexed_seconds).toBe(0);
  });

  test('whatever statement changes items, the totals are those of the items', async () => {
    await using t = await openTestCatalog(backend);
    const { db } = t;
    for (let i = 0; i < 8; i++) await t.add();
    const check = async () => {
      expect(await findWrongTotals(db)).toEqual([]);
      const stored = (await present(db, t.workspaceId)).toSorted((a, b) =>
        `${a.status} ${a.type}`.localeCompare(`${b.status} ${b.type}`),
      );
      expect(stored).toEqual(await countItems(db));
    };
    // Of the item among all.
    const place = sql`cast(substr(sha256, 62) as integer)`;
    // Many rows at once, to and from several groups.
    await sql`update media_items set type = 'image', size = size + ${place} where ${place} % 2 = 0`.execute(db);
    await check();
    await sql`update media_items set status = 'complete', duration = ${place} / 3.0, chunk_count = ${place} where ${place} % 3 = 0`.execute(
      db,
    );
    await check();
    // In SQLite the conflict clause of a statement also applies to what its triggers do.
    for (const clause of backend === 'sqlite' ? ['ignore', 'abort', 'fail'] : []) {
      await sql`insert or ${sql.raw(clause)} into media_items
      (workspace_id, id, filename, type, status, size, mime_type, sha256, created_at, updated_at)
      select workspace_id, ${clause} || id, filename, type, status, size, mime_type, ${clause} || sha256, created_at, updated_at
      from media_items limit 2`.execute(db);
      await check();
    }
    await sql`insert into media_items
    (workspace_id, id, filename, type, status, size, mime_type, sha256, created_at, updated_at)
    select workspace_id, id, filename, type, status, size, mime_type, sha256, created_at, updated_at from media_items
    where true on conflict do nothing`.execute(db);
    await check();
    await expect(
      db.transaction().execute(async (transaction) => {
        await transaction.deleteFrom('media_items').execute();
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    await check();
    await sql`delete from media_items where id in (select id from media_items order by id limit 4)`.execute(db);
    await check();
    await db.deleteFrom('workspaces').execute();
    expect(await db.selectFrom('media_totals').selectAll().execute()).toEqual([]);
  });

  test('wrong totals are found and counted again', async () => {
    await using t = await openTestCatalog(backend);
    await t.add();
    for (const damage of [
      sql`update media_totals set bytes = bytes + 1`,
      sql`update media_totals set items = 0, bytes = 0`,
      sql`delete from media_totals`,
      sql`insert into media_totals values (${t.workspaceId}, 'complete', 'image', 0, 0, 0, 3)`,
    ]) {
      await damage.execute(t.db);
      expect(await findWrongTotals(t.db)).toEqual([t.workspaceId]);
      await recountTotals(t.db);
      expect(await findWrongTotals(t.db)).toEqual([]);
      expect(await present(t.db, t.workspaceId)).toEqual(await countItems(t.db));
    }
  });
});
