import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

const kinds = [
  { named: 'collections', more: ', updated_at text not null', members: 'collection_items', id: 'collection_id' },
  { named: 'tags', more: '', members: 'item_tags', id: 'tag_id' },
] as const;

/**
 * Collections and tags, and which items are in them. All or nothing; a start that was killed after the commit, before the migration was
 * noted, runs it again.
 */
async function up(db: Kysely<unknown>): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const { rows } = await sql`select 1 from sqlite_schema where name = 'collections'`.execute(transaction);
    if (rows.length > 0) return;
    for (const kind of kinds) {
      await createTables(transaction, kind);
      await recordChanges(transaction, kind.members);
    }
  });
}

async function createTables(db: Kysely<unknown>, { named, more, members, id }: (typeof kinds)[number]): Promise<void> {
  const [names, rows, key] = [sql.raw(named), sql.raw(members), sql.raw(id)];
  await sql`
    create table ${names} (
      workspace_id text not null references workspaces (id) on delete cascade,
      id text not null, name text not null, folded_name text not null,
      created_at text not null${sql.raw(more)},
      primary key (workspace_id, id),
      unique (workspace_id, folded_name)
    )`.execute(db);
  // The identifier is the first column of the key: a filter looks its items up without knowing the workspace.
  await sql`
    create table ${rows} (
      workspace_id text not null, ${key} text not null, media_id text not null, added_at text not null,
      primary key (${key}, media_id),
      foreign key (workspace_id, ${key}) references ${names} (workspace_id, id) on delete cascade,
      foreign key (workspace_id, media_id) references media_items (workspace_id, id) on delete cascade
    ) without rowid`.execute(db);
  await sql`create index ${sql.raw(`${members}_of_item`)} on ${rows} (workspace_id, media_id, added_at)`.execute(db);
  await sql`create index ${sql.raw(`${members}_in_order`)} on ${rows} (${key}, added_at, media_id)`.execute(db);
}

/** Items that are deleted with their rows here are recorded by a trigger of their own. */
async function recordChanges(db: Kysely<unknown>, members: string): Promise<void> {
  for (const [event, row] of [
    ['insert', 'new'],
    ['delete', 'old'],
  ] as const) {
    const changed = sql.raw(row);
    await sql`create trigger ${sql.raw(`item_changes_${members}_${event}`)} after ${sql.raw(event)} on ${sql.raw(members)}
      when exists (select 1 from media_items where workspace_id = ${changed}.workspace_id and id = ${changed}.media_id)
      begin
        insert into item_changes (workspace_id, media_id) values (${changed}.workspace_id, ${changed}.media_id);
      end`.execute(db);
  }
}

export const collectionsAndTags: Migration = { up };
