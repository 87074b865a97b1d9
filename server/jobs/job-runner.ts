import { randomUUID } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import { claimJobOf, type ClaimedJob, releaseJob, renewLease } from '../catalog/queue/job-queue.ts';
import type { Catalog } from '../catalog/schema.ts';
import type { RequestJobKind } from '../catalog/tables/jobs.ts';
import { runEvery } from '../platform/periodic.ts';
import { LeaseLostError, StoppedError } from './job-errors.ts';

/** How the jobs of a kind are done that the processes do which answer requests. */
export type LaneWork<Each extends RequestJobKind> = {
  kind: Each;
  /** Jobs that this process does at a time. */
  slots: number;
  /** How often it looks for a job by itself, milliseconds. */
  lookMs: number;
  /** How often it renews its leases, milliseconds. */
  renewMs: number;
  /** Does the work and ends the job. What it throws puts the job back for a while. */
  run: (job: ClaimedJob<Each>, signal: AbortSignal) => Promise<void>;
  /** Renews a lease, and stores how far the work is. False ends the attempt. */
  renew?: (job: ClaimedJob<Each>) => Promise<boolean>;
};

export type JobRunner = {
  /** Looks for a job now. */
  look(): void;
  /** Renews the lease of a job now, where this process does it: it may be lost. */
  check(id: string): void;
  /** Ends the attempts and gives their jobs back. */
  stop(): Promise<void>;
};

/**
 * Does jobs of one kind in this process, those first that come first in the queue. The other kinds are done by the worker processes
 * (`worker.ts`), because decoders run there.
 */
export function startJobRunner<Each extends RequestJobKind>(
  db: Catalog,
  { kind, slots, lookMs, renewMs, ...work }: LaneWork<Each>,
  log: Pick<FastifyBaseLogger, 'error'>,
): JobRunner {
  const owner = randomUUID();
  const attempts = new Map<ClaimedJob<Each>, { aborting: AbortController; ended: Promise<void> }>();
  const stopping = new AbortController();
  const renew = (job: ClaimedJob<Each>) => (work.renew ? work.renew(job) : renewLease(db, job));

  async function settle(job: ClaimedJob<Each>, error: unknown): Promise<void> {
    if (error instanceof LeaseLostError) return;
    const isStopped = error instanceof StoppedError;
    if (!isStopped) log.error({ err: error, id: job.id }, `a job of the kind ${kind} failed and is tried again`);
    await releaseJob(db, job, isStopped ? 'stopped' : 'machine failed');
  }

  function begin(job: ClaimedJob<Each>): void {
    const aborting = new AbortController();
    const { signal } = aborting;
    const ended = work
      .run(job, signal)
      .catch((error: unknown) => settle(job, signal.aborted ? signal.reason : error))
      // Its lease ends by itself.
      .catch((error: unknown) => log.error({ err: error }, 'the end of a job could not be stored'))
      .finally(() => {
        attempts.delete(job);
        looking.now();
      });
    attempts.set(job, { aborting, ended });
  }

  async function look(): Promise<void> {
    while (!stopping.signal.aborted && attempts.size < slots) {
      const job = await claimJobOf(db, owner, kind);
      if (!job) return;
      begin(job);
    }
  }

  async function renewAll(): Promise<void> {
    for (const [job, { aborting }] of attempts) if (!(await renew(job))) aborting.abort(new LeaseLostError());
  }

  const looking = runEvery(lookMs, look, `looking for jobs of the kind ${kind}`, log);
  const renewing = runEvery(renewMs, renewAll, `renewing leases of the kind ${kind}`, log, { atOnce: false });
  return {
    look: () => looking.now(),
    check(id) {
      if ([...attempts.keys()].some((job) => job.id === id)) renewing.now();
    },
    async stop() {
      stopping.abort();
      await Promise.all([looking.stop(), renewing.stop()]);
      const all = [...attempts.values()];
      for (const { aborting } of all) aborting.abort(new StoppedError());
      await Promise.all(all.map(({ ended }) => ended));
    },
  };
}
