import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Texts have a source and a time: the lines of chunks become segments, and what is recognised in pictures and sound is stored beside them.
 * All or nothing; a start that was killed after the commit, before the migration was noted, runs it again.
 */
async function up(db: Kysely<unknown>): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const { rows } = await sql`select 1 from sqlite_schema where name = 'text_segments'`.execute(transaction);
    if (rows.length > 0) return;
    await addTables(transaction);
    await moveTexts(transaction);
    await recordChanges(transaction);
  });
}

async function addTables(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table text_segments (
      number integer primary key autoincrement,
      workspace_id text not null, media_id text not null,
      source text not null, track integer, language text,
      start_time real not null, end_time real not null, text text not null,
      box text, confidence real,
      foreign key (workspace_id, media_id) references media_items (workspace_id, id) on delete cascade
    )`.execute(db);
  await sql`
    create table chunk_segments (
      chunk_number integer not null references chunks (number) on delete cascade,
      segment_number integer not null references text_segments (number) on delete cascade,
      primary key (chunk_number, segment_number)
    ) without rowid`.execute(db);
  await sql`
    create table text_extractions (
      workspace_id text not null, media_id text not null, source text not null,
      state text not null, position real not null default 0,
      language text, model text, message text, updated_at text not null,
      primary key (workspace_id, media_id, source),
      foreign key (workspace_id, media_id) references media_items (workspace_id, id) on delete cascade
    ) without rowid`.execute(db);
  await sql`create index text_extractions_pending on text_extractions (workspace_id, source) where state = 'pending'`.execute(
    db,
  );
}

/** What parts the lines while they are quoted: a character for private use, which JSON does not escape. */
const separator = sql`char(57344)`;

/** Each line of a chunk becomes a segment of its span: from which track it is, and when it is shown, was not stored. */
async function moveTexts(db: Kysely<unknown>): Promise<void> {
  await sql`drop trigger item_changes_chunk`.execute(db);
  await sql`create temporary table moved_lines (number integer primary key, chunk_number integer, line text)`.execute(
    db,
  );
  await sql`insert into moved_lines (chunk_number, line)
    select chunks.number, lines.value from chunks,
      json_each('[' || replace(json_quote(replace(chunks.text, char(10), ${separator})), ${separator}, '","') || ']') lines
    where chunks.text <> '' and lines.value <> ''
    order by chunks.number, lines.key`.execute(db);
  await sql`insert into text_segments (number, workspace_id, media_id, source, start_time, end_time, text)
    select moved.number, workspace_id, media_id, 'subtitle', start_time, end_time, line
    from moved_lines moved join chunks on chunks.number = moved.chunk_number order by moved.number`.execute(db);
  await sql`insert into chunk_segments (chunk_number, segment_number)
    select chunk_number, number from moved_lines order by number`.execute(db);
  await sql`drop table moved_lines`.execute(db);
  await sql`alter table chunks drop column text`.execute(db);
  // After the rows, which is faster.
  await sql`create index text_segments_of_item on text_segments (workspace_id, media_id, source, start_time)`.execute(
    db,
  );
  await sql`create index chunk_segments_of_segment on chunk_segments (segment_number)`.execute(db);
}

/** Search indexes hold the texts that are linked to chunks. Links and chunks that are deleted with their item need no record of their own. */
async function recordChanges(db: Kysely<unknown>): Promise<void> {
  await sql`create trigger item_changes_chunk after update of start_time, end_time on chunks begin
    insert into item_changes (workspace_id, media_id) values (new.workspace_id, new.media_id);
  end`.execute(db);
  await sql`create trigger item_changes_new_text after insert on chunk_segments begin
    insert into item_changes (workspace_id, media_id)
      select workspace_id, media_id from chunks where number = new.chunk_number;
  end`.execute(db);
  await sql`create trigger item_changes_deleted_text after delete on chunk_segments begin
    insert into item_changes (workspace_id, media_id)
      select workspace_id, media_id from chunks where number = old.chunk_number and exists
        (select 1 from media_items where workspace_id = chunks.workspace_id and id = chunks.media_id);
  end`.execute(db);
  // What is being read is linked when all is read: until then searches know nothing of it.
  await sql`create trigger item_changes_text after update of source, language, start_time, end_time, text, box on text_segments
    when exists (select 1 from chunk_segments where segment_number = new.number) begin
    insert into item_changes (workspace_id, media_id) values (new.workspace_id, new.media_id);
  end`.execute(db);
}

export const textSegments: Migration = { up };
