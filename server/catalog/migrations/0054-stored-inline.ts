import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Vectors and views are numbers that do not become smaller, and PostgreSQL tried to compress each and to store it beside its row: half the time of
 * storing them. A row that has room in a page holds them now as they are. Rows that are there stay.
 */
export const storeInline: Migration = {
  async up(db) {
    for (const [table, column] of [
      ['chunk_vectors', 'vector'],
      ['chunk_views', 'vectors'],
    ] as const) {
      await sql`alter table ${sql.table(table)} alter column ${sql.ref(column)} set storage external`.execute(db);
      await sql`alter table ${sql.table(table)} set (toast_tuple_target = 8160)`.execute(db);
    }
  },
};
