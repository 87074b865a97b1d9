import { setTimeout as delay } from 'node:timers/promises';
import { limitFfmpegLog } from '@media-search/media/ffmpeg-log';
import { processorSecondsFor } from '@media-search/media/media-limits';
import { ProcessorTimeExceededError } from '@media-search/media/processor-time-limit';
import type { EmbedderReference } from '@media-search/models/embedder';
import { createEmbedderLoader, locateModel } from '@media-search/models/load-embedder';
import { type AssetAnswer, borrowAssets } from '../assets/asset-rpc.ts';
import { createFileAssetStore } from '../assets/file-asset-store.ts';
import { childOptions, openCatalogAt } from '../catalog/catalog-location.ts';
import { takeCatalogLocation } from '../catalog/child-catalog.ts';
import {
  claimJob,
  hasLessServedJob,
  hasMoreUrgentJob,
  holdsUpOthers,
  type Job,
  releaseJobsOf,
  renewLease,
} from '../catalog/queue/job-queue.ts';
import { findSource } from '../catalog/sources/sources.ts';
import type { ItemJobKind } from '../catalog/tables/jobs.ts';
import { StartupError } from '../errors/startup-error.ts';
import { createLog } from '../platform/log.ts';
import type { EndedJob } from '../platform/metrics/metrics.ts';
import { runEvery } from '../platform/periodic.ts';
import { initializeChildProcess } from '../platform/processes/child-process.ts';
import { dropPrivileges } from '../platform/processes/drop-privileges.ts';
import { createAdvanceReport } from '../platform/processes/hang-watch.ts';
import { modelDirectory } from '../platform/storage/data-directory.ts';
import { createScratch, workerPrefix } from '../platform/storage/scratch.ts';
import { withSources } from '../sources/source-assets.ts';
import type { JobContext } from './job-attempt.ts';
import { LeaseLostError, StoppedError } from './job-errors.ts';
import { handlerOf } from './job-handlers.ts';
import { settleJob, type SettleContext } from './settle-job.ts';
import { createTextReaders } from './text-readers.ts';
import type { FromWorker, ToWorker, WorkerOptions } from './worker-messages.ts';

/**
 * The indexing process: takes one job after the other. It is a process of its own because the decoders are native code that
 * a hostile file can crash; the service then starts another.
 */

/** A lease is renewed this often. */
const heartbeatIntervalMs = 10_000;
/** A sleeping worker looks by itself now and then, in case a wake-up was lost or a lease ran out. */
const idleIntervalMs = 5_000;

/** How long a job with checkpoints runs before it makes way for one of the same priority of another workspace. Taking it up again costs some seconds. */
const turnMs = 5 * 60_000;

/** A worker that has grown beyond this (models, decoders that leak) ends between two jobs and is replaced, bytes. */
const maxRssBytes = 2 * 2 ** 30;

/** After the catalog could not be read or written, it is tried again after this. */
const retryDelayMs = 5_000;

// When the service is gone (kill -9) its next start takes the job back.
initializeChildProcess();
const options = JSON.parse(process.argv[2] ?? '') as WorkerOptions;
dropPrivileges(options.dataDirectory);
const log = createLog(options.logLevel, { worker: options.id });
const loadModel = createEmbedderLoader(options.threads);
const loadEmbedder = (reference: EmbedderReference) =>
  loadModel(locateModel(reference, modelDirectory(options.dataDirectory)));
const db = await openCatalogAt(takeCatalogLocation(options.dataDirectory), childOptions).catch((error: unknown) => {
  // The database is away: its service starts another worker.
  if (!(error instanceof StartupError)) throw error;
  log.error(error.message);
  process.exit(1);
});
const lent = borrowAssets();
const assets = withSources(options.borrowsAssets ? lent : createFileAssetStore(options.dataDirectory), {
  dataDirectory: options.dataDirectory,
  findSource: (workspaceId, id) => findSource(db, workspaceId, id),
  buckets: { withLocalCopy: (_place, asset, work, transfer) => lent.withLocalCopy(asset, work, transfer) },
});
const scratch = createScratch(options.scratchDirectory, workerPrefix(options.id));

