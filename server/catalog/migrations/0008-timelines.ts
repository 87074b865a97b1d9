import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('timelines')
    .addColumn('number', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('first_sequence', 'integer', (column) => column.notNull())
    .execute();
  // Files that were derived before timelines existed are on none, and are derived again.
  await sql`insert into timelines (id, first_sequence) values (${randomUUID()}, 1)`.execute(db);
}

export const timelines: Migration = { up };
