import type { FastifyBaseLogger } from 'fastify';

type Work = (signal: AbortSignal) => Promise<void>;

/** Runs work at once and then every hour; see `runEvery`. */
export const runHourly = (work: Work, what: string, log: Pick<FastifyBaseLogger, 'error'>) =>
  runEvery(60 * 60_000, work, what, log);

/** The same, every day: for what takes long. */
export const runDaily = (work: Work, what: string, log: Pick<FastifyBaseLogger, 'error'>) =>
  runEvery(24 * 60 * 60_000, work, what, log);

/**
 * Runs work at once and then after each interval. What it has to do is in the catalog, so a start catches up with what came due meanwhile, and one
 * that is killed goes on where the last run stopped. A failure is logged, and tried again at the next time.
 * @param what what the work does, for the log
 * Single process: a second one would do the same work at the same time.
 */
export function runEvery(
  intervalMs: number,
  work: Work,
  what: string,
  log: Pick<FastifyBaseLogger, 'error'>,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;

  async function run(): Promise<void> {
    try {
      await work(signal);
    } catch (error) {
      if (!signal.aborted) log.error({ err: error }, `${what} failed`);
    }
  }

  let isRunning = true;
  const runOnce = () => run().finally(() => (isRunning = false));
  let running = runOnce();
  const timer = setInterval(() => {
    // Work that takes longer than an interval is not done twice as often afterwards.
    if (isRunning) return;
    isRunning = true;
    running = runOnce();
  }, intervalMs).unref();
  return {
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await running;
    },
  };
}
