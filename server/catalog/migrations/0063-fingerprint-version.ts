import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { columnTypes } from '../baseline/column-types.ts';
import type { Dialect } from '../dialect/differences.ts';

/**
 * Fingerprints say how they were made. Those of before are of version 1; of a photograph nothing has changed since. A start of SQLite that was killed before the
 * migration was noted runs it again.
 */
const stepOf = (dialect: Dialect['name']): Migration => ({
  async up(db: Kysely<unknown>) {
    const column = sql.raw(`version ${columnTypes(dialect).integer} not null default 1`);
    if (dialect === 'postgres') await sql`alter table fingerprints add column if not exists ${column}`.execute(db);
    else {
      const { rows } = await sql`select 1 from pragma_table_info('fingerprints') where name = 'version'`.execute(db);
      if (rows.length === 0) await sql`alter table fingerprints add column ${column}`.execute(db);
    }
    await sql`update fingerprints set version = 2 where exists (
      select 1 from media_items where media_items.workspace_id = fingerprints.workspace_id
        and media_items.id = fingerprints.media_id and media_items.type = 'image')`.execute(db);
  },
});

export const fingerprintVersion: Record<Dialect['name'], Migration> = {
  sqlite: stepOf('sqlite'),
  postgres: stepOf('postgres'),
};
