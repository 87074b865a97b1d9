import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * The stars of an item, 0 for one that is not rated. Search indexes hold them, so a trigger records their change. A start of SQLite that was
 * killed before the migration was noted runs it again.
 */
export const rating: Record<'sqlite' | 'postgres', Migration> = {
  sqlite: {
    async up(db: Kysely<unknown>) {
      const { rows } = await sql`select 1 from pragma_table_info('media_items') where name = 'rating'`.execute(db);
      if (rows.length === 0)
        await sql`alter table media_items add column rating integer not null default 0`.execute(db);
      await sql`create trigger if not exists item_changes_rating after update of rating on media_items
        when old.rating <> new.rating
        begin
          insert into item_changes (workspace_id, media_id) values (new.workspace_id, new.id);
        end`.execute(db);
    },
  },
  postgres: {
    async up(db: Kysely<unknown>) {
      await sql`alter table media_items add column if not exists rating bigint not null default 0`.execute(db);
      await sql`create or replace trigger item_changes_rating after update of rating on media_items for each row
        when (old.rating <> new.rating) execute function note_item()`.execute(db);
    },
  },
};
