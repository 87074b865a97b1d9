import { CompiledQuery, type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { texts } from '../postgres/schema/texts.ts';

/**
 * Postings of texts; what is stored already is noted, and indexed by the next transaction or search of its workspace. In SQLite the index of
 * texts is in memory, and a file beside the catalog.
 */
async function createTextIndex(db: Kysely<unknown>): Promise<void> {
  for (const statement of texts) await db.executeQuery(CompiledQuery.raw(statement));
  await sql`insert into text_changes (workspace_id, media_id) select distinct workspace_id, media_id from chunks`.execute(
    db,
  );
}

export const textIndex: Migration = { up: createTextIndex };
