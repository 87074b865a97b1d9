import { createWorkerPool } from '../processes/worker-pool.ts';
import { createFairQueue } from './fair-queue.ts';
import { toTaskError } from './task-errors.ts';

/**
 * Worker processes for tasks of some kinds. They start with the first task; one that crashes is replaced.
 * @param concurrency number of workers
 * @param longTasks kinds that take long: those of one workspace never take the last worker
 */
export function createTaskPool<Task extends { kind: string }, Results extends Record<Task['kind'], unknown>>({
  filename,
  options,
  environment,
  concurrency,
  longTasks,
}: {
  filename: URL;
  /** What the worker reads from its arguments. */
  options: object;
  /** Variables of the workers; this process's by default. */
  environment?: NodeJS.ProcessEnv;
  concurrency: number;
  longTasks: ReadonlySet<Task['kind']>;
}) {
  const pool = createWorkerPool({
    filename,
    argv: [JSON.stringify(options)],
    environment,
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
    async run<Kind extends Task['kind']>(
      workspaceId: string,
      task: Extract<Task, { kind: Kind }>,
      signal: AbortSignal,
    ): Promise<Results[Kind]> {
      const endTurn = await queue.waitForTurn(workspaceId, longTasks.has(task.kind), signal);
      try {
        return (await pool.run(task, signal)) as Results[Kind];
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
