import { sql } from 'kysely';
import { dialectOf } from '../../catalog/dialect/dialect.ts';
import type { Catalog } from '../../catalog/schema.ts';
import type { Row, TableLayout, Value } from './read-rows.ts';

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
