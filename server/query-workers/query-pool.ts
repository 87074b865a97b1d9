import { createWorkerPool } from '../processes/worker-pool.ts';
import type { QueryResult, QueryTask, QueryWorkerOptions } from './query-tasks.ts';

/** Tasks waiting, of one workspace and of all. What comes beyond is refused. */
const maxWaitingPerWorkspace = 16;
const maxWaiting = 64;

/** Tasks that may take many seconds. Of one workspace they never take the last worker. */
const longTasks = new Set<QueryTask['kind']>(['outliers', 'map', 'sample', 'rankings']);

type Task = { workspaceId: string; isLong: boolean; start: () => void };

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
 * @param concurrency how many there are
 */
export function createQueryPool(dataDirectory: string, concurrency: number) {
  const options: QueryWorkerOptions = { dataDirectory };
  const pool = createWorkerPool({
    filename: new URL('./query-worker.ts', import.meta.url),
    argv: [JSON.stringify(options)],
    maxProcesses: concurrency,
    minProcesses: 0,
  });
  // Tasks wait here and not in the pool, so that workspaces take turns; and because a task that tinypool (2.2) refuses for its own
  // limit rejects a promise that nobody holds once its signal aborts, which would end the process.
  const running = new Set<Task>();
  /** In the order in which workspaces are served next. */
  const waiting: Task[] = [];
  const countRunning = (workspaceId: string, only: (task: Task) => boolean = () => true) =>
    [...running].filter((task) => task.workspaceId === workspaceId && only(task)).length;
  const canStart = (task: Task) =>
    !task.isLong || countRunning(task.workspaceId, (other) => other.isLong) < Math.max(1, concurrency - 1);

  /** Starts what can be: of the workspace that has the fewest running, and of these the one that has waited longest. */
  function startNext(): void {
    while (running.size < concurrency) {
      const ready = waiting.filter(canStart);
      const fewest = Math.min(...ready.map(({ workspaceId }) => countRunning(workspaceId)));
      const next = ready.find(({ workspaceId }) => countRunning(workspaceId) === fewest);
      if (!next) return;
      waiting.splice(waiting.indexOf(next), 1);
      // Its other tasks go behind those of the others.
      const later = waiting.filter(({ workspaceId }) => workspaceId === next.workspaceId);
      waiting.splice(0, waiting.length, ...waiting.filter((task) => !later.includes(task)), ...later);
      running.add(next);
      next.start();
    }
  }

  /** Waits for a worker. Throws the signal's reason when aborted before. */
  async function waitForWorker(workspaceId: string, isLong: boolean, signal: AbortSignal): Promise<Task> {
    const own = [...running, ...waiting].filter((task) => task.workspaceId === workspaceId).length;
    if (own >= concurrency + maxWaitingPerWorkspace || waiting.length >= maxWaiting)
      throw new BusyError('Too many heavy requests.');
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const task: Task = { workspaceId, isLong: isLong, start: resolve };
    const onAbort = () => {
      const place = waiting.indexOf(task);
      if (place !== -1) waiting.splice(place, 1);
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', onAbort);
    waiting.push(task);
    startNext();
    await promise.finally(() => signal.removeEventListener('abort', onAbort));
    return task;
  }

  return {
    /**
     * Runs a task. Throws what the task throws (an `UnreadableMediaError` is known by its name), `BusyError`, `CrashError`,
     * and the signal's reason when aborted; then the worker that was at it is ended.
     * @param workspaceId whom it is for: workspaces take turns
     */
    async run<Kind extends QueryTask['kind']>(
      workspaceId: string,
      task: Extract<QueryTask, { kind: Kind }>,
      signal: AbortSignal,
    ): Promise<QueryResult[Kind]> {
      const place = await waitForWorker(workspaceId, longTasks.has(task.kind), signal);
      try {
        return (await pool.run(task, signal)) as QueryResult[Kind];
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof Error && /exited unexpectedly/i.test(error.message)) throw new CrashError(error.message);
        throw toError(error);
      } finally {
        running.delete(place);
        startNext();
      }
    },

    stop: (): Promise<void> => pool.stop(),
  };
}
