import { CompiledQuery, type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { accounts } from '../postgres/schema/accounts.ts';
import { chunks } from '../postgres/schema/chunks.ts';
import { items } from '../postgres/schema/items.ts';
import { triggers } from '../postgres/schema/triggers.ts';

/**
 * Views and links of chunks name their workspace, so that every query can: PostgreSQL finds a row by its workspace and its number. A start
 * that was killed in the middle leaves the rest to the next.
 */
async function nameWorkspaces(db: Kysely<unknown>): Promise<void> {
  for (const table of ['chunk_views', 'chunk_segments']) {
    const { rows } = await sql`select 1 from pragma_table_info(${table}) where name = 'workspace_id'`.execute(db);
    if (rows.length === 0)
      await sql`alter table ${sql.table(table)} add column workspace_id text not null default ''`.execute(db);
    await sql`
      update ${sql.table(table)} set workspace_id = (select workspace_id from chunks where number = chunk_number)
      where workspace_id = ''`.execute(db);
  }
}

/** The first version on PostgreSQL: the whole schema of that day, in the transaction of the migrator. */
async function createSchema(db: Kysely<unknown>): Promise<void> {
  const statements = [`create extension if not exists vector`, ...accounts, ...items, ...chunks, ...triggers];
  for (const statement of statements) await db.executeQuery(CompiledQuery.raw(statement));
}

export const oneCatalog: { sqlite: Migration; postgres: Migration } = {
  sqlite: { up: nameWorkspaces },
  postgres: { up: createSchema },
};
