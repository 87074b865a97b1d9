import type { FastifyBaseLogger } from 'fastify';

const intervalMs = 60 * 60_000;

/**
 * Runs work at once and then every hour. What it has to do is in the catalog, so a start catches up with what came due meanwhile, and one
 * that is killed goes on where the last run stopped. A failure is logged, and tried again an hour later.
 * @param what what the work does, for the log
 * Single process: a second one would do the same work at the same time.
 */
export function runHourly(
  work: (signal: AbortSignal) => Promise<void>,
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

  let running = run();
  const timer = setInterval(() => void (running = running.then(run)), intervalMs).unref();
  return {
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await running;
    },
  };
}
