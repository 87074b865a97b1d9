import { UnreadableMediaError } from './unreadable-media-error.ts';

/** A native library keeps working on a file and cannot be stopped: the process has to exit once the item is settled. */
export class ProcessorTimeExceededError extends UnreadableMediaError {
  override name = 'ProcessorTimeExceededError';

  constructor() {
    super(
      'unreadable_media',
      'This file cannot be read: its headers hold so many entries that reading them never ends. Export it again without tags.',
    );
  }
}

const checkIntervalMs = 250;

/**
 * Waits for work on other threads, until the process has used that much processor time. Time on the clock does not count: a slow
 * disk, a busy machine or one that was suspended is no fault of the file. Throws `ProcessorTimeExceededError`.
 * @param seconds processor time of all threads
 */
export async function withProcessorTimeLimit<Result>(work: Promise<Result>, seconds: number): Promise<Result> {
  using watch = watchProcessorTime(seconds, () => new ProcessorTimeExceededError());
  const endless = new Promise<never>((_, reject) => {
    watch.signal.addEventListener('abort', () => reject(watch.signal.reason as Error));
  });
  return await Promise.race([work, endless]);
}

/**
 * A signal that aborts once the process has used that much processor time from now on. What works meanwhile has to look at it.
 * @param seconds processor time of all threads
 * @param describe what it aborts with
 */
export function watchProcessorTime(seconds: number, describe: () => Error): Disposable & { signal: AbortSignal } {
  const began = process.cpuUsage();
  const controller = new AbortController();
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(began);
    if ((user + system) / 1e6 > seconds) controller.abort(describe());
  }, checkIntervalMs);
  return { signal: controller.signal, [Symbol.dispose]: () => clearInterval(timer) };
}
