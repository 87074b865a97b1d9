import { CompiledQuery } from 'kysely';
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { Catalog } from '../schema.ts';

/** What a counter says after it counted. */
export type Count = {
  /** Whether there were more than the limit. */
  exceeded: boolean;
  /** How many may still come within the window. */
  remaining: number;
  /** Until the window ends and counting begins again. */
  msBeforeNext: number;
};

/** Counts what happens within a window, which begins with the first. */
export type Counter = {
  /** Counts one more. Throws what the database throws where it counts, and cannot. */
  consume(key: string): Promise<Count>;
  /** Takes one back. */
  reward(key: string): Promise<void>;
  /** Begins again. */
  forget(key: string): Promise<void>;
};

type CounterOptions = {
  /** Sets the keys of this counter apart from those of others, 1 to 20 letters. */
  name: string;
  limit: number;
  windowSeconds: number;
  /** While the shared store cannot be reached: each process counts by itself, or `consume` throws. */
  whenAway: 'count here' | 'throw';
};

/** Makes counters that all processes of the service share. */
export type Counters = (options: CounterOptions) => Counter;

/**
 * Counts in memory, or in a table that all processes share. The ends of windows are by the clocks of the processes, which have to agree within a
 * second. The table is unlogged: a crash of PostgreSQL forgets what was counted, as a restart of a single process does.
 * @param db the database of several processes; null: this process is the only one
 */
export const createCounters =
  (db: Catalog | null): Counters =>
  ({ name, limit, windowSeconds, whenAway }) => {
    const options = { keyPrefix: name, points: limit, duration: windowSeconds };
    const here = new RateLimiterMemory(options);
    if (!db) return toCounter(here, limit);
    const limiter = new RateLimiterPostgres({
      ...options,
      storeClient: { query: (query: StoreQuery) => runQuery(db, query) },
      storeType: 'client',
      tableName: 'rate_limits',
      tableCreated: true,
      clearExpiredByTimeout: false,
      ...(whenAway === 'count here' ? { insuranceLimiter: here } : {}),
    });
    return toCounter(limiter, limit);
  };

/** @param limiter throws what it counts beyond the limit */
function toCounter(limiter: Pick<RateLimiterMemory, 'consume' | 'reward' | 'delete'>, limit: number): Counter {
  return {
    async consume(key) {
      const counted = await limiter.consume(key).catch((refusal: unknown) => {
        if (refusal instanceof RateLimiterRes) return refusal;
        throw refusal;
      });
      const { consumedPoints, remainingPoints, msBeforeNext } = counted;
      return { exceeded: consumedPoints > limit, remaining: remainingPoints, msBeforeNext };
    },
    reward: async (key) => void (await limiter.reward(key)),
    forget: async (key) => void (await limiter.delete(key)),
  };
}

type StoreQuery = { text: string; values: unknown[] };

async function runQuery(db: Catalog, { text, values }: StoreQuery): Promise<{ rows: unknown[]; rowCount: number }> {
  const { rows, numAffectedRows } = await db.executeQuery(CompiledQuery.raw(text, values));
  return { rows, rowCount: Number(numAffectedRows ?? rows.length) };
}

/** Deletes what was counted in windows that have ended. */
export async function deleteExpiredCounts(db: Catalog): Promise<void> {
  await db.deleteFrom('rate_limits').where('expire', '<', Date.now()).execute();
}
