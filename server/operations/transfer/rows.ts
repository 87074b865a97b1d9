import { type RawBuilder, sql } from 'kysely';
import { dialectOf } from '../../catalog/dialect/dialect.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { isOwnColumn, isOwnRow, type movedTables, type TableName } from './tables.ts';

/** A vector is a `Float32Array` in either dialect. */
export type Value = string | number | Uint8Array | Float32Array | null;
export type Row = Record<string, Value>;

/** A table as it is in one catalog. */
export type TableLayout = {
  name: TableName;
  /** In alphabetical order, without those that a database fills in itself. */
  columns: string[];
  /** Unique, and the order of its rows. */
  key: string[];
};

/** What the tables of a catalog look like. */
export async function readLayout(db: Catalog, tables: typeof movedTables): Promise<TableLayout[]> {
  const found = new Map((await db.introspection.getTables()).map((table) => [table.name, table.columns]));
  return Promise.all(
    tables.map(async ({ name, key }) => ({
      name,
      columns: (found.get(name) ?? [])
        .map((column) => column.name)
        .filter((column) => !isOwnColumn(name, column))
        .toSorted(),
      key: dialectOf(db).name === 'sqlite' ? [...key] : await readPrimaryKey(db, name),
    })),
  );
}

async function readPrimaryKey(db: Catalog, table: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select a.attname::text as name from pg_index i
    cross join unnest(i.indkey) with ordinality as k(number, place)
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number
    where i.indrelid = ${table}::regclass and i.indisprimary order by k.place`.execute(db);
  return rows.map(({ name }) => name);
}

/** Rows that are read at once. One with a vector has kilobytes, one of links a hundred bytes. */
const batchRows = { wide: 200, narrow: 1000 };
const wideTables = new Set<TableName>(['chunk_vectors', 'chunk_views', 'idempotency_keys', 'media_items']);

/**
 * The rows of a table in the order of its key, in batches.
 * @param after values of the key of the last row that is not wanted any more; null: from the first row on
 */
export async function* readBatches(
  db: Catalog,
  { name, columns, key }: TableLayout,
  after: Value[] | null = null,
): AsyncGenerator<Row[]> {
  const limit = wideTables.has(name) ? batchRows.wide : batchRows.narrow;
  const order = sql.join(key.map((column) => sql.ref(column)));
  const { vectorBytes, decodeVector } = dialectOf(db);
  const selected = [...new Set([...columns, ...key])].map((column) =>
    isVector(name, column) ? sql`${vectorBytes(column)} as ${sql.ref(column)}` : sql.ref(column),
  );
  const decode = (row: Row): Row =>
    isVector(name, 'vector') ? { ...row, vector: decodeVector(row['vector'] as Uint8Array) } : row;
  for (let last = after; ;) {
    const rest: RawBuilder<unknown> = last ? sql`where (${order}) > (${sql.join(last)})` : sql``;
    const { rows } = await sql<Row>`
      select ${sql.join(selected)} from ${sql.table(name)}
      ${rest} order by ${order} limit ${sql.lit(limit)}`.execute(db);
    const moved = rows.filter((row) => !isOwnRow(name, row));
    if (moved.length > 0) yield moved.map(decode);
    if (rows.length < limit) return;
    last = keyOf(rows.at(-1) as Row, key);
  }
}

const isVector = (table: TableName, column: string): boolean => table === 'chunk_vectors' && column === 'vector';

export const keyOf = (row: Row, key: string[]): Value[] => key.map((column) => row[column] ?? null);

export async function countRows(db: Catalog, table: TableName): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** SQLite takes 32,766 parameters, PostgreSQL's protocol 65,535. */
const maxParameters = 30_000;

/** Adds rows to a table, as `readBatches` gives them. */
export async function writeRows(db: Catalog, { name, columns }: TableLayout, rows: Row[]): Promise<void> {
  const dialect = dialectOf(db);
  const convert = (value: Value) => {
    if (value instanceof Float32Array) return dialect.vector(value);
    return typeof value === 'string' && dialect.name === 'postgres' ? withoutNul(value) : value;
  };
  const atOnce = Math.floor(maxParameters / columns.length);
  for (let first = 0; first < rows.length; first += atOnce) {
    const values = rows
      .slice(first, first + atOnce)
      .map((row) => sql`(${sql.join(columns.map((column) => convert(row[column] ?? null)))})`);
    await sql`insert into ${sql.table(name)} (${sql.join(columns.map((column) => sql.ref(column)))})
      values ${sql.join(values)}`.execute(db);
  }
}

/** PostgreSQL takes no U+0000 in a text. */
export const withoutNul = (text: string): string => text.replaceAll('\0', '');
