import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const columns = [
  'requests_per_minute',
  'requests_at_once',
  'searches_at_once',
  'reranks_at_once',
  'image_searches_at_once',
  'uploads_at_once',
  'imports_at_once',
  'agents_at_once',
];

/** What a plan lets its workspaces do at once; null: the usual. A start of SQLite that was killed before it was noted runs it again. */
export const trafficLimits: Record<'sqlite' | 'postgres', Migration> = {
  sqlite: {
    async up(db: Kysely<unknown>) {
      const { rows } = await sql<{ name: string }>`select name from pragma_table_info('plans')`.execute(db);
      const known = new Set(rows.map(({ name }) => name));
      for (const column of columns.filter((each) => !known.has(each))) {
        await db.schema.alterTable('plans').addColumn(column, 'integer').execute();
      }
    },
  },
  postgres: {
    async up(db: Kysely<unknown>) {
      for (const column of columns) {
        await sql`alter table plans add column if not exists ${sql.ref(column)} bigint`.execute(db);
      }
    },
  },
};
