import { createWorkerPool } from '../processes/worker-pool.ts';
import { createFairQueue } from './fair-queue.ts';
import type { QueryResult, QueryTask, QueryWorkerOptions } from './query-tasks.ts';
import { toTaskError } from './task-errors.ts';

/** Tasks that may take many seconds. Those of one workspace never take the last worker. */
const longTasks = new Set<QueryTask['kind']>(['outliers', 'map', 'sample', 'rankings']);

export type QueryPool = ReturnType<typeof createQueryPool>;

/**
 * Worker processes for the heavy parts of requests. They start with the first task; one that crashes is replaced.
 * @param concurrency number of workers
 */
export function createQueryPool(dataDirectory: string, concurrency: number) {
  const options: QueryWorkerOptions = { dataDirectory };
  const pool = createWorkerPool({
    filename: new URL('./query-worker.ts', import.meta.url),
    argv: [JSON.stringify(options)],
    maxProcesses: concurrency,
    minProcesses: 0,
  });
  // Tasks wait here and not in the pool, so that workspaces take turns; and because tinypool (2.2) rejects a promise that nobody
  // handles when the signal of a task that it refused for its own limit aborts, which would end the process.
  const queue = createFairQueue(concurrency);

  return {
    /**
     * Runs a task. Throws what the task throws (an `UnreadableMediaError` keeps its name, not its class), `BusyError`, `CrashError`,
     * and the signal's reason when aborted; the worker that runs the task is then ended.
     * @param workspaceId the workspace that asks: workspaces take turns
     */
    async run<Kind extends QueryTask['kind']>(
      workspaceId: string,
      task: Extract<QueryTask, { kind: Kind }>,
      signal: AbortSignal,
    ): Promise<QueryResult[Kind]> {
      const endTurn = await queue.waitForTurn(workspaceId, longTasks.has(task.kind), signal);
      try {
        return (await pool.run(task, signal)) as QueryResult[Kind];
      } catch (error) {
        signal.throwIfAborted();
        throw toTaskError(error);
      } finally {
        endTurn();
      }
    },

    stop: (): Promise<void> => pool.stop(),
  };
}
