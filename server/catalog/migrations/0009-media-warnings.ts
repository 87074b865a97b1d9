import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('media_items').addColumn('warning_code', 'text').execute();
  await db.schema.alterTable('media_items').addColumn('warning_message', 'text').execute();
}

export const mediaWarnings: Migration = { up };