limitFfmpegLog((line) => log.warn(line));

const stopping = new AbortController();
let sleeping = new AbortController();
/** Whether a claim failed that the catalog may have stored: its answer was lost with the connection. */
let mayHoldJob = false;
/** Aborted when a library keeps working on a file after its time limit. */
const timeExceeded = new AbortController();

// What cannot be sent has no receiver: the service is gone, and `disconnect` follows.
const emit = (message: FromWorker) => process.send?.(message, undefined, undefined, () => undefined);
const context: JobContext & SettleContext = {
  db,
  assets,
  scratch,
  log,
  loadEmbedder,
  target: options.target,
  limits: options.limits,
  processorSecondsFor,
  readers: createTextReaders(options, log),
  stopping: stopping.signal,
  onRetry: () => emit({ kind: 'advanced' }),
};

process.on('message', (message: ToWorker | AssetAnswer) => {
  if (typeof message !== 'string') return;
  if (message === 'stop') stopping.abort(new StoppedError());
  sleeping.abort();
});

while (
  !timeExceeded.signal.aborted &&
  !stopping.signal.aborted &&
  process.connected &&
  process.memoryUsage.rss() < maxRssBytes
) {
  try {
    if (options.relieves && !(await holdsUpOthers(db, options.relieves))) break;
    await workOnce();
  } catch (error) {
    log.error({ err: error }, 'no job could be taken or settled');
    await delay(retryDelayMs, undefined, { signal: stopping.signal }).catch(() => undefined);
  }
}
await db.destroy();
// A normal exit would wait for the thread that never ends.
if (timeExceeded.signal.aborted) process.kill(process.pid, 'SIGKILL');
process.exit(0);

/** Claims the next job. One of a claim whose answer was lost is put back first; nothing was done with it, so the attempt does not count. */
async function claimNextJob(): Promise<Job | undefined> {
  if (mayHoldJob) await releaseJobsOf(db, options.id, 'stopped');
  mayHoldJob = true;
  const job = await claimJob(db, options.id);
  mayHoldJob = false;
  return job;
}

/** Claims a job and runs it; sleeps when there is none. */
async function workOnce(): Promise<void> {
  const job = await claimNextJob();
  if (job) {
    const { workspace_id, id, kind, token, priority } = job;
    emit({ kind: 'begun', job: { workspace_id, id, kind, token, priority } });
    emit({ kind: 'ended', workspaceId: job.workspace_id, attempt: await runJob(job) });
  } else {
    sleeping = new AbortController();
    await delay(idleIntervalMs, undefined, { signal: sleeping.signal }).catch(() => undefined);
  }
}

/** One attempt at a job: renews its lease meanwhile, and settles it when it fails. */
async function runJob<Kind extends ItemJobKind>(job: Job<Kind>): Promise<EndedJob> {
  const begun = performance.now();
  let outcome: EndedJob['outcome'] = 'done';
  let mediaSeconds = 0;
  const aborting = new AbortController();
  const signal = AbortSignal.any([aborting.signal, stopping.signal]);
  const onLeaseLost = () => aborting.abort(new LeaseLostError());
  const renew = async () => {
    if (!(await renewLease(db, job))) onLeaseLost();
  };
  const heartbeat = runEvery(heartbeatIntervalMs, renew, 'the renewal of a lease', log, { atOnce: false });
  try {
    await handlerOf(job).run(context, job, {
      signal,
      onLeaseLost,
      onAdvance: createAdvanceReport(() => emit({ kind: 'advanced' })),
      onIndexed: (seconds) => (mediaSeconds = seconds),
      shouldYield: () => hasMoreUrgentJob(db, job),
      isRelief: options.relieves !== null,
      hasHadTurn: () => performance.now() - begun > turnMs,
      isTurnOver: () => hasLessServedJob(db, job),
    });
  } catch (error) {
    if (error instanceof ProcessorTimeExceededError) timeExceeded.abort();
    outcome = await settleJob(context, job, signal.aborted ? signal.reason : error);
  } finally {
    void heartbeat.stop();
  }
  return { job: job.kind, type: job.type, outcome, seconds: (performance.now() - begun) / 1000, mediaSeconds };
}
