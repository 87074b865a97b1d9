import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * What was read once can be read again: texts that are recognised again wait beside those that they replace, and lines of subtitles that an
 * earlier version stored, without their track and their own times, get a job. All or nothing; a start that was killed after the commit, before
 * the migration was noted, runs it again.
 */
async function up(db: Kysely<unknown>): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const { rows } = await sql`select 1 from sqlite_schema where name = 'text_drafts'`.execute(transaction);
    if (rows.length > 0) return;
    await sql`alter table text_extractions add column again integer not null default 0`.execute(transaction);
    await sql`
      create table text_drafts (
        number integer primary key,
        workspace_id text not null, media_id text not null,
        source text not null, track integer, language text,
        start_time real not null, end_time real not null, text text not null,
        box text, confidence real,
        foreign key (workspace_id, media_id) references media_items (workspace_id, id) on delete cascade
      )`.execute(transaction);
    await sql`create index text_drafts_of_item on text_drafts (workspace_id, media_id, source)`.execute(transaction);
    // After all other jobs.
    await sql`
      insert into jobs (workspace_id, media_id, kind, priority, payload, created_at)
      select workspace_id, id, 'subtitles', 6, '{}', ${new Date().toISOString()} from media_items
      where type = 'video' and exists (select 1 from text_segments lines where lines.workspace_id = media_items.workspace_id
        and lines.media_id = media_items.id and source = 'subtitle' and track is null)`.execute(transaction);
  });
}

export const readAgain: Migration = { up };
