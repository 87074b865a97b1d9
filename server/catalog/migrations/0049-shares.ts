import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { columnTypes, foreignKey } from '../baseline/column-types.ts';
import type { Dialect } from '../dialect/differences.ts';

/**
 * Public links to collections and to selections of items, with a password, downloads and comments. SQLite cannot take `not null` from a column, so
 * the table is made again there; no other refers to it. Processes of the version before do not find the links that lead to no single item.
 */

/** Beside the columns of the version before. The collection goes with its links. */
const added = (dialect: Dialect['name']): [name: string, type: string][] => {
  const { text, integer } = columnTypes(dialect);
  return [
    ['collection_id', text],
    ['note', text],
    ['download', `${text} not null default 'none'`],
    ['comments', `${text} not null default 'none'`],
    ['password_hash', text],
    ['downloads', `${integer} not null default 0`],
  ];
};

const ofCollection = foreignKey('collection_id', 'collections');

const items = (dialect: Dialect['name']): string[] => {
  const { text, integer, ofItem, itemKey } = columnTypes(dialect);
  return [
    `create index if not exists shares_of_collection on shares (workspace_id, collection_id)`,
    `create table if not exists share_items (
      ${ofItem}, share_id ${text} not null, position ${integer} not null,
      primary key (workspace_id, share_id, media_id), ${itemKey}, ${foreignKey('share_id', 'shares')}
    )`,
    `create index if not exists share_items_of_media on share_items (workspace_id, media_id)`,
  ];
};

async function run(db: Kysely<unknown>, statements: string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const before =
  'workspace_id, media_id, id, token_hash, sealed, start_time, end_time, title, created_by, created_at, expires_at, views';

export const shares: Record<Dialect['name'], Migration> = {
  sqlite: {
    async up(db: Kysely<unknown>) {
      const { rows } = await sql`select 1 from pragma_table_info('shares') where name = 'collection_id'`.execute(db);
      if (rows.length === 0) {
        const { itemKey } = columnTypes('sqlite');
        await run(db, [
          `create table shares_new (
            workspace_id text not null, media_id text, id text not null,
            token_hash text not null, sealed blob not null, start_time real, end_time real, title text, created_by text,
            created_at text not null, expires_at text not null, views integer not null default 0,
            ${added('sqlite')
              .map((column) => column.join(' '))
              .join(', ')},
            primary key (workspace_id, id), unique (token_hash), ${itemKey}, ${ofCollection}
          )`,
          `insert into shares_new (${before}) select ${before} from shares`,
          `drop table shares`,
          `alter table shares_new rename to shares`,
          `create index shares_of_media on shares (workspace_id, media_id)`,
          `create index shares_expiring on shares (expires_at)`,
        ]);
      }
      await run(db, items('sqlite'));
    },
  },
  postgres: {
    async up(db: Kysely<unknown>) {
      const { rows } = await sql`select 1 from information_schema.columns
        where table_schema = current_schema() and table_name = 'shares' and column_name = 'collection_id'`.execute(db);
      if (rows.length === 0) {
        await run(db, [
          `alter table shares alter column media_id drop not null`,
          ...added('postgres').map((column) => `alter table shares add column ${column.join(' ')}`),
          `alter table shares add ${ofCollection}`,
        ]);
      }
      await run(db, items('postgres'));
    },
  },
};
