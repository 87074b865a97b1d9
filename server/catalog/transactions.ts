import { dialectOf } from './dialect/dialect.ts';
import type { Catalog } from './schema.ts';

/**
 * Transactions. In SQLite there is one at a time in any case. In PostgreSQL they run side by side, and one that fails because of another is
 * begun again, up to three times: `work` must have no effects but its statements. It must be short and wait for nothing else.
 */
type Work<Result> = (transaction: Catalog) => Promise<Result>;

/**
 * One transaction of a workspace at a time: what `work` reads stays so until it ends.
 * @param db may be a transaction of the same workspace: then `work` is a part of it
 */
export const inWorkspace = <Result>(db: Catalog, workspaceId: string, work: Work<Result>): Promise<Result> =>
  db.isTransaction ? work(db) : dialectOf(db).transaction(db, { workspaceId }, work);

/** Alone, beside no other transaction of a workspace or of the service. */
export const inService = <Result>(db: Catalog, work: Work<Result>): Promise<Result> =>
  dialectOf(db).transaction(db, 'service', work);

/** For work whose statements lock the rows that it depends on. */
export const inRows = <Result>(db: Catalog, work: Work<Result>): Promise<Result> =>
  dialectOf(db).transaction(db, 'rows', work);
