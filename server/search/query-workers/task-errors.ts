/** A worker died during a task: its decoder crashed, or memory ran out. */
export class CrashError extends Error {
  override name = 'CrashError';
}

/** What a task of a worker process has thrown. Errors come from another process as plain objects. */
export function toTaskError(thrown: unknown): unknown {
  if (thrown instanceof Error) {
    return /exited unexpectedly/i.test(thrown.message) ? new CrashError(thrown.message) : thrown;
  }
  if (thrown === null || typeof thrown !== 'object') return thrown;
  const { message = '', ...more } = thrown as { message?: string };
  return Object.assign(new Error(message), more);
}
