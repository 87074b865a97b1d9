import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { columnTypes } from '../baseline/column-types.ts';
import type { Dialect } from '../dialect/differences.ts';

/**
 * Comments on items with the members that they mention, and the decision of a review: a column of the item, because lists and search indexes
 * filter by it, with who made it and when. A start of SQLite that was killed before the migration was noted runs it again.
 */
const tables = (dialect: Dialect['name']): string[] => {
  const { text, real, ofItem, itemKey } = columnTypes(dialect);
  return [
    `create table if not exists comments (
      ${ofItem}, id ${text} not null, parent_id ${text}, start_time ${real}, end_time ${real}, point_x ${real}, point_y ${real},
      body ${text} not null, person_id ${text}, key_id ${text}, share_id ${text}, author_name ${text} not null,
      resolved_at ${text}, resolved_by ${text}, created_at ${text} not null, edited_at ${text},
      primary key (workspace_id, id), ${itemKey}
    )`,
    `create index if not exists comments_of_media on comments (workspace_id, media_id)`,
    `create index if not exists comments_of_share on comments (workspace_id, share_id)`,
    `create table if not exists comment_mentions (
      ${ofItem}, comment_id ${text} not null, person_id ${text} not null, seen_at ${text},
      primary key (workspace_id, comment_id, person_id), ${itemKey}
    )`,
    `create index if not exists comment_mentions_of_media on comment_mentions (workspace_id, media_id)`,
    `create index if not exists comment_mentions_of_person on comment_mentions (workspace_id, person_id)`,
  ];
};

async function run(db: Kysely<unknown>, statements: string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

export const comments: Record<Dialect['name'], Migration> = {
  sqlite: {
    async up(db: Kysely<unknown>) {
      const { rows } = await sql<{ name: string }>`select name from pragma_table_info('media_items')`.execute(db);
      if (!rows.some(({ name }) => name === 'review')) {
        await run(db, [
          `alter table media_items add column review text not null default 'none'`,
          `alter table media_items add column review_by text`,
          `alter table media_items add column review_at text`,
        ]);
      }
      await run(db, [
        ...tables('sqlite'),
        `create trigger if not exists item_changes_review after update of review on media_items
          when old.review <> new.review
          begin
            insert into item_changes (workspace_id, media_id) values (new.workspace_id, new.id);
          end`,
      ]);
    },
  },
  postgres: {
    async up(db: Kysely<unknown>) {
      await run(db, [
        `alter table media_items add column if not exists review text collate "C" not null default 'none'`,
        `alter table media_items add column if not exists review_by text collate "C"`,
        `alter table media_items add column if not exists review_at text collate "C"`,
        ...tables('postgres'),
        `create or replace trigger item_changes_review after update of review on media_items for each row
          when (old.review <> new.review) execute function note_item()`,
      ]);
    },
  },
};
