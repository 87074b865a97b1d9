import type { FastifyBaseLogger } from 'fastify';

type Log = Pick<FastifyBaseLogger, 'error'>;

/** @param signal aborts when the worker stops */
type Work = (signal: AbortSignal) => Promise<void> | void;

/** Work that runs again and again, never twice at a time. It does not keep the process alive. */
export type PeriodicWorker = {
  /** Runs the work now, or once more after the run in progress. */
  now(): void;
  /** Begins no further run, aborts the signal and waits for the run in progress. */
  stop(): Promise<void>;
};

/** Runs work at once and then every hour; see `runEvery`. */
export const runHourly = (work: Work, what: string, log: Log) => runEvery(60 * 60_000, work, what, log);

/** Runs work at once and then every day: for what takes long. */
export const runDaily = (work: Work, what: string, log: Log) => runEvery(24 * 60 * 60_000, work, what, log);

/**
 * Runs work at once and then after each interval; an interval that ends during a run is skipped. What the work has to do is in the catalog, so a
 * start catches up with what came due meanwhile. The next run retries what failed. Give work that only one process may do to the leader.
 * @param what what the work does, for the log
 * @param log null: a failure is expected and needs no attention
 * @param options.atOnce false: the first run is after the first interval
 */
export function runEvery(
  intervalMs: number,
  work: Work,
  what: string,
  log: Log | null,
  { atOnce = true } = {},
): PeriodicWorker {
  const stopping = new AbortController();
  const { signal } = stopping;
  let running: Promise<void> | null = null;
  let isAskedAgain = false;

  const onFailure = (error: unknown) => {
    if (!signal.aborted) log?.error({ err: error }, `${what} failed`);
  };

  function begin(): void {
    let result: Promise<void> | void;
    try {
      result = work(signal);
    } catch (error) {
      return onFailure(error);
    }
    running = result?.catch(onFailure).finally(onEnd) ?? null;
  }

  function onEnd(): void {
    running = null;
    if (!isAskedAgain || signal.aborted) return;
    isAskedAgain = false;
    begin();
  }

  const timer = setInterval(() => {
    if (!running) begin();
  }, intervalMs).unref();
  if (atOnce) begin();
  return {
    now() {
      if (running) isAskedAgain = true;
      else if (!signal.aborted) begin();
    },
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await running;
    },
  };
}
