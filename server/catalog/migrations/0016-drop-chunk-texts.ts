import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * The full-text index of all workspaces goes: texts are searched in the indexes of each workspace, which are derived from chunks and items.
 * Its pages stay in the file and are used for what is stored next. A start that was killed in between runs it again.
 */
async function up(db: Kysely<unknown>): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await sql`drop trigger if exists chunk_texts_follow`.execute(transaction);
    await sql`drop table if exists chunk_texts`.execute(transaction);
  });
}

export const dropChunkTexts: Migration = { up };
