import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('media_items').addColumn('placeholder', 'text').execute();
}

export const placeholders: Migration = { up };
