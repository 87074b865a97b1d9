import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { columnTypes } from '../baseline/column-types.ts';

const tables = ['api_keys', 'webhooks'] as const;

/**
 * The person that created a key or a webhook in the dashboard, so that it can be revoked with their membership; null: the operator created it,
 * or it is older than this column. A start of SQLite that was killed before the migration was noted runs it again.
 */
export const accessMakers: Record<'sqlite' | 'postgres', Migration> = {
  sqlite: {
    async up(db: Kysely<unknown>) {
      for (const table of tables) {
        const { rows } = await sql`select 1 from pragma_table_info(${table}) where name = 'created_by'`.execute(db);
        if (rows.length === 0) await db.schema.alterTable(table).addColumn('created_by', 'text').execute();
      }
    },
  },
  postgres: {
    async up(db: Kysely<unknown>) {
      for (const table of tables) {
        await sql`alter table ${sql.table(table)} add column if not exists created_by ${sql.raw(columnTypes('postgres').text)}`.execute(
          db,
        );
      }
    },
  },
};
