import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { text } from '../postgres/schema/column-types.ts';

/** Who began an upload in the dashboard; null for scripts. A start of SQLite that was killed before it was noted runs it again. */
export const uploadMakers: Record<'sqlite' | 'postgres', Migration> = {
  sqlite: {
    async up(db: Kysely<unknown>) {
      const { rows } = await sql`select 1 from pragma_table_info('uploads') where name = 'created_by'`.execute(db);
      if (rows.length === 0) await db.schema.alterTable('uploads').addColumn('created_by', 'text').execute();
    },
  },
  postgres: {
    async up(db: Kysely<unknown>) {
      await sql`alter table uploads add column if not exists created_by ${sql.raw(text)}`.execute(db);
    },
  },
};
