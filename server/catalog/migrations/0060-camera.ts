import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * What filters and counts compare of the details of a file, as columns. `fillRecorded` fills those of items that are there, behind the start: null until then. A
 * trigger has search indexes read an item again whose recording changed without its being indexed. A start of SQLite that was killed before the migration was
 * noted runs it again.
 */
const columns = ['lens text', 'codec text', 'frame_rate real', 'sound text'] as const;

const watched = ['camera', 'lens', 'codec', 'frame_rate', 'sound', 'place', 'latitude', 'longitude'];
const all = (row: 'old' | 'new') => `(${watched.map((column) => `${row}.${column}`).join(', ')})`;

export const camera: Record<'sqlite' | 'postgres', Migration> = {
  sqlite: {
    async up(db: Kysely<unknown>) {
      const { rows } = await sql<{ name: string }>`select name from pragma_table_info('media_items')`.execute(db);
      for (const column of columns) {
        if (rows.some(({ name }) => column.startsWith(`${name} `))) continue;
        await sql.raw(`alter table media_items add column ${column}`).execute(db);
      }
      await sql
        .raw(
          `create trigger if not exists item_changes_recorded after update of ${watched.join(', ')} on media_items
            when ${all('old')} is not ${all('new')}
            begin
              insert into item_changes (workspace_id, media_id) values (new.workspace_id, new.id);
            end`,
        )
        .execute(db);
    },
  },
  postgres: {
    async up(db: Kysely<unknown>) {
      const added = columns.map((column) =>
        column === 'frame_rate real' ? 'frame_rate double precision' : `${column} collate "C"`,
      );
      await sql
        .raw(`alter table media_items ${added.map((column) => `add column if not exists ${column}`).join(', ')}`)
        .execute(db);
      await sql
        .raw(
          `create or replace trigger item_changes_recorded after update of ${watched.join(', ')} on media_items for each row
            when (${all('old')} is distinct from ${all('new')}) execute function note_item()`,
        )
        .execute(db);
    },
  },
};
