import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const text = 'text';

/** One table for jobs of all kinds. Pending and leased jobs of both earlier tables stay as they are. */
async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('jobs').renameTo('index_jobs').execute();
  await db.schema
    .createTable('jobs')
    .addColumn('workspace_id', text, (column) => column.notNull())
    .addColumn('media_id', text, (column) => column.notNull())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('priority', 'integer', (column) => column.notNull())
    .addColumn('payload', text, (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('lease_owner', text)
    .addColumn('lease_until', text)
    .addColumn('token', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('available_at', text)
    .addColumn('created_at', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('jobs_key', ['workspace_id', 'media_id', 'kind'])
    .addForeignKeyConstraint('jobs_media', ['workspace_id', 'media_id'], 'media_items', ['workspace_id', 'id'], (key) =>
      key.onDelete('cascade'),
    )
    .execute();
  await sql`
    insert into jobs (workspace_id, media_id, kind, priority, payload, attempts, lease_owner, lease_until, token, available_at, created_at)
    select workspace_id, media_id, 'index', 0, '{}', attempts, lease_owner, lease_until, token, available_at, created_at from index_jobs
  `.execute(db);
  await sql`
    insert into jobs (workspace_id, media_id, kind, priority, payload, attempts, lease_owner, lease_until, token, available_at, created_at)
    select workspace_id, media_id, 'reembed', 1,
      json_object('embedder_id', coalesce((select value from service_settings where name = 'target_embedder'), 'builtin@1')),
      attempts, lease_owner, lease_until, token, available_at, ${new Date().toISOString()} from embedding_jobs
  `.execute(db);
  await db.schema.dropTable('index_jobs').execute();
  await db.schema.dropTable('embedding_jobs').execute();
  await db.schema.createIndex('jobs_order').on('jobs').columns(['priority', 'created_at', 'media_id']).execute();
}

export const oneJobTable: Migration = { up };
