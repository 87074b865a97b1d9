import { CompiledQuery, type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { columnTypes, foreignKey } from '../baseline/column-types.ts';
import type { Dialect } from '../dialect/differences.ts';

/**
 * Changes of many items at once, with what each item was before, for an undo; and what people say of collections: a description, a cover, and an
 * order of their own.
 */

const tablesOf = ({ text, integer, ofWorkspace, keyed }: ReturnType<typeof columnTypes>): string[] => [
  `create table if not exists media_changes (
    ${ofWorkspace}, id ${text} not null, change ${text} not null, undoes ${text}, state ${text} not null, total ${integer} not null,
    done ${integer} not null default 0, skipped ${integer} not null default 0, failed ${integer} not null default 0,
    created_at ${text} not null, ended_at ${text}, primary key (workspace_id, id)
  )`,
  `create index if not exists media_changes_by_time on media_changes (created_at)`,
  `create table if not exists media_change_items (
    workspace_id ${text} not null, change_id ${text} not null, position ${integer} not null, media_id ${text} not null, outcome ${text},
    before ${text}, primary key (workspace_id, change_id, position), ${foreignKey('change_id', 'media_changes')}
  )${keyed}`,
];

const columnsOf = ({ text, real }: ReturnType<typeof columnTypes>) =>
  [
    ['collections', 'description', `${text} not null default ''`],
    ['collections', 'cover_id', text],
    ['collection_items', 'position', real],
  ] as const;

/** In the order that people gave a collection; what was added since comes last. */
const orderIndex = (dialect: Dialect['name']) =>
  `create index if not exists collection_items_by_position on collection_items (${dialect === 'postgres' ? 'workspace_id, ' : ''}collection_id, position, added_at, media_id)`;

/** A start that was killed before the migration was noted runs it again. */
async function upSqlite(db: Kysely<unknown>): Promise<void> {
  const types = columnTypes('sqlite');
  await db.transaction().execute(async (transaction) => {
    for (const statement of tablesOf(types)) await sql.raw(statement).execute(transaction);
    for (const [table, column, type] of columnsOf(types)) {
      const { rows } = await sql`select 1 from pragma_table_info(${table}) where name = ${column}`.execute(transaction);
      if (rows.length === 0) await sql.raw(`alter table ${table} add column ${column} ${type}`).execute(transaction);
    }
    await sql.raw(orderIndex('sqlite')).execute(transaction);
  });
}

async function upPostgres(db: Kysely<unknown>): Promise<void> {
  const types = columnTypes('postgres');
  const columns = columnsOf(types).map(
    ([table, column, type]) => `alter table ${table} add column if not exists ${column} ${type}`,
  );
  for (const statement of [...tablesOf(types), ...columns, orderIndex('postgres')])
    await db.executeQuery(CompiledQuery.raw(statement));
}

export const changes: { sqlite: Migration; postgres: Migration } = {
  sqlite: { up: upSqlite },
  postgres: { up: upPostgres },
};
