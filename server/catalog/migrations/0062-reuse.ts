import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { columnTypes, foreignKey } from '../baseline/column-types.ts';
import type { Dialect } from '../dialect/differences.ts';

/**
 * By what items are recognised in others, and in which others they are. Both go with their items. A start of SQLite that was killed before the migration was noted runs
 * it again.
 */
const stepOf = (dialect: Dialect['name']): Migration => ({
  async up(db: Kysely<unknown>) {
    const { text, integer, real, bytes, ofItem, ofWorkspace, itemKey, keyed } = columnTypes(dialect);
    const statements = [
      `create table if not exists fingerprints (
        ${ofItem}, frames ${bytes} not null, made_at ${text} not null, primary key (workspace_id, media_id), ${itemKey}
      )`,
      `create table if not exists item_copies (
        ${ofItem}, other_id ${text} not null, kind ${text} not null, spans ${text} not null, score ${real} not null, dismissed_at ${text},
        found_at ${text} not null, primary key (workspace_id, media_id, other_id), ${itemKey}, ${foreignKey('other_id', 'media_items')}
      )${keyed}`,
      `create index if not exists item_copies_of_other on item_copies (workspace_id, other_id)`,
      `create table if not exists copy_searches (
        ${ofWorkspace}, paused ${integer} not null default 0, primary key (workspace_id)
      )${keyed}`,
    ];
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
});

export const reuse: Record<Dialect['name'], Migration> = { sqlite: stepOf('sqlite'), postgres: stepOf('postgres') };
