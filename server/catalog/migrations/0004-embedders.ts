import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const text = 'text';

async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('service_settings')
    .addColumn('name', text, (column) => column.primaryKey())
    .addColumn('value', text, (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('embedders')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('reference', text, (column) => column.notNull())
    .execute();
  await db.schema.alterTable('workspaces').addColumn('embedder_id', text).execute();
  // The only embedder of earlier versions.
  await sql`update workspaces set embedder_id = 'builtin@1'`.execute(db);
  await db.schema
    .createTable('embedding_jobs')
    .addColumn('workspace_id', text, (column) => column.notNull())
    .addColumn('media_id', text, (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('lease_owner', text)
    .addColumn('lease_until', text)
    .addPrimaryKeyConstraint('embedding_jobs_key', ['workspace_id', 'media_id'])
    .addForeignKeyConstraint(
      'embedding_jobs_media',
      ['workspace_id', 'media_id'],
      'media_items',
      ['workspace_id', 'id'],
      (key) => key.onDelete('cascade'),
    )
    .execute();
}

export const embedders: Migration = { up };
