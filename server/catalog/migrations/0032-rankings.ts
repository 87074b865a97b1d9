import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Rankings of highlights as rows, for PostgreSQL; beside SQLite they are files. */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table ranking_parts (
      workspace_id text collate "C" not null references workspaces on delete cascade,
      embedder_id text collate "C" not null, part bigint not null, stamp text collate "C" not null,
      data bytea not null, primary key (workspace_id, embedder_id, part)
    )
  `.execute(db);
  // Numbers in binary do not become smaller.
  await sql`alter table ranking_parts alter column data set storage external`.execute(db);
}

export const rankings: Migration = { up };
