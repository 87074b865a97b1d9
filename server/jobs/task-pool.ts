import { UnreadableMediaError } from '@media-search/media/unreadable-media-error';
import { FairQueue } from '../platform/fair-queue.ts';
import { createWorkerPool } from '../platform/processes/worker-pool.ts';
import { toTaskError } from '../search/query-workers/task-errors.ts';

/**
 * Worker processes for tasks of some kinds. They start with the first task; one that crashes is replaced.
 * @param concurrency number of workers
 * @param longTasks kinds that take long: those of one workspace never take the last worker
 * @param sparesShort whether those of all workspaces together do not take it either
 * @param timeLimits kinds that read one file, and for how long at most, milliseconds: an abort ends them only while they wait, because
 * the end of a worker takes the model that is loaded there, and all others wait for the next
 */
export function createTaskPool<Task extends { kind: string }, Results extends Record<Task['kind'], unknown>>({
  filename,
  options,
  environment,
  concurrency,
  longTasks,
  sparesShort = false,
  timeLimits = {},
}: {
  filename: URL;
  /** What the worker reads from its arguments. */
  options: object;
  /** Variables of the workers; this process's by default. */
  environment?: NodeJS.ProcessEnv;
  concurrency: number;
  longTasks: ReadonlySet<Task['kind']>;
  sparesShort?: boolean;
  timeLimits?: Partial<Record<Task['kind'], number>>;
}) {
  const pool = createWorkerPool({
    filename,
    argv: [JSON.stringify(options)],
    environment,
    maxProcesses: concurrency,
    minProcesses: 0,
  });
  // Tasks wait here and not in the pool, so that workspaces take turns; and because tinypool (2.2) rejects a promise that has no
  // handler when the signal of a task that it refused for its own limit aborts, which would end the process.
  const queue = new FairQueue({ concurrency, sparesShort });
  return {
    /**
     * Runs a task. Throws what the task throws (an `UnreadableMediaError` keeps its name, not its class), `BusyError`, `CrashError`,
     * and the signal's reason when aborted; the worker that runs the task is then ended, unless it has a time limit.
     * @param workspaceId the workspace that asks: workspaces take turns
     */
    async run<Kind extends Task['kind']>(
      workspaceId: string,
      task: Extract<Task, { kind: Kind }>,
      signal: AbortSignal,
    ): Promise<Results[Kind]> {
      const endTurn = await queue.waitForTurn({ owner: workspaceId, isLong: longTasks.has(task.kind) }, signal);
      const limitMs = timeLimits[task.kind];
      const ending = limitMs === undefined ? signal : AbortSignal.timeout(limitMs);
      try {
        return (await pool.run(task, ending)) as Results[Kind];
      } catch (error) {
        if (ending.aborted && limitMs !== undefined) throw tooSlow(limitMs);
        ending.throwIfAborted();
        throw toTaskError(error);
      } finally {
        endTurn();
      }
    },

    stop: (): Promise<void> => pool.stop(),
  };
}

const tooSlow = (limitMs: number) =>
  new UnreadableMediaError('unreadable_media', `Reading this takes longer than ${limitMs / 1000} seconds.`);
