import { sql } from 'kysely';
import { listWorkspaces } from '../../catalog/accounts/workspaces.ts';
import { dialectOf } from '../../catalog/dialect/dialect.ts';
import { catchUpTexts } from '../../catalog/postgres/write-texts.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { movedTables, ownTables } from './tables.ts';

/** Numbers that a catalog does not give again, deleted rows included. */
type Counters = { fencingToken: number; chunk: number; segment: number };

/** What filling a catalog with the rows of another says differently in SQLite and PostgreSQL. */
type Filling = {
  /** Takes the triggers away. @returns how to make them again */
  suspendTriggers(db: Catalog): Promise<string[]>;
  /** Deletes all rows of all tables. */
  clear(db: Catalog): Promise<void>;
  /** Records each item as changed, without triggers. */
  recordItems(db: Catalog): Promise<void>;
  /** Makes what searches need besides rows, once the triggers are there again. It goes on where it was interrupted. */
  makeIndexes(db: Catalog): Promise<void>;
  readCounters(db: Catalog): Promise<Counters>;
  /** Sets counters on to these, never back. */
  raiseCounters(db: Catalog, counters: Counters): Promise<void>;
};

export const fillingOf = (db: Catalog): Filling => (dialectOf(db).name === 'postgres' ? fillPostgres : fillSqlite);

/** Makes the triggers again that `suspendTriggers` took away. */
export async function resumeTriggers(db: Catalog, statements: string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const fillSqlite: Filling = {
  async suspendTriggers(db) {
    const { rows } = await sql<{ name: string; sql: string }>`
      select name, sql from sqlite_schema where type = 'trigger' order by name`.execute(db);
    for (const { name } of rows) await sql`drop trigger ${sql.id(name)}`.execute(db);
    return rows.map((row) => row.sql);
  },

  async clear(db) {
    const names = [...movedTables.map(({ name }) => name).toReversed(), ...ownTables];
    for (const name of names) if (name !== 'fencing_counter') await sql`delete from ${sql.table(name)}`.execute(db);
  },

  async recordItems(db) {
    await sql`delete from item_changes`.execute(db);
    await sql`insert into item_changes (workspace_id, media_id)
      select workspace_id, id from media_items order by created_at, id`.execute(db);
  },

  // The service makes its own, as files.
  makeIndexes: () => Promise.resolve(),

  async readCounters(db) {
    const { last } = await db.selectFrom('fencing_counter').select('last').executeTakeFirstOrThrow();
    return {
      fencingToken: last,
      chunk: await readSqliteSequence(db, 'chunks'),
      segment: await readSqliteSequence(db, 'text_segments'),
    };
  },

  async raiseCounters(db, { fencingToken, chunk, segment }) {
    await sql`update fencing_counter set last = max(last, ${fencingToken})`.execute(db);
    await raiseSqliteSequence(db, 'chunks', chunk);
    await raiseSqliteSequence(db, 'text_segments', segment);
  },
};

async function readSqliteSequence(db: Catalog, table: string): Promise<number> {
  const { rows } = await sql<{ seq: number }>`select seq from sqlite_sequence where name = ${table}`.execute(db);
  return rows[0]?.seq ?? 0;
}

async function raiseSqliteSequence(db: Catalog, table: string, value: number): Promise<void> {
  const last = await readSqliteSequence(db, table);
  await sql`delete from sqlite_sequence where name = ${table}`.execute(db);
  await sql`insert into sqlite_sequence (name, seq) values (${table}, ${Math.max(last, value)})`.execute(db);
}

const fillPostgres: Filling = {
  async suspendTriggers(db) {
    const { rows } = await sql<{ name: string }>`
      select distinct c.relname::text as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where not t.tgisinternal and c.relnamespace = current_schema()::regnamespace order by 1`.execute(db);
    for (const { name } of rows) await sql`alter table ${sql.table(name)} disable trigger user`.execute(db);
    return rows.map(({ name }) => `alter table "${name}" enable trigger user`);
  },

  async clear(db) {
    const { rows } = await sql<{ name: string }>`
      select relname::text as name from pg_class where relkind in ('r', 'p')
      and relnamespace = current_schema()::regnamespace and relname not like 'kysely%'`.execute(db);
    await sql`truncate ${sql.join(rows.map(({ name }) => sql.table(name)))}`.execute(db);
  },

  async recordItems(db) {
    await sql`truncate item_changes, workspace_changes`.execute(db);
    await sql`insert into item_changes (workspace_id, media_id, sequence, xid)
      select workspace_id, id, row_number() over (partition by workspace_id order by created_at, id), pg_current_xact_id()
      from media_items`.execute(db);
    await sql`insert into workspace_changes (workspace_id, last)
      select workspace_id, max(sequence) from item_changes group by workspace_id`.execute(db);
    await sql`insert into text_changes (workspace_id, media_id) select workspace_id, id from media_items
      on conflict do nothing`.execute(db);
  },

  async makeIndexes(db) {
    for (const { id } of await listWorkspaces(db)) await catchUpTexts(db, id);
    // The planner knows nothing of the rows yet.
    await sql`analyze`.execute(db);
  },

  async readCounters(db) {
    return {
      fencingToken: await readPostgresSequence(db, 'fencing_tokens'),
      chunk: await readPostgresSequence(db, 'chunks_number_seq'),
      segment: await readPostgresSequence(db, 'text_segments_number_seq'),
    };
  },

  async raiseCounters(db, { fencingToken, chunk, segment }) {
    await raisePostgresSequence(db, 'fencing_tokens', fencingToken);
    await raisePostgresSequence(db, 'chunks_number_seq', chunk);
    await raisePostgresSequence(db, 'text_segments_number_seq', segment);
  },
};

/** The last number that was given; 0 before the first. */
async function readPostgresSequence(db: Catalog, name: string): Promise<number> {
  const { rows } = await sql<{ last: number | null }>`
    select pg_sequence_last_value(${name}::regclass) as last`.execute(db);
  return rows[0]?.last ?? 0;
}

async function raisePostgresSequence(db: Catalog, name: string, value: number): Promise<void> {
  const last = Math.max(value, await readPostgresSequence(db, name));
  if (last > 0) await sql`select setval(${name}::regclass, ${last})`.execute(db);
}
