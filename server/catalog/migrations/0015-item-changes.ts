import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * What search indexes are derived from without scanning: a record of the items that changed, and the tags of an item beside its file name.
 * All or nothing; a start that was killed after the commit, before the migration was noted, runs it again.
 */
async function up(db: Kysely<unknown>): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const { rows } = await sql`select 1 from sqlite_schema where name = 'item_changes'`.execute(transaction);
    if (rows.length > 0) return;
    await addTags(transaction);
    await addChanges(transaction);
    await addChangesToTimelines(transaction);
  });
}

/** Each chunk of an item has had the same tags, in the full-text index. */
async function addTags(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('media_items')
    .addColumn('tags', 'text', (column) => column.notNull().defaultTo(''))
    .execute();
  await sql`update media_items set tags = texts.tags from chunks join chunk_texts texts on texts.rowid = chunks.number
    where chunks.workspace_id = media_items.workspace_id and chunks.media_id = media_items.id and chunks.position = 0
    and texts.tags <> ''`.execute(db);
}

async function addChanges(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('item_changes')
    .addColumn('sequence', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('workspace_id', 'text', (column) => column.notNull())
    .addColumn('media_id', 'text', (column) => column.notNull())
    .addUniqueConstraint('item_changes_item', ['workspace_id', 'media_id'])
    .execute();
  await db.schema
    .createIndex('item_changes_in_order')
    .on('item_changes')
    .columns(['workspace_id', 'sequence'])
    .execute();
  await sql`insert into item_changes (workspace_id, media_id)
    select workspace_id, id from media_items order by created_at, id`.execute(db);
  // Not `insert or replace`: the conflict clause of a statement also applies in the triggers that it fires.
  await sql`create trigger item_changes_once before insert on item_changes begin
    delete from item_changes where workspace_id = new.workspace_id and media_id = new.media_id;
  end`.execute(db);
  await recordItems(db);
  await recordChunks(db);
}

async function recordItems(db: Kysely<unknown>): Promise<void> {
  await sql`create trigger item_changes_new_item after insert on media_items begin
    insert into item_changes (workspace_id, media_id) values (new.workspace_id, new.id);
  end`.execute(db);
  // Not the columns of progress and of checks, which are written often.
  await sql`create trigger item_changes_item
    after update of status, filename, type, creator_id, category_id, tags, indexed_at on media_items
    when (old.status, old.filename, old.type, old.creator_id, old.category_id, old.tags, old.indexed_at)
      is not (new.status, new.filename, new.type, new.creator_id, new.category_id, new.tags, new.indexed_at)
    begin
      insert into item_changes (workspace_id, media_id) values (new.workspace_id, new.id);
    end`.execute(db);
  await sql`create trigger item_changes_deleted_item after delete on media_items begin
    insert into item_changes (workspace_id, media_id) values (old.workspace_id, old.id);
  end`.execute(db);
  // It runs after those of the items, which are deleted with their workspace.
  await sql`create trigger item_changes_deleted_workspace after delete on workspaces begin
    delete from item_changes where workspace_id = old.id;
  end`.execute(db);
}

async function recordChunks(db: Kysely<unknown>): Promise<void> {
  await sql`create trigger item_changes_new_chunk after insert on chunks begin
    insert into item_changes (workspace_id, media_id) values (new.workspace_id, new.media_id);
  end`.execute(db);
  await sql`create trigger item_changes_chunk after update of text, start_time, end_time on chunks begin
    insert into item_changes (workspace_id, media_id) values (new.workspace_id, new.media_id);
  end`.execute(db);
  // Chunks that are deleted with their item need no record of their own.
  await sql`create trigger item_changes_deleted_chunk after delete on chunks
    when exists (select 1 from media_items where workspace_id = old.workspace_id and id = old.media_id)
    begin
      insert into item_changes (workspace_id, media_id) values (old.workspace_id, old.media_id);
    end`.execute(db);
  // A vector that is deleted with its chunk finds no chunk any more.
  for (const [name, event, row] of [
    ['item_changes_new_vector', 'insert', 'new'],
    ['item_changes_deleted_vector', 'delete', 'old'],
  ] as const) {
    await sql`create trigger ${sql.raw(name)} after ${sql.raw(event)} on chunk_vectors begin
      insert into item_changes (workspace_id, media_id)
        select workspace_id, media_id from chunks where number = ${sql.raw(row)}.chunk_number;
    end`.execute(db);
  }
}

/** A new timeline: copies of one catalog that are migrated apart are apart from the first change on. */
async function addChangesToTimelines(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('timelines')
    .addColumn('first_change', 'integer', (column) => column.notNull().defaultTo(1))
    .execute();
  await sql`insert into timelines (id, first_sequence, first_change)
    values (${randomUUID()}, 1 + coalesce((select seq from sqlite_sequence where name = 'chunk_vectors'), 0), 1)`.execute(
    db,
  );
}

export const itemChanges: Migration = { up };
