import type { HeldJob } from '../catalog/queue/job-queue.ts';
import type { JobKind } from '../catalog/tables/jobs.ts';
import { type PeriodicWorker, runEvery } from '../platform/periodic.ts';
import type { WorkerProcess } from './worker-process.ts';

/**
 * Relief: one worker more, while all others are at jobs that end when they end. Such a job stores nothing before, and decoders cannot be
 * interrupted everywhere, so a file that takes minutes would hold up all other workspaces. The worker ends as soon as no job waits behind that one.
 */

/** Jobs of one pass, without checkpoints at which they could make way. */
const wholePasses: ReadonlySet<JobKind> = new Set<JobKind>(['index', 'reembed']);

/** After how long a job counts as one of those, milliseconds: usual ones have ended by then. */
const patienceMs = 15_000;
/** How often it is looked, milliseconds. */
const lookIntervalMs = 1000;

/** The jobs of workers that have all been at theirs for long; none where one of them will be free soon. */
function findLongJobs(workers: Pick<WorkerProcess, 'underWay'>[]): HeldJob[] {
  const jobs = workers.flatMap((worker) => {
    const now = worker.underWay();
    const isLong = now && wholePasses.has(now.job.kind) && performance.now() - now.since >= patienceMs;
    return isLong ? [now.job] : [];
  });
  return jobs.length === workers.length ? jobs : [];
}

/**
 * Watches whether others wait behind long jobs, and asks for relief then.
 * @param findWorkers those that should not be relieved any further: none while there is relief already
 * @param holdsUpOthers whether a job of another workspace, or a more urgent one, waits behind a job
 */
export function watchForRelief(
  findWorkers: () => Pick<WorkerProcess, 'underWay'>[],
  holdsUpOthers: (job: HeldJob) => Promise<boolean>,
  startRelief: (job: HeldJob) => void,
): PeriodicWorker {
  async function look(): Promise<void> {
    for (const job of findLongJobs(findWorkers())) {
      if (!(await holdsUpOthers(job))) continue;
      // One may have ended meanwhile.
      if (findLongJobs(findWorkers()).includes(job)) startRelief(job);
      return;
    }
  }
  // Where the catalog cannot be read at the moment, the next look is a second later.
  return runEvery(lookIntervalMs, look, 'looking for jobs that wait', null, { atOnce: false });
}
