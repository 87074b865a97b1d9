import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * What the detector of an embedder saw in a chunk, beside its views; empty where that is not known. A start of SQLite that was killed before the migration
 * was noted runs it again.
 */
export const seenThings: Record<'sqlite' | 'postgres', Migration> = {
  sqlite: {
    async up(db: Kysely<unknown>) {
      const { rows } = await sql`select 1 from pragma_table_info('chunk_views') where name = 'things'`.execute(db);
      if (rows.length === 0) await sql`alter table chunk_views add column things blob not null default x''`.execute(db);
    },
  },
  postgres: {
    async up(db: Kysely<unknown>) {
      await sql`alter table chunk_views add column if not exists things bytea not null default ''`.execute(db);
    },
  },
};
