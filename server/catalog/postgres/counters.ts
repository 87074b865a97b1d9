import { CompiledQuery } from 'kysely';
import { RateLimiterMemory, RateLimiterPostgres } from 'rate-limiter-flexible';
import type { Counters } from '../counters/counters.ts';
import { toCounter } from '../counters/memory-counters.ts';
import type { Catalog } from '../schema.ts';

/**
 * Counters in a table that all processes share. The ends of windows are by the clocks of the processes, which have to agree within a second.
 * The table is unlogged: a crash of PostgreSQL forgets what was counted, as a restart of a single process does.
 */
export const createPostgresCounters =
  (db: Catalog): Counters =>
  ({ name, limit, windowSeconds, whenAway }) => {
    const options = { keyPrefix: name, points: limit, duration: windowSeconds };
    const limiter = new RateLimiterPostgres({
      ...options,
      storeClient: { query: (query: StoreQuery) => runQuery(db, query) },
      storeType: 'client',
      tableName: 'rate_limits',
      tableCreated: true,
      clearExpiredByTimeout: false,
      ...(whenAway === 'count here' ? { insuranceLimiter: new RateLimiterMemory(options) } : {}),
    });
    return toCounter(limiter, limit);
  };

type StoreQuery = { text: string; values: unknown[] };

async function runQuery(db: Catalog, { text, values }: StoreQuery): Promise<{ rows: unknown[]; rowCount: number }> {
  const { rows, numAffectedRows } = await db.executeQuery(CompiledQuery.raw(text, values));
  return { rows, rowCount: Number(numAffectedRows ?? rows.length) };
}

/** Deletes what was counted in windows that have ended. */
export async function deleteExpiredCounts(db: Catalog): Promise<void> {
  await db.deleteFrom('rate_limits').where('expire', '<', Date.now()).execute();
}
