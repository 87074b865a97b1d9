import SQLite from 'better-sqlite3';
import { Kysely, sql, SqliteDialect } from 'kysely';
import { Migrator } from 'kysely/migration';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { createSecrets, hashToken } from '../platform/crypto/secrets.ts';
import { findApiKey, listApiKeys } from './accounts/api-keys.ts';
import { findPlan } from './accounts/plans.ts';
import { findEmbedder, readActiveEmbedder } from './embedders.ts';
import { deleteMedia } from './media/media-items.ts';
import { readMediaUsage } from './media/media-totals.ts';
import { migrationsOf } from './migrations.ts';
import { firstSchema } from './migrations/0001-first-schema.ts';
import { openCatalog } from './open-catalog.ts';
import { chosenEmbedderSetting, readSetting } from './service-settings.ts';

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
  const earlier = Object.fromEntries(Object.entries(migrationsOf('sqlite')).filter(([name]) => name < '0012'));
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
  await deleteMedia(db, 'w', 'b');
  expect(await db.selectFrom('jobs').select('media_id').orderBy('media_id').execute()).toEqual([
    { media_id: 'a' },
    { media_id: 'c' },
  ]);
  await db.destroy();
});

/** A catalog as it was before a migration, with a workspace, an item and a chunk. */
async function catalogBefore(migration: string, file: string): Promise<Kysely<unknown>> {
  const old = new Kysely<unknown>({ dialect: new SqliteDialect({ database: new SQLite(file) }) });
  const earlier = Object.fromEntries(Object.entries(migrationsOf('sqlite')).filter(([name]) => name < migration));
  const provider = { getMigrations: () => Promise.resolve(earlier) };
  expect((await new Migrator({ db: old, provider }).migrateToLatest()).error).toBeUndefined();
  await sql`insert into workspaces (id, name, plan_id, created_at, embedder_id)
    values ('w', 'Old', 'self-hosted', '2026', 'builtin@1'), ('v', 'New', 'self-hosted', '2026', null)`.execute(old);
  await sql`insert into media_items (workspace_id, id, filename, type, status, size, mime_type, sha256, created_at, updated_at)
    values ('w', 'm', 'a.png', 'image', 'complete', 7, 'image/png', 'x', '2026', '2026')`.execute(old);
  await sql`insert into chunks (workspace_id, id, media_id, position, start_time, end_time, thumbnail_file)
    values ('w', 'c', 'm', 0, 0, 0, 'chunk.webp')`.execute(old);
  return old;
}

test('views and links of chunks get the workspace of their chunk, also after a start that was killed in the middle', async () => {
  await using folder = await temporaryFolder();
  const file = folder.file('catalog.db');
  const old = await catalogBefore('0028', file);
  await sql`insert into chunk_vectors (workspace_id, chunk_number, embedder_id, vector) values ('w', 1, 'e', x'00')`.execute(
    old,
  );
  await sql`insert into chunk_views (chunk_number, embedder_id, vectors) values (1, 'e', x'00')`.execute(old);
  await sql`insert into text_segments (workspace_id, media_id, source, start_time, end_time, text) values ('w', 'm', 'ocr', 0, 0, 'a')`.execute(
    old,
  );
  await sql`insert into chunk_segments (chunk_number, segment_number) values (1, 1)`.execute(old);
  // As far as the start came.
  await sql`alter table chunk_views add column workspace_id text not null default ''`.execute(old);
  await old.destroy();
  const db = await openCatalog(file);
  for (const table of ['chunk_views', 'chunk_segments'] as const)
    expect(await db.selectFrom(table).select('workspace_id').execute(), table).toEqual([{ workspace_id: 'w' }]);
  await db.destroy();
});

