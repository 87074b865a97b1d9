/** How many tasks may wait, of one workspace and of all. Further ones are refused. */
type WaitingBounds = { each: number; all: number };

/** More than the requests in flight of a workspace need. */
const usualBounds: WaitingBounds = { each: 64, all: 256 };
/** How many long tasks of a workspace may wait and run where short ones are spared. */
const maxLongPerWorkspace = 32;

/** A task that waits or runs; `start` gives it its turn. */
type Task = { workspaceId: string; isLong: boolean; start: () => void };

/** Too many tasks are waiting. */
export class BusyError extends Error {
  override name = 'BusyError';
}

/**
 * Whether one more of a workspace is too many where so many of several workspaces may wait: none has to go because of what others have
 * queued, as long as it has less than an equal part.
 */
export const exceedsShare = (own: number, workspaces: number, all: number, most: number): boolean =>
  all >= most && own >= most / Math.max(1, workspaces);

/**
 * A queue in which workspaces take turns.
 * @param concurrency tasks that run at the same time
 * @param sparesShort whether long tasks of all workspaces together, not of each one, leave a place to short ones
 */
export function createFairQueue(concurrency: number, sparesShort = false, bounds = usualBounds) {
  const running = new Set<Task>();
  /** In the order in which workspaces are served next. */
  const waiting: Task[] = [];
  const countRunning = (workspaceId: string) => [...running].filter((task) => task.workspaceId === workspaceId).length;
  function canStart({ isLong, workspaceId }: Task): boolean {
    if (!isLong) return true;
    const others = [...running].filter((task) => task.isLong && (sparesShort || task.workspaceId === workspaceId));
    return others.length < Math.max(1, concurrency - 1);
  }

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
     * @param isLong whether the task may take many seconds; such tasks of one workspace, or of all, never take the last place
     * @returns ends the turn; to be called once
     */
    async waitForTurn(workspaceId: string, isLong: boolean, signal: AbortSignal): Promise<() => void> {
      const own = [...running, ...waiting].filter((task) => task.workspaceId === workspaceId);
      const hasManyLong = sparesShort && isLong && own.filter((task) => task.isLong).length >= maxLongPerWorkspace;
      const hasMany = own.length >= concurrency + bounds.each;
      const workspaces = new Set(waiting.map((task) => task.workspaceId));
      if (hasManyLong || hasMany || exceedsShare(own.length, workspaces.size, waiting.length, bounds.all)) {
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
