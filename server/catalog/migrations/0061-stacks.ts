import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Items that stand together as one, such as the photograph and the film of a Live Photo: `stack_id` is the item that is shown for them, `stack_key` what their
 * files say they belong to. The index of the first has all that lists ask of what stands behind another item, so that they count it without reading items. A start of
 * SQLite that was killed before the migration was noted runs it again.
 */
const indexes = [
  `create index if not exists media_items_stack_id on media_items (workspace_id, stack_id, id, trashed_at) where stack_id is not null`,
  `create index if not exists media_items_stack_key on media_items (workspace_id, stack_key) where stack_key is not null`,
];

/** What a map asks of items, for which it would read all of each of them. */
const located = `create index if not exists media_items_located
  on media_items (workspace_id, latitude, longitude, trashed_at, stack_id, id, taken_at, created_at) where latitude is not null`;

export const stacks: Record<'sqlite' | 'postgres', Migration> = {
  sqlite: {
    async up(db: Kysely<unknown>) {
      for (const name of ['stack_id', 'stack_key']) {
        const { rows } = await sql`select 1 from pragma_table_info('media_items') where name = ${name}`.execute(db);
        if (rows.length === 0) await sql`alter table media_items add column ${sql.ref(name)} text`.execute(db);
      }
      for (const index of [...indexes, located]) await sql.raw(index).execute(db);
    },
  },
  postgres: {
    async up(db: Kysely<unknown>) {
      await sql`alter table media_items add column if not exists stack_id text collate "C",
        add column if not exists stack_key text collate "C"`.execute(db);
      // No item is in them yet.
      for (const index of indexes) await sql.raw(index).execute(db);
    },
  },
};
