import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { makeEarlierCatalog, openAndKill } from '../testing/earlier-catalog.ts';
import { findChunksWithTexts } from './media/chunks.ts';
import { readLastChange } from './media/item-changes.ts';
import { openCatalog } from './open-catalog.ts';
import type { Catalog } from './schema.ts';
import { listSegments, joinTexts } from './texts/text-segments.ts';

/** What quoting and parting lines could damage. */
const awkward = 'He said "no\\never", C:\\new\u0001\ttab, 終わり 🎬';

/** A catalog of the version before: a film with texts in two of its three chunks, and one with the same text. */
async function makeOldCatalog(file: string): Promise<void> {
  const old = await makeEarlierCatalog(file, '0023');
  await sql`insert into workspaces (id, name, plan_id, created_at) values ('w', 'Old', 'self-hosted', '2026')`.execute(
    old,
  );
  await sql`insert into media_items (workspace_id, id, filename, type, status, size, mime_type, sha256, created_at, updated_at) values
    ('w', 'film', 'a.mp4', 'video', 'complete', 7, 'video/mp4', 'x', '2026', '2026'),
    ('w', 'other', 'b.mp4', 'video', 'complete', 7, 'video/mp4', 'y', '2026', '2026')`.execute(old);
  await sql`insert into chunks (workspace_id, id, media_id, position, start_time, end_time, thumbnail_file, text) values
    ('w', 'c1', 'film', 0, 0, 2, 'chunk.webp', ${`Hello there\n${awkward}\n\nBye`}),
    ('w', 'c2', 'film', 1, 2, 4, 'chunk.webp', null),
    ('w', 'c3', 'film', 2, 4, 6, 'chunk.webp', 'Bye'),
    ('w', 'c4', 'other', 0, 0, 2, 'chunk.webp', 'Bye'),
    ('w', 'c5', 'other', 1, 2, 4, 'chunk.webp', '')`.execute(old);
  await old.destroy();
}

async function expectMigrated(db: Catalog): Promise<void> {
  const { rows } = await listSegments(db, 'w', 'film', { page: 1, per_page: 100 });
  expect(rows.map(({ source, start_time, end_time, text }) => [source, start_time, end_time, text])).toEqual([
    ['subtitle', 0, 2, 'Hello there'],
    ['subtitle', 0, 2, awkward],
    ['subtitle', 0, 2, 'Bye'],
    ['subtitle', 4, 6, 'Bye'],
  ]);
  const found = await findChunksWithTexts(db, 'w', [1, 2, 3, 4, 5], {});
  expect(new Map(found.map(({ chunk, texts }) => [chunk.number, joinTexts(texts.segments)]))).toEqual(
    new Map([
      [1, `Hello there\n${awkward}\nBye`],
      [2, ''],
      [3, 'Bye'],
      [4, 'Bye'],
      [5, ''],
    ]),
  );
  // What an index holds is a change, whoever writes it; all else of a text is none.
  const changes = async (statement: ReturnType<typeof sql>) => {
    const before = await readLastChange(db, 'w');
    await statement.execute(db);
    return (await readLastChange(db, 'w')) > before;
  };
  expect(await changes(sql`update chunks set end_time = 2.5 where number = 1`)).toBe(true);
  expect(await changes(sql`update text_segments set text = 'Adieu' where number = 3`)).toBe(true);
  expect(await changes(sql`update text_segments set confidence = 1 where number = 3`)).toBe(false);
  expect(await changes(sql`insert into chunk_segments (chunk_number, segment_number) values (2, 3)`)).toBe(true);
  expect(await changes(sql`delete from text_segments where number = 3`)).toBe(true);
  expect(await changes(sql`delete from workspaces where id = 'w'`)).toBe(false);
  for (const table of ['text_segments', 'chunk_segments', 'item_changes'] as const) {
    expect(await db.selectFrom(table).selectAll().execute(), table).toEqual([]);
  }
}

test.each([
  null,
  'create table chunk_segments',
  'insert into chunk_segments',
  'drop column text',
  'create trigger item_changes_text',
  // After its commit: the migration runs once more.
  '0023-text-segments',
])(
  'the texts of an old catalog become segments; a start that is killed before "%s" leaves it to the next',
  async (statement) => {
    await using folder = await temporaryFolder();
    const file = folder.file('catalog.db');
    await makeOldCatalog(file);
    if (statement !== null) await openAndKill(file, statement);
    const db = await openCatalog(file);
    await expectMigrated(db);
    await db.destroy();
  },
);
