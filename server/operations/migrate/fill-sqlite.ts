import { sql } from 'kysely';
import type { Catalog } from '../../catalog/schema.ts';
import type { Filling } from './filling.ts';
import { movedTables, ownTables } from './tables.ts';

export const fillSqlite: Filling = {
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
      chunk: await readSequence(db, 'chunks'),
      segment: await readSequence(db, 'text_segments'),
    };
  },

  async raiseCounters(db, { fencingToken, chunk, segment }) {
    await sql`update fencing_counter set last = max(last, ${fencingToken})`.execute(db);
    await raiseSequence(db, 'chunks', chunk);
    await raiseSequence(db, 'text_segments', segment);
  },
};

async function readSequence(db: Catalog, table: string): Promise<number> {
  const { rows } = await sql<{ seq: number }>`select seq from sqlite_sequence where name = ${table}`.execute(db);
  return rows[0]?.seq ?? 0;
}

async function raiseSequence(db: Catalog, table: string, value: number): Promise<void> {
  const last = await readSequence(db, table);
  await sql`delete from sqlite_sequence where name = ${table}`.execute(db);
  await sql`insert into sqlite_sequence (name, seq) values (${table}, ${Math.max(last, value)})`.execute(db);
}
