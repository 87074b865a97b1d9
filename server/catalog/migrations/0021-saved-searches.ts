import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Searches under a name. A start that was killed after the commit, before the migration was noted, runs it again. */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table if not exists saved_searches (
      workspace_id text not null references workspaces (id) on delete cascade,
      id text not null, name text not null, folded_name text not null,
      page text not null, query text not null, created_at text not null,
      primary key (workspace_id, id),
      unique (workspace_id, folded_name)
    )`.execute(db);
}

export const savedSearches: Migration = { up };
