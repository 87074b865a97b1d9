import SQLite from 'better-sqlite3';
import { Kysely, sql, SqliteDialect } from 'kysely';
import { Migrator } from 'kysely/migration';
import { expect, test } from 'vitest';
import { createSecrets, hashToken } from '../crypto/secrets.ts';
import { temporaryFolder } from '../testing/running-service.ts';
import { findApiKey, listApiKeys } from './api-keys.ts';
import { firstSchema } from './migrations/0001-first-schema.ts';
import { openCatalog } from './open-catalog.ts';
import { findPlan } from './plans.ts';

test('a catalog of the first version is brought up to date and keeps what it holds', async () => {
  await using folder = await temporaryFolder();
  const file = folder.file('catalog.db');
  const old = new Kysely<unknown>({ dialect: new SqliteDialect({ database: new SQLite(file) }) });
  const provider = { getMigrations: () => Promise.resolve({ '0001-first-schema': firstSchema }) };
  expect((await new Migrator({ db: old, provider }).migrateToLatest()).error).toBeUndefined();
  const key = 'service_of-before';
  const sealed = createSecrets(new Uint8Array(32)).seal(key);
  await sql`insert into workspaces values ('w', 'Old', 'self-hosted', '2026-01-01')`.execute(old);
  await sql`insert into people values ('p', 'Owner', '2026-01-01')`.execute(old);
  await sql`insert into memberships values ('w', 'p', 'owner', '2026-01-01')`.execute(old);
  await sql`insert into api_keys values ('w', 'k', ${hashToken(key)}, ${sealed}, '2026-01-01', null)`.execute(old);
  await sql`insert into media_items (workspace_id, id, filename, type, status, creator_id, size, mime_type, sha256, created_at,
    updated_at) values ('w', 'm', 'a.png', 'image', 'complete', 'nobody', 7, 'image/png', 'x', '2026', '2026')`.execute(
    old,
  );
  await sql`insert into chunks (workspace_id, id, media_id, position, start_time, end_time, thumbnail_file)
    values ('w', 'c', 'm', 0, 0, 0, 'chunk.webp')`.execute(old);
  await sql`insert into chunk_vectors (workspace_id, chunk_number, embedder_id, vector)
    values ('w', 1, 'builtin@1', ${Buffer.alloc(8)})`.execute(old);
  await old.destroy();

  const db = await openCatalog(file);
  expect(await findApiKey(db, key)).toMatchObject({ id: 'k', workspace_id: 'w' });
  expect(await listApiKeys(db, 'w')).toMatchObject([{ id: 'k', ending: null, expires_at: null }]);
  expect(await findPlan(db, 'w')).toMatchObject({ id: 'self-hosted', storage_bytes: null });
  // There were no creators then, so whatever was written here names nothing.
  expect(await db.selectFrom('media_items').select(['id', 'creator_id']).execute()).toEqual([
    { id: 'm', creator_id: null },
  ]);
  // Its parts have no vectors yet, so it is to be embedded again.
  expect(await db.selectFrom('embedding_jobs').select(['workspace_id', 'media_id']).execute()).toEqual([
    { workspace_id: 'w', media_id: 'm' },
  ]);
  await db.destroy();
  await (await openCatalog(file)).destroy();
});
