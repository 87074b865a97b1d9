import { CompiledQuery, type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { columnTypes, foreignKey } from '../baseline/column-types.ts';
import { countItem } from '../baseline/postgres-triggers.ts';
import { totals } from '../baseline/sqlite-triggers.ts';
import type { Dialect } from '../dialect/differences.ts';

/**
 * Sources: folders and prefixes of buckets whose files are indexed where they lie. An item of one knows its source and its path there; its bytes are
 * not the service's, so the totals, which quotas are compared with, leave them out. A start of SQLite that was killed before the migration was
 * noted runs it again.
 */

const tablesOf = ({ text, integer, real, ofWorkspace, keyed }: ReturnType<typeof columnTypes>): string[] => [
  `create table if not exists sources (
    ${ofWorkspace}, id ${text} not null, name ${text} not null, kind ${text} not null, location ${text} not null,
    include ${text} not null, exclude ${text} not null, managed ${integer} not null, paused ${integer} not null default 0,
    scan_wanted_at ${text}, accepts_missing ${integer} not null default 0, removed_at ${text}, offline_since ${text}, problem_code ${text}, problem_message ${text}, root ${text},
    scan_number ${integer} not null default 0, scan ${text}, last_scan ${text}, watching ${integer} not null default 0,
    file_count ${integer} not null default 0, bytes ${integer} not null default 0, failed_count ${integer} not null default 0,
    created_at ${text} not null, updated_at ${text} not null, primary key (workspace_id, id)
  )`,
  `create table if not exists source_files (
    workspace_id ${text} not null, source_id ${text} not null, path ${text} not null, media_id ${text}, size ${integer} not null,
    modified_ms ${real} not null, identity ${text} not null, quick_hash ${text}, full_hash ${text},
    sidecars ${text} not null default '[]', seen ${integer} not null, missing ${integer} not null default 0,
    problem_code ${text}, problem_message ${text}, primary key (workspace_id, source_id, path), ${foreignKey('source_id', 'sources')}
  )${keyed}`,
  `create index if not exists source_files_of_item on source_files (workspace_id, media_id)`,
  `create index if not exists source_files_by_identity on source_files (workspace_id, source_id, identity)`,
  `create index if not exists source_files_by_size on source_files (workspace_id, source_id, size)`,
  `create index if not exists source_files_by_scan on source_files (workspace_id, source_id, seen)`,
  `create index if not exists source_files_failed on source_files (workspace_id, source_id, path) where problem_code is not null`,
];

/** On the items, by which those of a source and of a folder are found. */
const itemIndexes = [
  `create index if not exists media_items_of_source on media_items (workspace_id, source_id, folder) where source_id is not null`,
];

const columnsOf = ({ text }: ReturnType<typeof columnTypes>) =>
  [
    ['media_items', 'source_id', text],
    ['media_items', 'source_path', text],
    ['media_items', 'folder', text],
    ['workspaces', 'path_mappings', `${text} not null default '[]'`],
  ] as const;

const ownBytes = (row: string) => `case when ${row}.source_id is null then ${row}.size else 0 end`;

const sqliteTriggers = [
  ...['media_totals', 'trash_totals'].flatMap((table) =>
    ['insert', 'delete', 'update'].map((event) => `drop trigger if exists ${table}_${event}`),
  ),
  ...totals('media_totals', () => null, ownBytes),
  ...totals('trash_totals', (row) => `${row}.trashed_at is not null`, ownBytes),
  `create trigger if not exists item_changes_folder after update of folder on media_items
    when old.folder is not new.folder
    begin
      insert into item_changes (workspace_id, media_id) values (new.workspace_id, new.id);
    end`,
];

const postgresTriggers = [
  ...[countItem('add_to_totals', 1, ownBytes('item')), countItem('take_from_totals', -1, ownBytes('item'))].map(
    (body) => body.replace('create function', 'create or replace function'),
  ),
  `create or replace trigger item_changes_folder after update of folder on media_items for each row
    when (old.folder is distinct from new.folder) execute function note_item()`,
];

async function upSqlite(db: Kysely<unknown>): Promise<void> {
  const types = columnTypes('sqlite');
  await db.transaction().execute(async (transaction) => {
    for (const [table, column, type] of columnsOf(types)) {
      const { rows } = await sql`select 1 from pragma_table_info(${table}) where name = ${column}`.execute(transaction);
      if (rows.length === 0) await sql.raw(`alter table ${table} add column ${column} ${type}`).execute(transaction);
    }
    for (const statement of [...tablesOf(types), ...itemIndexes, ...sqliteTriggers])
      await sql.raw(statement).execute(transaction);
  });
}

async function upPostgres(db: Kysely<unknown>): Promise<void> {
  const types = columnTypes('postgres');
  const columns = columnsOf(types).map(
    ([table, column, type]) => `alter table ${table} add column if not exists ${column} ${type}`,
  );
  for (const statement of [...columns, ...tablesOf(types), ...itemIndexes, ...postgresTriggers])
    await db.executeQuery(CompiledQuery.raw(statement));
}

export const sources: Record<Dialect['name'], Migration> = {
  sqlite: { up: upSqlite },
  postgres: { up: upPostgres },
};
