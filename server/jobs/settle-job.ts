import { setTimeout as delay } from 'node:timers/promises';
import { UnreadableMediaError } from '@media-search/media/unreadable-media-error';
import { original } from '../assets/asset-store.ts';
import type { ItemError } from '../catalog/media/item-status.ts';
import { quotaExceededError } from '../catalog/queue/indexing-jobs.ts';
import { type Job, releaseJob, type ReleaseReason } from '../catalog/queue/job-queue.ts';
import { isFileKnown } from '../catalog/sources/source-files.ts';
import type { ItemJobKind } from '../catalog/tables/jobs.ts';
import { ApiError } from '../errors/api-error.ts';
import { isFileReadable, isMachineFailure } from '../errors/machine-failure.ts';
import type { EndedJob } from '../platform/metrics/metrics.ts';
import { isForbidden } from '../sources/source-error.ts';
import type { JobContext } from './job-attempt.ts';
import { LeaseLostError, OverQuotaError, StoppedError } from './job-errors.ts';
import { handlerOf } from './job-handlers.ts';

/** What a worker settles its jobs with. */
export type SettleContext = Pick<JobContext, 'db' | 'assets' | 'log'> & {
  /** Aborted when the worker is asked to stop. */
  stopping: AbortSignal;
  /** Called when the catalog could not be written, before another try. */
  onRetry: () => void;
};

/** The catalog is tried again after this when it could not be written. */
const retryDelayMs = 2000;

/** Stores what becomes of a job that did not complete, and logs it. Stores nothing when the lease is lost. @returns what became of it */
export async function settleJob<Kind extends ItemJobKind>(
  context: SettleContext,
  job: Job<Kind>,
  error: unknown,
): Promise<Exclude<EndedJob['outcome'], 'done'>> {
  const { db, assets, log } = context;
  const handler = handlerOf(job);
  const release = async (reason: ReleaseReason, message: string) => {
    const held = await retryUntilStored(context, () => releaseJob(db, job, reason));
    if (held) log.error({ media: job.id, attempt: job.attempts, err: error }, message);
    return held && 'requeued';
  };
  const fail = async (reason: ItemError) => {
    const held = await retryUntilStored(context, () => handler.fail(db, job, reason));
    if (held) log.info({ media: job.id, code: reason.code }, reason.message);
    return held && 'failed';
  };
  /** The original could not be read; null: that is not the matter. */
  const settleUnread = async (reason: unknown): Promise<'requeued' | 'failed' | false | null> => {
    if (!(reason instanceof ApiError)) return null;
    if (reason.code === 'source_offline') return release('machine failed', 'the source of the item is away');
    if (reason.code !== 'original_missing') return null;
    // It may have been renamed. Of an item that fails by it the scan that finds it begins again; other work would be lost.
    const isAwaited = job.kind !== 'index' && !isForbidden(reason) && (await isFileKnown(db, job));
    return isAwaited ? release('machine failed', 'the file of the item is not at its place') : fail(reason);
  };
  const settle = async (): Promise<'requeued' | 'failed' | false> => {
    const unread = await settleUnread(error);
    if (unread !== null) return unread;
    if (error instanceof OverQuotaError) return fail(quotaExceededError(error.violation));
    // What is in a source is not read whole for it: it may have a terabyte.
    const read = () => (job.source_id !== null ? true : assets.withLocalCopy(original(job), isFileReadable));
    const readable = isMachineFailure(error) ? false : await Promise.resolve().then(read).catch(toApiError);
    if (readable instanceof ApiError) return (await settleUnread(readable)) ?? release('broke off', readable.message);
    if (!readable) {
      return release('machine failed', `the machine failed; ${handler.label} is tried again`);
    }
    if (error instanceof UnreadableMediaError) return fail(error);
    return release('broke off', `${handler.label} broke off`);
  };

  if (error instanceof StoppedError) {
    await releaseJob(db, job, 'stopped');
    return 'stopped';
  }
  const settled = !(error instanceof LeaseLostError) && (await settle());
  if (settled) await handler.cleanUp({ assets }, job);
  else log.info({ media: job.id }, new LeaseLostError().message);
  return settled || 'lost';
}

/** What a store says of a file in place of the file. Throws other errors. */
function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  throw error;
}

/** Writes to the catalog until it succeeds while the machine fails (a full disk): else the attempt would count. */
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
