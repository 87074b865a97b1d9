import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * What processes that keep search indexes in memory ask of a catalog in PostgreSQL.
 *
 * `workspace_changes.labels` counts, beside the changes of items, how often a label of a workspace got a name: names are kept in memory, and read again when the number is
 * another. Labels that are deleted need no count, because their items change. It is counted at the commit, as items are, so that the row is locked for a moment only.
 *
 * `saved_indexes` says which process builds and saves the index of a workspace, by a lease, and which file in the bucket is the newest.
 */
export const sharedIndexes: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table workspace_changes add column if not exists labels bigint not null default 0`.execute(db);
    await sql`create or replace function count_label() returns trigger language plpgsql as $$ begin
      if exists (select 1 from workspaces where id = new.workspace_id) then
        insert into workspace_changes as counter (workspace_id, last, labels) values (new.workspace_id, 0, 1)
          on conflict (workspace_id) do update set labels = counter.labels + 1;
      end if;
      return null;
    end $$`.execute(db);
    for (const table of ['creators', 'categories', 'collections', 'tags']) {
      const name = sql.id(`label_versions_${table}`);
      await sql`drop trigger if exists ${name} on ${sql.table(table)}`.execute(db);
      await sql`create constraint trigger ${name} after insert or update of name, folded_name on ${sql.table(table)}
        deferrable initially deferred for each row execute function count_label()`.execute(db);
    }
    await sql`create table if not exists saved_indexes (
      workspace_id text collate "C" not null, embedder_id text collate "C" not null,
      lease_owner text collate "C", lease_until text collate "C", file text collate "C",
      primary key (workspace_id, embedder_id)
    )`.execute(db);
  },
};
