import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('chunks')
    .addColumn('blank', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}

export const blankChunks: Migration = { up };
