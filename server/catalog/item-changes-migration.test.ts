import SQLite from 'better-sqlite3';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { makeEarlierCatalog, openAndKill } from '../testing/earlier-catalog.ts';
import { findChunksWithTexts } from './media/chunks.ts';
import { listChangesAfter, readItemsForIndex, readLastChange } from './media/item-changes.ts';
import { isInHistory } from './media/timelines.ts';
import { openCatalog } from './open-catalog.ts';
import type { Catalog } from './schema.ts';

/** A catalog as it was before item changes, with a full-text index: a film of two chunks with tags, a photograph without tags, and an item that waits. */
async function makeOldCatalog(file: string): Promise<void> {
  const old = await makeEarlierCatalog(file, '0014');
  await sql`insert into workspaces (id, name, plan_id, created_at) values ('w', 'Old', 'self-hosted', '2026')`.execute(
    old,
  );
  await sql`insert into media_items (workspace_id, id, filename, type, status, size, mime_type, sha256, created_at, updated_at) values
    ('w', 'film', 'RedCar_02.mp4', 'video', 'complete', 7, 'video/mp4', 'x', '2026-02', '2026'),
    ('w', 'photo', 'a.png', 'image', 'complete', 7, 'image/png', 'y', '2026-01', '2026'),
    ('w', 'waiting', 'b.png', 'image', 'pending', 7, 'image/png', 'z', '2026-03', '2026')`.execute(old);
  await sql`insert into chunks (workspace_id, id, media_id, position, start_time, end_time, thumbnail_file, text) values
    ('w', 'c1', 'photo', 0, 0, 0, 'chunk.webp', null),
    ('w', 'c2', 'film', 0, 0, 2, 'chunk.webp', 'Hello there'),
    ('w', 'c3', 'film', 1, 2, 4, 'chunk.webp', null)`.execute(old);
  await sql`insert into chunk_texts (rowid, text, filename, tags) values
    (1, '', 'a', ''), (2, 'Hello there', 'Red Car 02', 'Holiday film'), (3, '', 'Red Car 02', 'Holiday film')`.execute(
    old,
  );
  await sql`insert into chunk_vectors (workspace_id, chunk_number, embedder_id, vector)
    values ('w', 1, 'e@1', ${Buffer.alloc(8)})`.execute(old);
  await old.destroy();
}

async function expectMigrated(db: Catalog): Promise<void> {
  const changes = await listChangesAfter(db, 'w', 0, 100);
  expect(changes.map(({ media_id }) => media_id)).toEqual(['photo', 'film', 'waiting']);
  const items = await readItemsForIndex(db, 'w', ['photo', 'film', 'waiting']);
  expect(new Map(items.map(({ id, tags, chunks }) => [id, [tags, chunks.length]]))).toEqual(
    new Map([
      ['photo', ['', 1]],
      ['film', ['Holiday film', 2]],
      ['waiting', ['', 0]],
    ]),
  );
  const found = await findChunksWithTexts(db, 'w', [2, 3], {});
  expect(new Map(found.map(({ chunk, texts }) => [chunk.number, texts]))).toMatchObject(
    new Map([
      [2, { segments: [{ text: 'Hello there' }], filename: 'RedCar_02.mp4', tags: 'Holiday film' }],
      [3, { segments: [], filename: 'RedCar_02.mp4', tags: 'Holiday film' }],
    ]),
  );
  // The full-text index is gone with its trigger, which would fail each deletion.
  expect((await sql`select name from sqlite_schema where sql like '%chunk_texts%'`.execute(db)).rows).toEqual([]);
  await db.deleteFrom('chunks').where('number', '=', 2).execute();
  // The triggers are all there.
  await db.deleteFrom('chunk_vectors').execute();
  await db.updateTable('media_items').set({ tags: 'new' }).where('id', '=', 'film').execute();
  await db.deleteFrom('media_items').where('id', '=', 'waiting').execute();
  const since = await listChangesAfter(db, 'w', changes.at(-1)?.sequence ?? 0, 100);
  expect(since.map(({ media_id }) => media_id)).toEqual(['photo', 'film', 'waiting']);
}

test('the items of an old catalog get their tags from the full-text index, and a row of the record each', async () => {
  await using folder = await temporaryFolder();
  const file = folder.file('catalog.db');
  await makeOldCatalog(file);
  const old = new SQLite(file);
  const before = old.prepare<[], { id: string }>('select id from timelines order by number desc').get();
  old.close();
  const db = await openCatalog(file);
  // A timeline of before holds no change: another copy of that catalog may have numbered its items otherwise.
  const change = await readLastChange(db, 'w');
  expect(change).toBe(3);
  expect(await isInHistory(db, { timeline: before?.id ?? '', change: 1 })).toBe(false);
  expect(await isInHistory(db, { timeline: before?.id ?? '', sequence: 1 })).toBe(true);
  await expectMigrated(db);
  await db.destroy();
});

test.each([
  'update media_items set tags',
  'create trigger item_changes_once',
  'create trigger item_changes_deleted_vector',
  'insert into timelines',
  // After its commit: the migration runs once more.
  '0015-item-changes',
  'drop table if exists chunk_texts',
  '0016-drop-chunk-texts',
])('a catalog whose migration was killed before "%s" is migrated by the next start', async (statement) => {
  await using folder = await temporaryFolder();
  const file = folder.file('catalog.db');
  await makeOldCatalog(file);
  await openAndKill(file, statement);
  const db = await openCatalog(file);
  await expectMigrated(db);
  await db.destroy();
});
