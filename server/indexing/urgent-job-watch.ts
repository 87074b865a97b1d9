import { LRUCache } from 'lru-cache';
import type { Job } from '../catalog/job-queue.ts';
import { StoppedError } from './job-errors.ts';
import type { Attempt } from './job-handlers.ts';

/** How often a reading looks whether a more urgent job waits, milliseconds. */
const lookIntervalMs = 1000;
/**
 * The steps, from one checkpoint to the next, that made way. What was done of them is lost, so their next attempts go on to the checkpoint:
 * else uploads that follow each other closely would keep videos from ever being read. Those of several workspaces take turns.
 */
const lostSteps = new LRUCache<string, true>({ max: 1000 });

/** Looks meanwhile whether a more urgent job waits. */
export type UrgentJobWatch = Disposable & {
  /** Aborted by a `StoppedError` once one does, and the step has not made way before. */
  signal: AbortSignal;
  /** A step begins. @param position seconds */
  enter: (position: number) => void;
  /** Throws the error of an attempt, or, where it made way, why. */
  rethrow: (error: unknown) => never;
};

/** Watches during an attempt. @param position where it begins, seconds */
export function watchForUrgentJobs(
  job: Pick<Job, 'kind' | 'id'>,
  attempt: Pick<Attempt, 'shouldYield'>,
  position: number,
): UrgentJobWatch {
  const controller = new AbortController();
  let step = '';
  const enter = (next: number) => void (step = `${job.kind} ${job.id} ${next}`);
  async function look() {
    if (lostSteps.has(step) || !(await attempt.shouldYield())) return;
    lostSteps.set(step, true);
    controller.abort(new StoppedError('A more urgent job waits.'));
  }
  enter(position);
  // Where the catalog cannot be read at the moment, the next look is a second later.
  const timer = setInterval(() => void look().catch(() => undefined), lookIntervalMs);
  return {
    signal: controller.signal,
    enter,
    rethrow(error) {
      throw controller.signal.aborted ? controller.signal.reason : error;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
