import { PostgresAdapter } from 'kysely';
import type { Catalog } from '../schema.ts';
import type { Dialect } from './differences.ts';
import { postgres } from './postgres.ts';
import { sqlite } from './sqlite.ts';

/** The dialect of a catalog, also of a transaction. */
export const dialectOf = (db: Catalog): Dialect =>
  db.getExecutor().adapter instanceof PostgresAdapter ? postgres : sqlite;
