import type { IndexingStage } from '../../contract/media.ts';

/** Progress is stored at most this often. */
const reportIntervalMs = 700;

/**
 * Stores progress at most every 700 ms, the latest always: what comes in between is stored when the time is over.
 * @param store writes it; its failure is only logged, since the work continues
 */
export function createProgressReporter(
  store: (stage: IndexingStage, fraction: number) => Promise<void>,
  log: { warn: (details: object) => void },
): Disposable & { report: (stage: IndexingStage, fraction: number) => void } {
  let timer: NodeJS.Timeout | undefined;
  let storedAt = 0;
  let latest: [stage: IndexingStage, fraction: number];
  const flush = () => {
    timer = undefined;
    storedAt = Date.now();
    store(...latest).catch((error: unknown) => log.warn({ err: error }));
  };
  return {
    report(stage, fraction) {
      latest = [stage, fraction];
      if (timer) return;
      const wait = storedAt + reportIntervalMs - Date.now();
      if (wait <= 0) flush();
      else timer = setTimeout(flush, wait);
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}
