import { type ExpressionBuilder, type ExpressionWrapper, type RawBuilder, type SqlBool } from 'kysely';
import { dialectOf } from '../dialect/dialect.ts';
import type { Catalog, Database } from '../schema.ts';

/** How long a worker that does not renew its lease keeps its job. */
const leaseSeconds = 30;
/** How long a job waits after a failure of the machine. */
const backoffSeconds = 60;

/** When a lease that begins now ends. */
export const leaseEnd = (db: Catalog): RawBuilder<string> => dialectOf(db).timeIn(leaseSeconds);

/** Until when a job waits after a failure of the machine now. */
export const backoffEnd = (db: Catalog): RawBuilder<string> => dialectOf(db).timeIn(backoffSeconds);

type JobCondition = (e: ExpressionBuilder<Database, 'jobs'>) => ExpressionWrapper<Database, 'jobs', SqlBool>;

/**
 * A worker holds the job. A time further ahead than any that is ever stored was stored before the clock was set back, and counts as past.
 */
export function isHeld(db: Catalog): JobCondition {
  const { timeIn, clockMargin } = dialectOf(db);
  return (e) =>
    e.and([
      e('lease_owner', 'is not', null),
      e('lease_until', '>=', timeIn(0)),
      e('lease_until', '<=', timeIn(leaseSeconds + clockMargin)),
    ]);
}

/** No worker holds the job, and it does not wait. */
export function isClaimable(db: Catalog): JobCondition {
  const { timeIn, clockMargin } = dialectOf(db);
  return (e) => {
    const waits = e.and([
      e('available_at', 'is not', null),
      e('available_at', '>=', timeIn(0)),
      e('available_at', '<=', timeIn(backoffSeconds + clockMargin)),
    ]);
    return e.and([e.not(isHeld(db)(e)), e.not(waits)]);
  };
}
