import { sql } from 'kysely';
import type { Catalog } from '../../catalog/schema.ts';

/** Numbers that a catalog does not give again, deleted rows included. */
type Counters = { fencingToken: number; chunk: number; segment: number };

/** What filling a catalog with the rows of another says differently in SQLite and PostgreSQL. */
export type Filling = {
  /** Takes the triggers away. @returns how to make them again */
  suspendTriggers(db: Catalog): Promise<string[]>;
  /** Deletes all rows of all tables. */
  clear(db: Catalog): Promise<void>;
  /** Records each item as changed, without triggers. */
  recordItems(db: Catalog): Promise<void>;
  /** Makes what searches need besides rows, once the triggers are there again. It goes on where it was interrupted. */
  makeIndexes(db: Catalog): Promise<void>;
  readCounters(db: Catalog): Promise<Counters>;
  /** Sets counters on to these, never back. */
  raiseCounters(db: Catalog, counters: Counters): Promise<void>;
};

/** Makes the triggers again that `suspendTriggers` took away. */
export async function resumeTriggers(db: Catalog, statements: string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
