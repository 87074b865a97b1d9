import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Speech waits for the on-screen text of its own item, no longer for that of all items. Done twice it changes nothing. */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`update jobs set priority = 4 where kind = 'speech' and priority = 5`.execute(db);
}

export const textsInTurn: Migration = { up };
