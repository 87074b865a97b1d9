import { LRUCache } from 'lru-cache';
import type { Job } from '../catalog/queue/job-queue.ts';
import type { ItemJobKind } from '../catalog/tables/jobs.ts';
import { runEvery } from '../platform/periodic.ts';
import type { Attempt } from './job-attempt.ts';
import { StoppedError } from './job-errors.ts';

/** How often a reading looks whether a more urgent job waits, milliseconds. */
const lookIntervalMs = 1000;
/** How often the steps, from one checkpoint to the next, made way. What was done of them is lost. */
const lostSteps = new LRUCache<string, number>({ max: 1000 });

/** At which look a step makes way, counted from its beginning, by how often it did before. */
type Patience = (lost: number) => number;

/**
 * Once a step was lost it goes on to its checkpoint, a few seconds of work: else uploads that follow each other closely would keep videos from
 * ever being read. Those of several workspaces take turns.
 */
const untilCheckpoint: Patience = (lost) => (lost === 0 ? 1 : Infinity);

/** A whole pass in a worker that is there for those that wait (`relief.ts`). The others end what they have begun. */
const wholePass: Patience = () => 20;

const patiences: Record<ItemJobKind, Patience> = {
  index: wholePass,
  reembed: wholePass,
  passages: wholePass,
  fingerprint: wholePass,
  ocr: untilCheckpoint,
  speech: untilCheckpoint,
};

/** Looks meanwhile whether a job waits that comes before. */
export type UrgentJobWatch = Disposable & {
  /** Aborted by a `StoppedError` once one does, and the step has gone on for long enough. */
  signal: AbortSignal;
  /** A step begins. @param position seconds */
  enter: (position: number) => void;
  /** Throws the error of an attempt, or, where it made way, why. */
  rethrow: (error: unknown) => never;
};

/** Watches during an attempt. @param position where it begins, seconds */
export function watchForUrgentJobs(
  job: Pick<Job, 'kind' | 'id'>,
  attempt: Pick<Attempt, 'shouldYield' | 'isTurnOver'>,
  position: number,
): UrgentJobWatch {
  const controller = new AbortController();
  let step = '';
  let looks = 0;
  function enter(next: number): void {
    step = `${job.kind} ${job.id} ${next}`;
    looks = 0;
  }
  async function look() {
    looks += 1;
    const lost = lostSteps.get(step) ?? 0;
    if (looks < patiences[job.kind](lost)) return;
    // Between two checkpoints only a more urgent job counts: those of other workspaces have their turn after the next.
    const isUrgent = await attempt.shouldYield();
    if (!isUrgent && !(patiences[job.kind] === wholePass && (await attempt.isTurnOver()))) return;
    lostSteps.set(step, lost + 1);
    controller.abort(new StoppedError(isUrgent ? 'A more urgent job waits.' : 'Another workspace has its turn.'));
  }
  enter(position);
  // Where the catalog cannot be read at the moment, the next look is a second later.
  const watching = runEvery(lookIntervalMs, look, 'looking for urgent jobs', null, { atOnce: false });
  return {
    signal: controller.signal,
    enter,
    rethrow(error) {
      throw controller.signal.aborted ? controller.signal.reason : error;
    },
    [Symbol.dispose]: () => void watching.stop(),
  };
}

/**
 * Runs a job in one pass, which nothing of is stored before its end. Where it has to make way for more urgent jobs, and for those of workspaces that
 * are served less, it starts again after them.
 */
export async function makingWay<Result>(
  job: Pick<Job, 'kind' | 'id'>,
  attempt: Attempt,
  work: (attempt: Attempt) => Promise<Result>,
): Promise<Result> {
  if (patiences[job.kind] === wholePass && !attempt.isRelief) return await work(attempt);
  using watch = watchForUrgentJobs(job, attempt, 0);
  return await work({ ...attempt, signal: AbortSignal.any([attempt.signal, watch.signal]) }).catch(watch.rethrow);
}
