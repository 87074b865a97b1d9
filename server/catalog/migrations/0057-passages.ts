import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { columnTypes } from '../baseline/column-types.ts';
import type { Dialect } from '../dialect/differences.ts';

/**
 * Passages of texts with vectors by what they mean, and how far they are made of each item. A passage goes with its chunk, and with the first of the lines that it was joined from.
 * The trigger has search indexes read an item again once its passages are stored: one change an item. A start of SQLite that was killed before the migration was noted runs it again.
 */
const tables = (dialect: Dialect['name']): string[] => {
  const { pick, text, integer, real, bytes, identity, ofItem, itemKey, keyed } = columnTypes(dialect);
  const numbered = (column: string, table: string) =>
    pick(
      `foreign key (${column}) references ${table} (number) on delete cascade`,
      `foreign key (workspace_id, ${column}) references ${table} on delete cascade`,
    );
  return [
    `create table if not exists text_passages (
      number ${identity}, ${ofItem}, chunk_number ${integer} not null, segment_number ${integer}, source ${text} not null,
      language ${text}, start_time ${real}, end_time ${real}, confidence ${real}, text ${text} not null, vector ${bytes} not null,
      ${pick('', 'primary key (workspace_id, number),')} ${numbered('chunk_number', 'chunks')},
      ${numbered('segment_number', 'text_segments')}, ${itemKey}
    )`,
    `create index if not exists text_passages_of_item on text_passages (workspace_id, media_id)`,
    `create index if not exists text_passages_of_chunk on text_passages (${pick('', 'workspace_id, ')}chunk_number)`,
    `create index if not exists text_passages_of_segment on text_passages (${pick('', 'workspace_id, ')}segment_number)`,
    `create table if not exists passage_states (
      ${ofItem}, state ${text} not null, model ${text}, updated_at ${text} not null, primary key (workspace_id, media_id), ${itemKey}
    )${keyed}`,
    `create index if not exists passage_states_pending on passage_states (workspace_id) where state = 'pending'`,
  ];
};

const triggers: Record<Dialect['name'], string> = {
  sqlite: `create trigger if not exists item_changes_passages after update of state on passage_states
    when new.state = 'complete'
    begin
      insert into item_changes (workspace_id, media_id) values (new.workspace_id, new.media_id);
    end`,
  postgres: `create or replace trigger item_changes_passages after update of state on passage_states for each row
    when (new.state = 'complete') execute function note_member()`,
};

const stepOf = (dialect: Dialect['name']): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of [...tables(dialect), triggers[dialect]]) await sql.raw(statement).execute(db);
  },
});

export const passages: Record<Dialect['name'], Migration> = { sqlite: stepOf('sqlite'), postgres: stepOf('postgres') };
