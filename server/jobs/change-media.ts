import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { changeBatch } from '../catalog/changes/change-jobs.ts';
import type { ClaimedJob } from '../catalog/queue/job-queue.ts';
import type { Catalog } from '../catalog/schema.ts';
import type { ExtractionSource } from '../catalog/tables/texts.ts';
import { LeaseLostError, StoppedError } from './job-errors.ts';
import { startJobRunner } from './job-runner.ts';

/** How long a change that another process has begun waits at most, milliseconds. */
const lookMs = 1000;
const renewMs = 10_000;
/** How long a change goes on before others have their turn, milliseconds. */
const turnMs = 2000;
/** The share of the time that other writers have between two batches. */
const pauseShare = 0.25;
/** How long the answer to a request waits for a change of few items, milliseconds. */
const waitMs = 400;

type ChangeParts = {
  db: Catalog;
  /** What this service recognises, for items that are tried again. */
  recognised: readonly ExtractionSource[];
  /** Called after items went back to `pending`. */
  onStored: () => void;
  /** Notes how far the catalog has come: an older copy has the items in the trash still. */
  noteHistory: () => Promise<void>;
  log: Pick<FastifyBaseLogger, 'error'>;
};

export type MediaChanges = ReturnType<typeof startChanges>;

/** Does changes of many items in this process, one at a time and workspaces in turn. */
export function startChanges({ db, recognised, onStored, noteHistory, log }: ChangeParts) {
  const ended = new EventEmitter().setMaxListeners(0);

  async function run(job: ClaimedJob<'change'>, signal: AbortSignal): Promise<void> {
    const began = performance.now();
    for (;;) {
      const start = performance.now();
      const batch = await changeBatch(db, job, recognised);
      if (!batch) throw new LeaseLostError();
      const { left, change } = batch;
      if (change.retry) onStored();
      if (change.restore ?? change.delete) await noteHistory();
      if (!left) return;
      await delay((performance.now() - start) * pauseShare);
      signal.throwIfAborted();
      if (performance.now() - began > turnMs) throw new StoppedError('Other changes have their turn.');
    }
  }

  const runner = startJobRunner(
    db,
    {
      kind: 'change',
      slots: 1,
      lookMs,
      renewMs,
      run: (job, signal) => run(job, signal).finally(() => ended.emit(job.id)),
    },
    log,
  );
  return {
    /** Has a change that was just stored begin now. Resolves when it ended, or after a moment where it goes on. */
    async begin(id: string): Promise<void> {
      const end = once(ended, id, { signal: AbortSignal.timeout(waitMs) }).catch(() => undefined);
      runner.look();
      await end;
    },
    /** Ends the attempt at a change that was cancelled, where this process makes it. */
    check: (id: string): void => runner.check(id),
    stop: (): Promise<void> => runner.stop(),
  };
}
