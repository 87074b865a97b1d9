import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * When, where and with what an item was recorded, and the technical details of its file. Items of earlier versions have null until the
 * job `details` has read them. All or nothing; a start that was killed after the commit, before the migration was noted, runs it again.
 */
async function up(db: Kysely<unknown>): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const { rows } = await sql`select 1 from pragma_table_info('media_items') where name = 'taken_at'`.execute(
      transaction,
    );
    if (rows.length > 0) return;
    for (const column of ['taken_at', 'taken_zone', 'taken_text', 'taken_source', 'camera', 'place', 'details']) {
      await transaction.schema.alterTable('media_items').addColumn(column, 'text').execute();
    }
    for (const column of ['latitude', 'longitude']) {
      await transaction.schema.alterTable('media_items').addColumn(column, 'real').execute();
    }
    await addLocalTime(transaction);
    // What the service looks for at each start; empty once all items have been read.
    await sql`create index media_items_without_details on media_items (id) where details is null`.execute(transaction);
    // Filters compare the time, so indexes have to learn of it.
    await sql`create trigger item_changes_taken_at after update of taken_at, taken_zone on media_items
      when (old.taken_at, old.taken_zone) is not (new.taken_at, new.taken_zone)
      begin
        insert into item_changes (workspace_id, media_id) values (new.workspace_id, new.id);
      end`.execute(transaction);
  });
}

/**
 * The clock time at the place of the recording, by which dates and months go: what was taken at 23:30 on the last day of a month belongs to
 * that month, whatever the time is in UTC. Items are listed by its month and then by time, so that those of a month follow each other.
 */
async function addLocalTime(db: Kysely<unknown>): Promise<void> {
  await sql`alter table media_items add column taken_local text
    as (strftime('%Y-%m-%dT%H:%M:%f', taken_at, coalesce(taken_zone, '+00:00'))) virtual`.execute(db);
  await sql`create index media_items_by_taken_at
    on media_items (workspace_id, substr(taken_local, 1, 7), taken_at, id)`.execute(db);
}

export const capture: Migration = { up };
