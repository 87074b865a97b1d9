import { createWorkerPool } from '../worker-pool.ts';
import type { QueryResult, QueryTask, QueryWorkerOptions } from './query-tasks.ts';

/** Heavy tasks waiting. What comes beyond is refused, so that light requests stay quick. */
const waiting = 16;

export type QueryPool = ReturnType<typeof createQueryPool>;

/** Too many heavy requests are under way. */
export class BusyError extends Error {
  override name = 'BusyError';
}

/** A worker died at a task: its decoder crashed, or memory ran out. */
export class CrashError extends Error {
  override name = 'CrashError';
}

/** Errors come from another process as plain objects. */
function toError(thrown: unknown): unknown {
  if (thrown instanceof Error || thrown === null || typeof thrown !== 'object') return thrown;
  const { message = '', ...more } = thrown as { message?: string };
  return Object.assign(new Error(message), more);
}

/**
 * Worker processes for the heavy parts of requests. They start with the first task; one that crashes is replaced.
 * @param atOnce how many there are
 */
export function createQueryPool(dataDirectory: string, atOnce: number) {
  const options: QueryWorkerOptions = { dataDirectory };
  const pool = createWorkerPool({
    filename: new URL('./query-worker.ts', import.meta.url),
    argv: [JSON.stringify(options)],
    atOnce,
    kept: 0,
  });
  // Counted here, because a task that tinypool (2.2) refuses for its own limit rejects a promise that nobody holds once its
  // signal aborts, which would end the process.
  let open = 0;
  return {
    /**
     * Runs a task. Throws what the task throws (an `UnreadableMediaError` is known by its name), `BusyError`, `CrashError`,
     * and the signal's reason when aborted; then the worker that was at it is ended.
     */
    async run<Kind extends QueryTask['kind']>(
      task: Extract<QueryTask, { kind: Kind }>,
      signal: AbortSignal,
    ): Promise<QueryResult[Kind]> {
      if (open >= atOnce + waiting) throw new BusyError('Too many heavy requests.');
      open += 1;
      try {
        return (await pool.run(task, signal)) as QueryResult[Kind];
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof Error && /exited unexpectedly/i.test(error.message)) throw new CrashError(error.message);
        throw toError(error);
      } finally {
        open -= 1;
      }
    },

    stop: (): Promise<void> => pool.stop(),
  };
}
