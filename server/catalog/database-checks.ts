import { sql } from 'kysely';
import { dialectOf } from './dialect/dialect.ts';
import type { Catalog } from './schema.ts';

/** What is wrong with the database itself, whatever its rows say. */
export type DatabaseChecks = {
  /** What an operator calls it. */
  name: string;
  /** What the database finds wrong in its own files; empty when they are intact. */
  findFaults(db: Catalog): Promise<string[]>;
  /** Rows that name a row which does not exist, as sentences. */
  findBrokenReferences(db: Catalog): Promise<string[]>;
  /** Rebuilds the indexes from their tables. Damage in the tables themselves remains. */
  rebuildIndexes(db: Catalog): Promise<void>;
};

export const databaseChecksOf = (db: Catalog): DatabaseChecks =>
  dialectOf(db).name === 'postgres' ? postgresChecks : sqliteChecks;

/** Faults that are listed at most; more add no information. */
const maxFaults = 20;

const sqliteChecks: DatabaseChecks = {
  name: 'catalog.db',

  /** Reads the complete file, and checks unique keys too. */
  async findFaults(db) {
    const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check(${sql.lit(maxFaults)})`.execute(db);
    return rows.map((row) => row.integrity_check.replaceAll(/\s+/g, ' ')).filter((fault) => fault !== 'ok');
  },

  async findBrokenReferences(db) {
    const { rows } = await sql<{ table: string; rowid: number | null; parent: string }>`
      pragma foreign_key_check`.execute(db);
    const faults = rows.map(({ table, rowid, parent }) => `row ${rowid} of ${table} names no row of ${parent}`);
    return [...faults, ...(await findJobsWithoutItem(db))];
  },

  async rebuildIndexes(db) {
    await sql`reindex`.execute(db);
  },
};

/** Jobs on items have no foreign key, because those of exports name none. */
async function findJobsWithoutItem(db: Catalog): Promise<string[]> {
  const { rows } = await sql<{ media_id: string; kind: string }>`
    select media_id, kind from jobs where kind <> 'export' and not exists (
      select 1 from media_items items where items.workspace_id = jobs.workspace_id and items.id = jobs.media_id)
    order by media_id limit ${sql.lit(maxFaults)}`.execute(db);
  return rows.map(({ media_id, kind }) => `the job ${kind} of ${media_id} names no row of media_items`);
}

type IndexRow = { name: string; valid: boolean };

const postgresChecks: DatabaseChecks = {
  name: 'the database',

  /** Asks the extension `amcheck` where it is installed; otherwise its indexes are the server's business. */
  async findFaults(db) {
    const { rows: installed } = await sql`select 1 from pg_extension where extname = 'amcheck'`.execute(db);
    const faults: string[] = [];
    for (const { name, valid } of await listIndexes(db)) {
      const fault = valid ? installed.length > 0 && (await checkIndex(db, name)) : 'is not valid';
      if (fault) faults.push(`the index ${name} ${fault}`);
    }
    return faults.slice(0, maxFaults);
  },

  /** The server keeps foreign keys. */
  findBrokenReferences: findJobsWithoutItem,

  async rebuildIndexes(db) {
    // Those that are not valid would be passed over.
    for (const { name, valid } of await listIndexes(db)) {
      if (!valid) await sql`reindex index ${sql.table(name)}`.execute(db);
    }
    const { rows } = await sql<{ name: string }>`
      select relname::text as name from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace`.execute(
      db,
    );
    for (const { name } of rows) await sql`reindex table concurrently ${sql.table(name)}`.execute(db);
  },
};

/** The b-trees of the catalog, and any other index that was not finished. One of vectors is finished by the service. */
async function listIndexes(db: Catalog): Promise<IndexRow[]> {
  const { rows } = await sql<IndexRow>`
    select c.relname::text as name, i.indisvalid as valid from pg_index i
    join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'i' and a.amname = 'btree'
    order by c.relname`.execute(db);
  return rows;
}

/** @returns what is wrong; null: nothing */
async function checkIndex(db: Catalog, name: string): Promise<string | null> {
  try {
    await sql`select bt_index_check(${name}::regclass)`.execute(db);
    return null;
  } catch (error) {
    // index_corrupted
    if (error instanceof Error && 'code' in error && error.code === 'XX002') return error.message;
    throw error;
  }
}
