import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Chinese words are compared in simplified characters, and what programs name has no words in it: all texts are noted, and indexed again by the next
 * transaction or search of their workspace. In SQLite the index of texts is a file with a version. It may be run again.
 */
async function foldAgain(db: Kysely<unknown>): Promise<void> {
  await sql`insert into text_changes (workspace_id, media_id) select distinct workspace_id, media_id from chunks
    on conflict (workspace_id, media_id) do nothing`.execute(db);
}

export const foldTextsAgain: Migration = { up: foldAgain };
