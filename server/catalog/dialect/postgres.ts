import { setTimeout } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import { countLockWait } from '../postgres/wait-counts.ts';
import type { Catalog } from '../schema.ts';
import { arrayOfBytes, arrayOfHalfvecs } from './binary-arrays.ts';
import type { ColumnType, Dialect, Scope } from './differences.ts';
import { strokes } from './fold-text.ts';
import { fromHalfvec, toHalfvec } from './halfvec.ts';
import { isTransient } from './transient-errors.ts';

export const postgres: Dialect = {
  name: 'postgres',
  // As arrays: the driver counts parameters up to 65,535 only.
  numbersIn: (numbers) => sql`(select unnest(${numbers}::bigint[]))`,
  textsIn: (texts) => sql`(select unnest(${texts}::text[]))`,
  rowsIn: (columns, rows) => {
    const values = Object.entries<ColumnType>(columns).map(([column, type]) => {
      const given = rows.map((row) => row[column]);
      if (type === 'vector') return sql`${arrayOfHalfvecs(given as Float32Array[])}::halfvec[]`;
      if (type === 'bytes') return sql`${arrayOfBytes(given as Uint8Array[])}::bytea[]`;
      return sql`${given}::${types[type]}[]`;
    });
    return sql`select * from unnest(${sql.join(values)})`;
  },
  contains: (text, part) => sql`position(${part} in ${text}) > 0`,
  holds: (
    text,
    folded,
  ) => sql`position(${folded} in lower(translate(regexp_replace(normalize(${text}, NFKD), '[\\u0300-\\u036f]', '', 'g'),
    ${sql.lit(strokes.from)}, ${sql.lit(strokes.to)}) collate "C")) > 0`,
  withoutIndex: (column) => sql.ref(column),
  anyValue: (value) => sql`${value}`,
  orderedJoin: sql`join`,
  lockingFirst: sql`for update skip locked`,
  vector: (vector) => sql`${toHalfvec(vector)}::halfvec`,
  vectorBytes: (column) => sql`halfvec_send(${sql.ref(column)})`,
  decodeVector: fromHalfvec,
  // Selected, so that it is computed once in a statement.
  timeIn: (seconds) => sql`(select to_char(
    (clock_timestamp() at time zone 'UTC') + ${sql.lit(seconds)} * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') collate "C")`,
  clockMargin: 90,
  // A row that is counted up would let one claim run at a time in the whole service.
  nextToken: sql`select nextval('fencing_tokens') as token`,
  // Changes are numbered in each workspace.
  lastSequence: () => Promise.resolve(null),
  labelVersion: (workspaceId) =>
    sql`coalesce((select labels from workspace_changes where workspace_id = ${workspaceId}), 0)`,
  // A restored dump has another number, a server that was recovered to an earlier moment another timeline.
  async identity(db) {
    const { rows } = await sql<{ identity: string }>`
      select concat_ws(' ', system_identifier, timeline_id, (select oid from pg_database where datname = current_database())) as identity
      from pg_control_system(), pg_control_checkpoint()`.execute(db);
    return rows[0]?.identity ?? null;
  },
  transaction: async (db, scope, work) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await beginWith(db, scope, work);
      } catch (error) {
        if (attempt > maxRetries || !isTransient(error)) throw error;
        await setTimeout(Math.random() * 20 * attempt);
      }
    }
  },
};

const types: Record<Exclude<ColumnType, 'vector' | 'bytes'>, RawBuilder<unknown>> = {
  text: sql`text`,
  integer: sql`bigint`,
  real: sql`double precision`,
};

/** What is done at the end of each transaction of a workspace, as its last statements. */
type Completion = (transaction: Catalog, workspaceId: string) => Promise<void>;

/** By what a catalog and its transactions have in common. */
const completions = new WeakMap<object, Completion>();

const adapterOf = (db: Catalog): object => db.getExecutor().adapter;

/** Has a catalog complete each transaction of a workspace that begins from then on. */
export const completeTransactions = (db: Catalog, completion: Completion): void =>
  void completions.set(adapterOf(db), completion);

const maxRetries = 3;

/** Sets the locks of transactions apart from other advisory locks in the database. */
const lockSpace = 18;

/**
 * What a workspace writes fires triggers and checks foreign keys for each row; these plans are made once in a connection, not for each row, which
 * takes half the time of the server.
 *
 * The locks are taken first and in one order, so there are no deadlocks, and each statement after them sees what was committed before:
 * it may read, then write what depends on that.
 */
const beginWith = <Result>(db: Catalog, scope: Scope, work: (transaction: Catalog) => Promise<Result>) =>
  db
    .transaction()
    .setIsolationLevel('read committed')
    .execute(async (transaction) => {
      if (scope === 'service') {
        await sql`select pg_advisory_xact_lock(${sql.lit(lockSpace)})`.execute(transaction);
      } else if (scope !== 'rows') {
        const begun = performance.now();
        await sql`select set_config('plan_cache_mode', 'auto', true), pg_advisory_xact_lock_shared(${sql.lit(lockSpace)}),
          pg_advisory_xact_lock(hashtextextended(${scope.workspaceId}, ${sql.lit(lockSpace)}))`.execute(transaction);
        countLockWait((performance.now() - begun) / 1000);
      }
      const result = await work(transaction);
      if (typeof scope === 'object') await completions.get(adapterOf(db))?.(transaction, scope.workspaceId);
      return result;
    });
