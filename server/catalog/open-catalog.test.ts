import SQLite from 'better-sqlite3';
import { Kysely, sql, SqliteDialect } from 'kysely';
import { Migrator } from 'kysely/migration';
import { expect, test } from 'vitest';
import { createSecrets, hashToken } from '../crypto/secrets.ts';
import { temporaryFolder } from '../testing/running-service.ts';
import { findApiKey, listApiKeys } from './api-keys.ts';
import { firstSchema } from './migrations/0001-first-schema.ts';
import { migrations, openCatalog } from './open-catalog.ts';
import { findPlan } from './plans.ts';

test('a catalog of the first version is migrated and keeps its data', async () => {
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
  // Creators did not exist then, so a value stored here references nothing.
  expect(await db.selectFrom('media_items').select(['id', 'creator_id']).execute()).toEqual([
    { id: 'm', creator_id: null },
  ]);
  // Its views have no vectors yet, so it has to be re-embedded.
  expect(await db.selectFrom('jobs').select(['workspace_id', 'media_id', 'kind']).execute()).toEqual([
    { workspace_id: 'w', media_id: 'm', kind: 'reembed' },
  ]);
  await db.destroy();
  await (await openCatalog(file)).destroy();
});

test('jobs of the two earlier tables are moved into one table unchanged', async () => {
  await using folder = await temporaryFolder();
  const file = folder.file('catalog.db');
  const old = new Kysely<unknown>({ dialect: new SqliteDialect({ database: new SQLite(file) }) });
  const earlier = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0012'));
  const provider = { getMigrations: () => Promise.resolve(earlier) };
  expect((await new Migrator({ db: old, provider }).migrateToLatest()).error).toBeUndefined();
  await sql`insert into workspaces (id, name, plan_id, created_at) values ('w', 'Old', 'self-hosted', '2026')`.execute(
    old,
  );
  for (const id of ['a', 'b', 'c']) {
    await sql`insert into media_items (workspace_id, id, filename, type, status, size, mime_type, sha256, created_at, updated_at)
      values ('w', ${id}, 'a.png', 'image', 'pending', 7, 'image/png', ${id}, '2026', '2026')`.execute(old);
  }
  await sql`insert into service_settings values ('target_embedder', 'tiny@1')`.execute(old);
  await sql`insert into jobs (workspace_id, media_id, attempts, lease_owner, lease_until, token, available_at, created_at)
    values ('w', 'a', 2, 'worker', '2026-01-02', 7, '2026-01-01', '2026-01-03'), ('w', 'b', 0, null, null, 0, null, '2026-01-04')`.execute(
    old,
  );
  await sql`insert into embedding_jobs (workspace_id, media_id, attempts, lease_owner, lease_until, token, available_at)
    values ('w', 'b', 1, 'other', '2026-01-05', 8, '2026-01-06'), ('w', 'c', 0, null, null, 0, null)`.execute(old);
  await old.destroy();

  const db = await openCatalog(file);
  const common = { workspace_id: 'w', lease_owner: null, lease_until: null, available_at: null, token: 0, attempts: 0 };
  const index = { ...common, kind: 'index', priority: 0, payload: '{}' };
  const reembed = {
    ...common,
    kind: 'reembed',
    priority: 1,
    payload: '{"embedder_id":"tiny@1"}',
    created_at: expect.any(String) as string,
  };
  const held = (worker: string, until: string, token: number, from: string, attempts: number) => ({
    lease_owner: worker,
    lease_until: until,
    token,
    available_at: from,
    attempts,
  });
  expect(await db.selectFrom('jobs').selectAll().orderBy('priority').orderBy('media_id').execute()).toEqual([
    { ...index, media_id: 'a', ...held('worker', '2026-01-02', 7, '2026-01-01', 2), created_at: '2026-01-03' },
    { ...index, media_id: 'b', created_at: '2026-01-04' },
    { ...reembed, media_id: 'b', ...held('other', '2026-01-05', 8, '2026-01-06', 1) },
    { ...reembed, media_id: 'c' },
  ]);
  // Jobs are still deleted with their item.
  await db.deleteFrom('media_items').where('id', '=', 'b').execute();
  expect(await db.selectFrom('jobs').select('media_id').orderBy('media_id').execute()).toEqual([
    { media_id: 'a' },
    { media_id: 'c' },
  ]);
  await db.destroy();
});
