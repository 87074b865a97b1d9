import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { dialectOf } from '../dialect/dialect.ts';
import type { Catalog, Database } from '../schema.ts';

/**
 * Leases: a row with the columns `lease_owner` and `lease_until` is worked on by its owner alone, until the lease ends or the owner releases it. An
 * owner that goes on for longer renews it. The lease alone protects nothing, because an owner that stood still may go on after another one has
 * taken the row: each write of an owner names the fencing token of its job, or its own name where that is random for each lease.
 *
 * A delivery of a webhook has its lease in `next_attempt_at`, which the API shows, and the number of its attempt as the token: its table is spread
 * over the nodes of Citus, where no statement that writes takes the clock of the database.
 */

/** How long an owner that does not renew its lease keeps others from a row of each table, seconds. */
const leaseSeconds = {
  jobs: 30,
  uploads: 10,
  request_claims: 20,
  saved_indexes: 30,
} as const satisfies { [Table in keyof Database]?: number };

export type LeasedTable = keyof typeof leaseSeconds;

/** How long a lease lasts that is not renewed, seconds. */
export const leaseLength = (table: LeasedTable): number => leaseSeconds[table];

/** When a lease that begins now ends. */
export const leaseEnd = (db: Catalog, table: LeasedTable): RawBuilder<string> =>
  dialectOf(db).timeIn(leaseSeconds[table]);

/** The columns of a row that an owner takes now. */
export const leaseTo = (db: Catalog, table: LeasedTable, owner: string) => ({
  lease_owner: owner,
  lease_until: leaseEnd(db, table),
});

/** The columns of a row that its owner gives back. */
export const noLease = { lease_owner: null, lease_until: null };

/**
 * Whether a time is now or in the next seconds. One further ahead than any that is ever stored was stored before the clock was set back, and counts as
 * past.
 */
export function isAhead(db: Catalog, column: string, seconds: number): RawBuilder<SqlBool> {
  const { timeIn, clockMargin } = dialectOf(db);
  return sql`(${sql.ref(column)} is not null and ${sql.ref(column)} >= ${timeIn(0)} and ${sql.ref(column)} <= ${timeIn(seconds + clockMargin)})`;
}

/** Whether an owner holds the row. */
export const isHeld = (db: Catalog, table: LeasedTable): RawBuilder<SqlBool> =>
  sql`(${sql.ref(`${table}.lease_owner`)} is not null and ${isAhead(db, `${table}.lease_until`, leaseSeconds[table])})`;

/** Whether no owner holds the row. */
export const isFree = (db: Catalog, table: LeasedTable): RawBuilder<SqlBool> => sql`not ${isHeld(db, table)}`;
