import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** As in the totals of all items (`0014-media-totals.ts`): sums of whole numbers are exact. */
const microsecondsOf = (row: 'new' | 'old') =>
  sql.raw(`cast(round(coalesce(${row}.duration, 0) * 1000000) as integer)`);

/** Adds an item to the totals of the trash. */
const addItem = sql`
  insert into trash_totals (workspace_id, status, type, items, bytes, microseconds, chunks, moves)
  select new.workspace_id, new.status, new.type, 1, new.size, ${microsecondsOf('new')}, new.chunk_count, 1
  where new.trashed_at is not null
  on conflict (workspace_id, status, type) do update set items = items + 1, bytes = bytes + excluded.bytes,
    microseconds = microseconds + excluded.microseconds, chunks = chunks + excluded.chunks, moves = moves + 1;`;

const subtractItem = sql`
  update trash_totals set items = items - 1, bytes = bytes - old.size,
    microseconds = microseconds - ${microsecondsOf('old')}, chunks = chunks - old.chunk_count, moves = moves + 1
  where workspace_id = old.workspace_id and status = old.status and type = old.type and old.trashed_at is not null;`;

/**
 * The trash: an item with `trashed_at` is in no list and no search until it is restored. All or nothing; a start that was killed after the
 * commit, before the migration was noted, runs it again.
 */
async function up(db: Kysely<unknown>): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const { rows } = await sql`select 1 from sqlite_schema where name = 'trash_totals'`.execute(transaction);
    if (rows.length > 0) return;
    await transaction.schema.alterTable('media_items').addColumn('trashed_at', 'text').execute();
    await sql`create index media_items_in_trash on media_items (workspace_id, trashed_at) where trashed_at is not null`.execute(
      transaction,
    );
    await addToIndexes(transaction);
    await addTotals(transaction);
    // What an index holds of an item in the trash is nothing.
    await sql`create trigger item_changes_trashed after update of trashed_at on media_items
      when old.trashed_at is not new.trashed_at
      begin
        insert into item_changes (workspace_id, media_id) values (new.workspace_id, new.id);
      end`.execute(transaction);
  });
}

/** Indexes that tell which items are in the trash, so that those of a list are still counted without reading them. */
async function addToIndexes(db: Kysely<unknown>): Promise<void> {
  const columnsOf = {
    media_items_by_creator_id: ['workspace_id', 'creator_id', 'created_at'],
    media_items_by_category_id: ['workspace_id', 'category_id', 'created_at'],
    media_items_by_status: ['workspace_id', 'status', 'created_at'],
    media_items_by_type: ['workspace_id', 'type', 'created_at'],
    media_items_newest: ['workspace_id', 'created_at'],
  };
  for (const [name, columns] of Object.entries(columnsOf)) {
    await db.schema.dropIndex(name).execute();
    await db.schema
      .createIndex(name)
      .on('media_items')
      .columns([...columns, 'trashed_at'])
      .execute();
  }
}

async function addTotals(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table trash_totals (
      workspace_id text not null references workspaces (id) on delete cascade,
      status text not null, type text not null,
      items integer not null, bytes integer not null, microseconds integer not null, chunks integer not null,
      moves integer not null,
      primary key (workspace_id, status, type)
    ) without rowid`.execute(db);
  await sql`create trigger trash_totals_insert after insert on media_items when new.trashed_at is not null
    begin ${addItem} end`.execute(db);
  await sql`create trigger trash_totals_delete after delete on media_items when old.trashed_at is not null
    begin ${subtractItem} end`.execute(db);
  await sql`create trigger trash_totals_update
    after update of trashed_at, workspace_id, status, type, size, duration, chunk_count on media_items
    when old.trashed_at is not null or new.trashed_at is not null
    begin ${subtractItem} ${addItem} end`.execute(db);
}

export const trash: Migration = { up };
