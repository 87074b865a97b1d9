/** How many tasks may wait, of one workspace and of all. Further ones are refused. */
const maxWaitingPerWorkspace = 16;
const maxWaiting = 64;

/** A task that waits or runs; `start` gives it its turn. */
type Task = { workspaceId: string; isLong: boolean; start: () => void };

/** Too many tasks are waiting. */
export class BusyError extends Error {
  override name = 'BusyError';
}

/**
 * A queue in which workspaces take turns.
 * @param concurrency tasks that run at the same time
 */
export function createFairQueue(concurrency: number) {
  const running = new Set<Task>();
  /** In the order in which workspaces are served next. */
  const waiting: Task[] = [];
  const countRunning = (workspaceId: string, only: (task: Task) => boolean = () => true) =>
    [...running].filter((task) => task.workspaceId === workspaceId && only(task)).length;
  const canStart = (task: Task) =>
    !task.isLong || countRunning(task.workspaceId, (other) => other.isLong) < Math.max(1, concurrency - 1);

  /** Starts what can start: of the workspace that has the fewest running, and of these the one that has waited longest. */
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

  return {
    /**
     * Waits for a turn. Throws `BusyError`, and the signal's reason when aborted before.
     * @param isLong whether the task may take many seconds; such tasks of one workspace never take the last place
     * @returns ends the turn; to be called once
     */
    async waitForTurn(workspaceId: string, isLong: boolean, signal: AbortSignal): Promise<() => void> {
      const own = [...running, ...waiting].filter((task) => task.workspaceId === workspaceId).length;
      if (own >= concurrency + maxWaitingPerWorkspace || waiting.length >= maxWaiting) {
        throw new BusyError('Too many heavy requests.');
      }
      signal.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const task: Task = { workspaceId, isLong, start: resolve };
      const onAbort = () => {
        const place = waiting.indexOf(task);
        if (place !== -1) waiting.splice(place, 1);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', onAbort);
      waiting.push(task);
      startNext();
      await promise.finally(() => signal.removeEventListener('abort', onAbort));
      return () => {
        running.delete(task);
        startNext();
      };
    },
  };
}
