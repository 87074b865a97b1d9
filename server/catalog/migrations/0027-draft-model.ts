import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * What reads an item again is noted beside what read the texts that stay until then. A start that was killed after the commit, before the
 * migration was noted, runs it again.
 */
async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql`select 1 from pragma_table_info('text_extractions') where name = 'draft_model'`.execute(
    db,
  );
  if (rows.length === 0) await sql`alter table text_extractions add column draft_model text`.execute(db);
}

export const draftModel: Migration = { up };
