import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Public links to items and moments. They go with their item. */
async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('shares')
    .ifNotExists()
    .addColumn('workspace_id', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('token_hash', 'text', (column) => column.notNull().unique())
    .addColumn('sealed', 'blob', (column) => column.notNull())
    .addColumn('media_id', 'text', (column) => column.notNull())
    .addColumn('start_time', 'real')
    .addColumn('end_time', 'real')
    .addColumn('title', 'text')
    .addColumn('created_by', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .addColumn('views', 'integer', (column) => column.notNull().defaultTo(0))
    .addPrimaryKeyConstraint('shares_key', ['workspace_id', 'id'])
    .addForeignKeyConstraint(
      'shares_media',
      ['workspace_id', 'media_id'],
      'media_items',
      ['workspace_id', 'id'],
      (key) => key.onDelete('cascade'),
    )
    .execute();
  await db.schema
    .createIndex('shares_of_media')
    .ifNotExists()
    .on('shares')
    .columns(['workspace_id', 'media_id'])
    .execute();
  await db.schema.createIndex('shares_expiring').ifNotExists().on('shares').column('expires_at').execute();
}

export const shares: Migration = { up };