test('what names the former built-in embedder names the descriptors, and its vectors stay', async () => {
  await using folder = await temporaryFolder();
  const file = folder.file('catalog.db');
  const old = await catalogBefore('0013', file);
  const reference = { kind: 'builtin', id: 'builtin@1', dimensions: 90 };
  await sql`insert into embedders values ('builtin@1', ${JSON.stringify(reference)}), ('tiny@1', '{"id":"tiny@1"}')`.execute(
    old,
  );
  await sql`insert into service_settings values ('target_embedder', 'builtin@1')`.execute(old);
  for (const id of ['builtin@1', 'tiny@1']) {
    await sql`insert into chunk_vectors (workspace_id, chunk_number, embedder_id, vector)
      values ('w', 1, ${id}, ${Buffer.from(id)})`.execute(old);
    await sql`insert into chunk_views values (1, ${id}, ${Buffer.from(id)})`.execute(old);
  }
  await sql`insert into jobs (workspace_id, media_id, kind, priority, payload, created_at)
    values ('w', 'm', 'reembed', 1, '{"embedder_id":"builtin@1"}', '2026'), ('w', 'm', 'index', 0, '{}', '2026')`.execute(
    old,
  );
  await old.destroy();

  const db = await openCatalog(file);
  expect(await db.selectFrom('workspaces').select(['id', 'embedder_id']).orderBy('id').execute()).toEqual([
    { id: 'v', embedder_id: null },
    { id: 'w', embedder_id: 'descriptors@1' },
  ]);
  expect(await findEmbedder(db, 'builtin@1')).toBeNull();
  expect(await findEmbedder(db, 'descriptors@1')).toEqual({ ...reference, kind: 'descriptors', id: 'descriptors@1' });
  expect(await findEmbedder(db, 'tiny@1')).toEqual({ id: 'tiny@1' });
  expect(await readActiveEmbedder(db, 'v')).toBe('descriptors@1');
  for (const [table, column] of [
    ['chunk_vectors', 'vector'],
    ['chunk_views', 'vectors'],
  ] as const) {
    expect(
      (await sql`select embedder_id, cast(${sql.ref(column)} as text) as bytes from ${sql.table(table)}`.execute(db))
        .rows,
    ).toEqual([
      { embedder_id: 'descriptors@1', bytes: 'builtin@1' },
      { embedder_id: 'tiny@1', bytes: 'tiny@1' },
    ]);
  }
  expect(await db.selectFrom('jobs').select('payload').orderBy('priority').execute()).toEqual([
    { payload: '{}' },
    { payload: '{"embedder_id":"descriptors@1"}' },
  ]);
  // Nobody chose a model.
  expect(await readSetting(db, chosenEmbedderSetting)).toBeNull();
  // Views still go with their vectors.
  await db.deleteFrom('chunk_vectors').execute();
  expect(await db.selectFrom('chunk_views').selectAll().execute()).toEqual([]);
  await db.destroy();
});

test('a service that downloaded a model by itself keeps it', async () => {
  await using folder = await temporaryFolder();
  const chosenAfter = async (name: string, target: string, modelFolder: string, chosen?: string) => {
    const old = await catalogBefore('0013', folder.file(name));
    await sql`insert into service_settings values ('target_embedder', ${target})`.execute(old);
    const reference = JSON.stringify({ kind: 'semantic', id: target, folder: modelFolder });
    await sql`insert into embedders (id, reference) values (${target}, ${reference})`.execute(old);
    if (chosen) await sql`insert into service_settings values ('chosen_embedder', ${chosen})`.execute(old);
    await old.destroy();
    const db = await openCatalog(folder.file(name));
    const setting = await readSetting(db, chosenEmbedderSetting);
    await db.destroy();
    return setting;
  };
  const preset = 'siglip-base-patch16-224';
  const downloaded = `/data/models/${preset}`;
  expect(await chosenAfter('a.db', `${preset}@5f1c2a90:q8`, downloaded)).toBe(preset);
  expect(await chosenAfter('b.db', `${preset}@5f1c2a90:q8`, downloaded, '/models/own')).toBe('/models/own');
  expect(
    await chosenAfter('c.db', 'siglip2-base-patch16-224@5f1c2a90:q8', '/data/models/siglip2-base-patch16-224'),
  ).toBeNull();
  // A folder of one's own with the same name was set by EMBEDDER.
  expect(await chosenAfter('d.db', `${preset}@5f1c2a90:q8`, `/own/${preset}`)).toBeNull();
});

test('items of before have totals, also when the migration was interrupted before it was recorded', async () => {
  await using folder = await temporaryFolder();
  const file = folder.file('catalog.db');
  const old = await catalogBefore('0014', file);
  for (const [id, duration] of [
    ['a', 1.5],
    ['b', 2.25],
  ] as const) {
    await sql`insert into media_items (workspace_id, id, filename, type, status, size, duration, chunk_count, mime_type, sha256,
      created_at, updated_at) values ('v', ${id}, 'a.mp4', 'video', 'complete', 100, ${duration}, 3, 'video/mp4', ${id}, '2026', '2026')`.execute(
      old,
    );
  }
  await old.destroy();
  const totals = [
    { workspace_id: 'v', status: 'complete', type: 'video', items: 2, bytes: 200, microseconds: 3_750_000, chunks: 6 },
    { workspace_id: 'w', status: 'complete', type: 'image', items: 1, bytes: 7, microseconds: 0, chunks: 0 },
  ];
  for (let run = 0; run < 2; run++) {
    const db = await openCatalog(file);
    expect(await db.selectFrom('media_totals').selectAll().orderBy('workspace_id').execute()).toEqual(totals);
    await sql`delete from kysely_migration where name >= '0014'`.execute(db);
    await db.destroy();
  }
  const db = await openCatalog(file);
  await db.deleteFrom('media_items').where('id', '=', 'a').execute();
  expect(await readMediaUsage(db, 'v')).toMatchObject({ media_items: 1, storage_bytes: 100, indexed_seconds: 2.25 });
  await db.destroy();
});
