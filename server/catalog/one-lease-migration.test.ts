import { PGlite, types } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import SQLite from 'better-sqlite3';
import { Kysely, PGliteDialect, sql, SqliteDialect } from 'kysely';
import { Migrator } from 'kysely/migration';
import { expect, test } from 'vitest';
import { findExport } from './exports/export-rows.ts';
import { takeUpload } from './media/uploads.ts';
import { migrationsOf } from './migrations.ts';
import { claimJobOf } from './queue/job-queue.ts';
import type { Catalog } from './schema.ts';

const openers = {
  sqlite: async () => new SqliteDialect({ database: new SQLite(':memory:') }),
  postgres: async () => {
    const parsers = { [types.INT8]: Number, [types.NUMERIC]: Number };
    return new PGliteDialect({ pglite: await PGlite.create({ extensions: { vector }, parsers }) });
  },
};

/** Brings a schema up to date, or to a change before it. */
async function migrate(db: Catalog, name: keyof typeof openers, before = '9999') {
  const migrations = Object.fromEntries(Object.entries(migrationsOf(name)).filter(([step]) => step < before));
  const { error } = await new Migrator({ db, provider: { getMigrations: async () => migrations } }).migrateToLatest();
  expect(error).toBeUndefined();
}

/** Rows of before: an item with a job that a worker holds, one to compare, and two uploads, of which a request holds one. */
async function fill(db: Catalog) {
  await sql`insert into workspaces (id, name, plan_id, created_at) values ('w', 'Old', 'self-hosted', '2026')`.execute(
    db,
  );
  await sql`insert into media_items (workspace_id, id, filename, type, status, size, mime_type, sha256, created_at, updated_at)
    values ('w', 'a', 'a.png', 'image', 'indexing', 7, 'image/png', 'a', '2026', '2026')`.execute(db);
  await sql`insert into jobs (workspace_id, media_id, kind, priority, payload, attempts, lease_owner, lease_until, token, created_at)
    values ('w', 'a', 'index', 0, '{}', 2, 'worker', '2999', 7, '2026')`.execute(db);
  await sql`insert into match_requests (workspace_id, media_id, version) values ('w', 'a', 3)`.execute(db);
  const until = new Date(Date.now() + 9000).toISOString();
  for (const [id, writer] of [
    ['held', 'request'],
    ['free', null],
  ])
    await sql`insert into uploads (workspace_id, id, item_id, filename, length, metadata, labels, writer, writer_until, created_at, expires_at)
      values ('w', ${id}, ${id}, 'b.png', 9, '', '{}', ${writer}, ${writer && until}, '2026', '2999')`.execute(db);
}

test.each(['sqlite', 'postgres'] as const)('rows of before are kept on %s', async (name) => {
  await using db = new Kysely({ dialect: await openers[name]() }) as Catalog;
  await migrate(db, name, '0043');
  await fill(db);
  if (name === 'postgres') {
    for (const [id, status] of [
      ['ready', 'ready'],
      ['going', 'processing'],
    ])
      await sql`insert into exports (workspace_id, id, format, filename, request, status, owner, attempts, wanted_until, expires_at)
        values ('w', ${id}, 'mp4', 'c.mp4', '{}', ${status}, 'process', 1, '2999-01-01', '2999-01-01T00:00:00.5Z')`.execute(
        db,
      );
  }
  await migrate(db, name);
  const jobs = db.selectFrom('jobs').select(['media_id', 'kind', 'priority', 'attempts', 'lease_owner', 'token']);
  expect(await jobs.where('kind', '=', 'index').execute()).toEqual([
    { media_id: 'a', kind: 'index', priority: 0, attempts: 2, lease_owner: 'worker', token: 7 },
  ]);
  expect(await claimJobOf(db, 'process', 'match')).toMatchObject({ id: 'a', attempts: 1 });
  expect(await takeUpload(db, 'w', 'held', 'other')).toBeUndefined();
  expect(await takeUpload(db, 'w', 'free', 'other')).toMatchObject({ lease_owner: 'other' });
  if (name === 'postgres') {
    expect(await findExport(db, { workspace_id: 'w', id: 'ready' })).toMatchObject({
      status: 'ready',
      attempts: 1,
      expires_at: '2999-01-01T00:00:00.500Z',
    });
    expect(await claimJobOf(db, 'process', 'export')).toMatchObject({ id: 'going' });
    expect(await findExport(db, { workspace_id: 'w', id: 'going' })).toMatchObject({ attempts: 2 });
  }
  // A job of an export names no item, and all go with their workspace.
  await db.deleteFrom('workspaces').execute();
  expect(await jobs.execute()).toEqual([]);
});
