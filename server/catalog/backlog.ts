import { sql } from 'kysely';
import { dialectOf } from './dialect/dialect.ts';
import type { Catalog } from './schema.ts';

/** What waits beside jobs and deliveries, and how large the catalog is. */
export type Backlog = {
  /** Deleted items whose files are not removed yet. */
  removals: number;
  /** Resumable uploads that have not arrived whole. */
  uploads: number;
  /** Of the file, or of the database with its indexes. */
  bytes: number;
};

/** Reads a few pages, but for `bytes` in PostgreSQL, which looks at each file of the database. */
export async function readBacklog(db: Catalog): Promise<Backlog> {
  const bytes =
    dialectOf(db).name === 'sqlite'
      ? sql`(select page_count * page_size from pragma_page_count(), pragma_page_size())`
      : sql`pg_database_size(current_database())`;
  const { rows } = await sql<Backlog>`
    select (select count(*) from pending_removals) as removals,
      (select count(*) from uploads) as uploads, ${bytes} as bytes`.execute(db);
  return rows[0] ?? { removals: 0, uploads: 0, bytes: 0 };
}
