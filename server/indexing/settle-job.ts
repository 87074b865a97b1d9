import { setTimeout as delay } from 'node:timers/promises';
import { type AssetStore, original } from '../assets/asset-store.ts';
import { type ClaimedJob, failJob, quotaExceededError, releaseJob } from '../catalog/jobs.ts';
import type { ReleaseReason } from '../catalog/leases.ts';
import type { QuotaViolation } from '../catalog/quota.ts';
import { abandonReembedJob, type ReembedJob, releaseReembedJob } from '../catalog/reembed-jobs.ts';
import type { Catalog } from '../catalog/schema.ts';
import { isMachineFailure, isFileReadable } from '../storage/machine-failure.ts';
import { UnreadableMediaError } from './indexed-media.ts';

/** The service stops, and with it the attempt. */
export class StoppedError extends Error {
  override name = 'StoppedError';

  constructor() {
    super('The service is stopping.');
  }
}

/** The item was deleted, or another worker took its job. Nothing of the attempt counts any more. */
export class LeaseLostError extends Error {
  override name = 'LeaseLostError';

  constructor() {
    super('The item was deleted, or another worker took its job.');
  }
}

/** The plan has no room for this video. */
export class OverQuotaError extends Error {
  override name = 'OverQuotaError';
  readonly excess: QuotaViolation;

  constructor(excess: QuotaViolation) {
    super('The plan has no room for this.');
    this.excess = excess;
  }
}

/** What a worker settles its jobs with. */
export type SettleContext = {
  db: Catalog;
  assets: AssetStore;
  log: Record<'info' | 'warn' | 'error', (details: object, message: string) => void>;
  /** Aborted when the worker is asked to stop. */
  stopping: AbortSignal;
  /** Called when the catalog could not be written, before another try. */
  onRetry: () => void;
};

/** The catalog is tried again after this when it could not be written. */
const retryDelayMs = 2000;

/** Stores what becomes of a job that did not complete, and says so in the log. Stores nothing when the lease is lost. */
export async function settleJob(settling: SettleContext, job: ClaimedJob, error: unknown): Promise<void> {
  const { db, assets, log } = settling;
  const release = async (reason: ReleaseReason, level: 'info' | 'warn' | 'error', message: string) => {
    const held = await retryUntilStored(settling, () => releaseJob(db, job, reason));
    if (held) log[level]({ media: job.id, attempt: job.attempts, err: error }, message);
    return held;
  };
  const fail = async (reason: { code: string; message: string }) => {
    const held = await retryUntilStored(settling, () => failJob(db, job, reason));
    if (held) log.info({ media: job.id, code: reason.code }, reason.message);
    return held;
  };

  if (error instanceof LeaseLostError) {
    log.info({ media: job.id }, error.message);
  } else if (error instanceof StoppedError) {
    await releaseJob(db, job, 'stopped');
  } else {
    const held = await (async () => {
      if (error instanceof OverQuotaError) return fail(quotaExceededError(error.excess));
      if (isMachineFailure(error) || !(await assets.withLocalCopy(original(job), isFileReadable))) {
        return release('machine failed', 'error', 'the machine failed; indexing is tried again');
      }
      if (error instanceof UnreadableMediaError) return fail(error);
      return release('broke off', 'error', 'indexing broke off');
    })();
    // No other attempt uses this folder, so removing it is safe also if another worker has the job by now.
    if (held) await assets.removeRenditions(job, job.token);
    else log.info({ media: job.id }, new LeaseLostError().message);
  }
}

/** The same for an item that was to be embedded again. Nobody waits for it, so what went wrong is only logged. */
export async function settleReembedding(settling: SettleContext, job: ReembedJob, error: unknown): Promise<void> {
  const { db, assets, log } = settling;
  if (error instanceof LeaseLostError) return;
  if (error instanceof StoppedError) {
    await releaseReembedJob(db, job, 'stopped');
    return;
  }
  log.warn({ media: job.id, err: error }, 'not embedded again');
  const machineFailed = isMachineFailure(error) || !(await assets.withLocalCopy(original(job), isFileReadable));
  await retryUntilStored(settling, async () => {
    if (machineFailed) return releaseReembedJob(db, job, 'machine failed');
    if (error instanceof UnreadableMediaError) return abandonReembedJob(db, job);
    return releaseReembedJob(db, job, 'broke off');
  });
}

/** Writes to the catalog, again and again while the machine fails (a full disk): else the attempt would count. */
async function retryUntilStored(
  { log, stopping, onRetry }: SettleContext,
  write: () => Promise<boolean>,
): Promise<boolean> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!isMachineFailure(error) || stopping.aborted) throw error;
      log.error({ err: error }, 'the catalog cannot be written');
      onRetry();
      await delay(retryDelayMs, undefined, { signal: stopping }).catch(() => undefined);
    }
  }
}
