import { type RawBuilder, sql, type SqlBool } from 'kysely';

/**
 * The SQL that only SQLite understands, and what PostgreSQL has instead. The checks of the database file are in
 * `quick-check.ts` and `integrity-queries.ts`; all other SQL in this folder is common to both.
 */

/**
 * A list of numbers of any length as one parameter, for `in`.
 * PostgreSQL: `(select unnest(${numbers}::bigint[]))`.
 */
export const numbersIn = (numbers: number[]): RawBuilder<number> =>
  sql<number>`(select value from json_each(${JSON.stringify(numbers)}))`;

/**
 * Rows to insert, of any number, as one parameter. The condition lets SQLite tell `on conflict` from a join.
 * PostgreSQL: `select * from json_to_recordset(${rows}) as rows(…)`.
 */
export const rowsIn = <Column extends string>(
  columns: readonly Column[],
  rows: Record<Column, string | number | null>[],
): RawBuilder<unknown> =>
  sql`select ${sql.join(columns.map((column) => sql`value ->> ${sql.lit(column)}`))} from json_each(${JSON.stringify(rows)}) where true`;

/**
 * A list of texts of any length as one parameter, for `in`.
 * PostgreSQL: `(select unnest(${texts}::text[]))`.
 */
export const textsIn = (texts: string[]): RawBuilder<string> =>
  sql<string>`(select value from json_each(${JSON.stringify(texts)}))`;

/**
 * Whether a text contains another, letter by letter (unlike `like`, for which % and _ are wildcards).
 * PostgreSQL: `position(part in text) > 0`.
 */
export const contains = (text: RawBuilder<string>, part: RawBuilder<string> | string): RawBuilder<SqlBool> =>
  sql<SqlBool>`instr(${text}, ${part}) > 0`;

/**
 * A column that no index is used for: SQLite would otherwise read all rows of a workspace, also where a list of numbers is given.
 * PostgreSQL: the column itself, its planner compares costs.
 */
export const withoutIndex = <Value>(column: string): RawBuilder<Value> => sql<Value>`+${sql.ref(column)}`;

/**
 * Lets several workers claim jobs at the same time without waiting for each other. In SQLite a transaction that begins as a writer is the
 * only one, so that nothing has to be locked.
 * PostgreSQL: sql`for update skip locked`.
 */
export const lockingFirst: RawBuilder<unknown> = sql``;
