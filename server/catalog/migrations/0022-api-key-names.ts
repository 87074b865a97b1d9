import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What a key is for, in its owner's words; null for keys that were given none. A start that was killed before it was noted runs it again. */
async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql`select 1 from pragma_table_info('api_keys') where name = 'name'`.execute(db);
  if (rows.length === 0) await db.schema.alterTable('api_keys').addColumn('name', 'text').execute();
}

export const apiKeyNames: Migration = { up };
