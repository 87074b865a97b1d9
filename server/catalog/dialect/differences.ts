import type { RawBuilder, SqlBool } from 'kysely';
import type { Catalog } from '../schema.ts';

/** What columns of each type are given as. `integer` has 64 bits, of which numbers of JavaScript reach 53. */
export type ColumnValues = {
  text: string | null;
  integer: number | null;
  real: number | null;
  bytes: Uint8Array;
  /** Stored as float32 in SQLite, as float16 in PostgreSQL. */
  vector: Float32Array;
};

export type ColumnType = keyof ColumnValues;

/** Rows of these columns; they may have more. */
export type RowsOf<Columns extends Record<string, ColumnType>> = {
  [Column in keyof Columns]: ColumnValues[Columns[Column]];
}[];

/** Which transactions a transaction waits for: others of its workspace, all others, or only those that write the same rows. */
export type Scope = { workspaceId: string } | 'service' | 'rows';

/**
 * What SQLite and PostgreSQL say differently; all other SQL in this folder is common to both. The checks of the database are in
 * `quick-check.ts` and `integrity-queries.ts`, the schema in `baseline/`.
 */
export type Dialect = {
  name: 'sqlite' | 'postgres';
  /** A list of numbers of any length as one parameter, for `in`. */
  numbersIn: (numbers: number[]) => RawBuilder<number>;
  /** A list of texts of any length as one parameter, for `in`. */
  textsIn: (texts: string[]) => RawBuilder<string>;
  /** Rows to insert, of any number, as a few parameters: a `select` of the columns in their order. */
  rowsIn: <const Columns extends Record<string, ColumnType>>(
    columns: Columns,
    rows: RowsOf<Columns>,
  ) => RawBuilder<unknown>;
  /** Whether a text contains another, letter by letter (unlike `like`, for which % and _ are wildcards). */
  contains: (text: RawBuilder<string>, part: RawBuilder<string> | string) => RawBuilder<SqlBool>;
  /** Whether a text, as `foldText` has it, contains another, which is so already. */
  holds: (text: RawBuilder<string>, folded: string) => RawBuilder<SqlBool>;
  /**
   * A column that no index is used for: SQLite would otherwise read all rows of a workspace, also where a list of numbers is given.
   * PostgreSQL's planner compares costs.
   */
  withoutIndex: <Value>(column: string) => RawBuilder<Value>;
  /**
   * A value whose plan is the same whatever it is, for statements that run all the time. SQLite looks at what is bound to a parameter where its planner
   * compares that with another expression, and then prepares the statement again each time it runs, which takes longer than to run it.
   */
  anyValue: <Value>(value: Value) => RawBuilder<Value>;
  /** Joins with `on`, reading the left table first in SQLite, which would otherwise choose by statistics that it does not have. */
  orderedJoin: RawBuilder<unknown>;
  /** Ends a `select`: locks its rows, and skips those that others have locked. */
  lockingFirst: RawBuilder<unknown>;
  /** A vector to be stored; PostgreSQL has it at half precision, and throws where that has no such number (`halfvec.ts`). */
  vector: (vector: Float32Array) => RawBuilder<Uint8Array>;
  /** The column of a vector as bytes, for `decodeVector`. */
  vectorBytes: (column: string) => RawBuilder<Uint8Array>;
  decodeVector: (bytes: Uint8Array) => Float32Array;
  /**
   * A time from now as it is stored, RFC 3339 in UTC with milliseconds, by a clock that all processes share: leases compare times that different
   * machines wrote.
   */
  timeIn: (seconds: number) => RawBuilder<string>;
  /**
   * How much further ahead than any that is ever stored a time must be to count as one from before the clock was set back, seconds. Where
   * several claim at once, one compares with a time that it read before another stored its own.
   */
  clockMargin: number;
  /** Selects `token`: a fencing token, larger than all before it of the same job. */
  nextToken: RawBuilder<{ token: number }>;
  /**
   * The last sequence that was ever assigned in a table, deleted rows included. Null: sequences are not compared with those of other
   * timelines, of which nothing is in the history then.
   */
  lastSequence: (db: Catalog, table: 'chunk_vectors' | 'item_changes' | 'events') => Promise<number | null>;
  /**
   * Grows, in the transaction of the change, when a label of a workspace gets a name; 0 where none counts, because names are read for each search
   * from a file.
   */
  labelVersion: (workspaceId: string) => RawBuilder<number>;
  /** What tells a database from its copies; null: nothing does. */
  identity: (db: Catalog) => Promise<string | null>;
  /** Runs `work` in a transaction; use `inWorkspace` and the like in `transactions.ts`. */
  transaction: <Result>(db: Catalog, scope: Scope, work: (transaction: Catalog) => Promise<Result>) => Promise<Result>;
};
