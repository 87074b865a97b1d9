/** What statements of this process have waited for before the database began with them: how often, and seconds in all. */
export const waitCounts = {
  /** A free connection of the pool, or a new one. */
  pool: { waits: 0, seconds: 0 },
  /** The lock of a workspace, where another transaction had it. */
  workspaceLock: { waits: 0, seconds: 0 },
};

/** A lock that is free takes a round trip, seconds. */
const freeLockSeconds = 0.01;

/** Counts a wait for the lock of a workspace. @param seconds that taking it took */
export function countLockWait(seconds: number): void {
  if (seconds < freeLockSeconds) return;
  waitCounts.workspaceLock.waits += 1;
  waitCounts.workspaceLock.seconds += seconds;
}

/** Counts a wait for a connection. */
export function countPoolWait(seconds: number): void {
  waitCounts.pool.waits += 1;
  waitCounts.pool.seconds += seconds;
}
