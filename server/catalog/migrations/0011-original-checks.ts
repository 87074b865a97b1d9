import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('media_items').addColumn('original_problem', 'text').execute();
  await db.schema.alterTable('media_items').addColumn('original_checked_at', 'text').execute();
  // An upload is hashed as it arrives, so an item that was never checked counts as checked at its creation.
  await sql`create index media_items_by_check on media_items (coalesce(original_checked_at, created_at))`.execute(db);
}

export const originalChecks: Migration = { up };
