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
  const began = process.cpuUsage();
  const { promise: endless, reject } = Promise.withResolvers<never>();
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(began);
    if ((user + system) / 1e6 > seconds) reject(new ProcessorTimeExceededError());
  }, checkIntervalMs);
  try {
    return await Promise.race([work, endless]);
  } finally {
    clearInterval(timer);
  }
}
