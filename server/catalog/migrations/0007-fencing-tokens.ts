import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

async function up(db: Kysely<unknown>): Promise<void> {
  // One counter for all jobs: a new job for the same item never gets a token that the item had before.
  await db.schema
    .createTable('fencing_counter')
    .addColumn('last', 'integer', (column) => column.notNull())
    .execute();
  await (db as Kysely<{ fencing_counter: { last: number } }>)
    .insertInto('fencing_counter')
    .values({ last: 0 })
    .execute();
  for (const table of ['jobs', 'embedding_jobs'] as const) {
    await db.schema
      .alterTable(table)
      .addColumn('token', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema.alterTable(table).addColumn('available_at', 'text').execute();
  }
  await db.schema.alterTable('media_items').addColumn('renditions_token', 'integer').execute();
  await db.schema
    .createTable('pending_removals')
    .addColumn('workspace_id', 'text', (column) => column.notNull())
    .addColumn('media_id', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('pending_removals_key', ['workspace_id', 'media_id'])
    .execute();
}

export const fencingTokens: Migration = { up };
