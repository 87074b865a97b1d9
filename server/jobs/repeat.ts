import type { FastifyBaseLogger } from 'fastify';

/** Work that is done again and again, never twice at a time. */
export type Repeated = {
  /** Does it now, or once more when it is being done. */
  now(): void;
  /** Waits for what is being done. */
  stop(): Promise<void>;
};

/**
 * Does work after each interval. A failure is logged, and the next time it is tried again.
 * @param what what the work does, for the log
 */
export function repeatWork(
  intervalMs: number,
  work: () => Promise<void>,
  what: string,
  log: Pick<FastifyBaseLogger, 'error'>,
): Repeated {
  let running: Promise<void> = Promise.resolve();
  let waiting = false;
  let stopped = false;

  function now(): void {
    if (waiting || stopped) return;
    waiting = true;
    running = running
      .then(() => {
        waiting = false;
        return stopped ? undefined : work();
      })
      .catch((error: unknown) => log.error({ err: error }, `${what} failed`));
  }
  const timer = setInterval(now, intervalMs).unref();
  return {
    now,
    async stop() {
      clearInterval(timer);
      stopped = true;
      await running;
    },
  };
}
