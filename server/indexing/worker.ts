import { setTimeout as delay } from 'node:timers/promises';
import { AV_LOG_FATAL } from 'node-av/constants';
import { Log } from 'node-av/lib';
import type { IndexingStage } from '../../contract/media.ts';
import { original } from '../assets/asset-store.ts';
import { createFileAssetStore } from '../assets/file-asset-store.ts';
import { mergeTextIndex } from '../catalog/chunk-texts.ts';
import { findEmbedder, readActiveEmbedder } from '../catalog/embedders.ts';
import { type ClaimedJob, claimJob, completeJob, reportProgress } from '../catalog/jobs.ts';
import { openCatalog } from '../catalog/open-catalog.ts';
import { findDurationQuotaViolation } from '../catalog/quota.ts';
import { claimReembedJob, completeReembedJob, type ReembedJob, renewReembedLease } from '../catalog/reembed-jobs.ts';
import { createLog } from '../log.ts';
import { ProcessorTimeExceededError } from '../media/processor-time-limit.ts';
import type { Embedder } from '../models/embedder.ts';
import { createEmbedderLoader, hasModelFiles } from '../models/load-embedder.ts';
import { initializeChildProcess } from '../processes/child-process.ts';
import { dropPrivileges } from '../processes/drop-privileges.ts';
import { catalogFile } from '../storage/data-directory.ts';
import { indexMedia } from './index-media.ts';
import { reembedItem } from './reembed-item.ts';
import {
  LeaseLostError,
  OverQuotaError,
  settleReembedding,
  settleJob,
  type SettleContext,
  StoppedError,
} from './settle-job.ts';
import type { FromWorker, ToWorker, WorkerOptions } from './worker-messages.ts';

/**
 * The indexing process: takes one job after the other. It is a process of its own because the decoders are native code that
 * a hostile file can crash; the service then starts another.
 */

/** Progress is stored at most this often, and the lease renewed at least this often. */
const reportIntervalMs = 700;
const heartbeatIntervalMs = 10_000;
/** A sleeping worker looks by itself now and then, in case a wake-up was lost or a lease ran out. */
const idleIntervalMs = 5_000;

/** A worker that has grown beyond this (models, decoders that leak) ends between two jobs and is replaced, bytes. */
const maxRssBytes = 2 * 2 ** 30;

/** After the catalog could not be read or written, it is tried again after this. */
const retryDelayMs = 5_000;

// When the service is gone (kill -9) its next start takes the job back.
initializeChildProcess();
const options = JSON.parse(process.argv[2] ?? '') as WorkerOptions;
dropPrivileges(options.dataDirectory);
const log = createLog(options.logLevel, { worker: options.id });
const loadEmbedder = createEmbedderLoader(options.threads);
const db = await openCatalog(catalogFile(options.dataDirectory));
const assets = createFileAssetStore(options.dataDirectory);

// FFmpeg remarks on every oddity of a file; what matters comes back as an error.
Log.setLevel(AV_LOG_FATAL);

const stopping = new AbortController();
let sleeping = new AbortController();
/** Aborted when a library goes on with a file that was given up. */
const timeExceeded = new AbortController();

// What cannot be sent has nobody to hear it: the service is gone, and `disconnect` follows.
const emit = (message: FromWorker) => process.send?.(message, undefined, undefined, () => undefined);
const settling: SettleContext = {
  db,
  assets,
  log,
  stopping: stopping.signal,
  onRetry: () => emit({ kind: 'advanced' }),
};

process.on('message', (message: ToWorker) => {
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
    await workOnce();
  } catch (error) {
    log.error({ err: error }, 'no job could be taken or settled');
    await delay(retryDelayMs, undefined, { signal: stopping.signal }).catch(() => undefined);
  }
}
await db.destroy();
// Leaving in peace would wait for the thread that never ends.
if (timeExceeded.signal.aborted) process.kill(process.pid, 'SIGKILL');
if (process.connected) process.disconnect?.();

/** Takes a job and sees it through; sleeps when there is none. */
async function workOnce(): Promise<void> {
  const job = await claimJob(db, options.id);
  // What is new comes first; what is found already can wait for better vectors.
  const embeddingJob = job ? undefined : await claimReembedJob(db, options.id);
  if (job) {
    emit({ kind: 'begun' });
    await runIndexing(job);
    emit({ kind: 'ended', workspaceId: job.workspace_id });
  } else if (embeddingJob) {
    emit({ kind: 'begun' });
    await runReembedding(embeddingJob);
    emit({ kind: 'ended', workspaceId: embeddingJob.workspace_id });
  } else {
    await mergeTextIndex(db);
    sleeping = new AbortController();
    await delay(idleIntervalMs, undefined, { signal: sleeping.signal }).catch(() => undefined);
  }
}

async function runIndexing(job: ClaimedJob): Promise<void> {
  const aborting = new AbortController();
  const signal = AbortSignal.any([aborting.signal, stopping.signal]);
  let stage: IndexingStage = 'reading';
  let fraction = 0;
  let reportedAt = 0;
  const report = async () => {
    reportedAt = Date.now();
    if (!(await reportProgress(db, job, stage, fraction))) aborting.abort(new LeaseLostError());
  };
  const heartbeat = setInterval(
    () => void report().catch((error: unknown) => log.warn({ err: error })),
    heartbeatIntervalMs,
  );
  try {
    const outputDirectory = await assets.createRenditionFolder(job, job.token);
    const embedders = await embeddersFor(job.workspace_id);
    const indexed = await assets.withLocalCopy(original(job), (path) =>
      indexMedia({
        path,
        filename: job.filename,
        outputDirectory,
        embedders,
        limits: options.limits,
        signal,
        async checkDuration(seconds) {
          const excess = await findDurationQuotaViolation(db, job.workspace_id, seconds);
          if (excess) throw new OverQuotaError(excess);
        },
        onProgress(newStage, newFraction) {
          stage = newStage;
          fraction = newFraction;
          emit({ kind: 'advanced' });
          if (Date.now() - reportedAt > reportIntervalMs)
            void report().catch((error: unknown) => log.warn({ err: error }));
        },
      }),
    );
    signal.throwIfAborted();
    await assets.putRenditions(job, job.token);
    const outcome = await completeJob(db, job, indexed);
    if (outcome === 'lost') throw new LeaseLostError();
    if (outcome === 'complete') log.info({ media: job.id, chunks: indexed.chunks.length }, 'indexed');
    else await assets.removeRenditions(job, job.token);
  } catch (error) {
    if (error instanceof ProcessorTimeExceededError) timeExceeded.abort();
    await settleJob(settling, job, signal.aborted ? signal.reason : error);
  } finally {
    clearInterval(heartbeat);
  }
}

/** The target, and in the middle of a change also the embedder that answers still. */
async function embeddersFor(workspaceId: string): Promise<Embedder[]> {
  const target = await loadEmbedder(options.target);
  const activeId = await readActiveEmbedder(db, workspaceId);
  const active = activeId === null || activeId === target.id ? null : await findEmbedder(db, activeId);
  if (!active) return [target];
  if (!hasModelFiles(active)) return [target];
  return [target, await loadEmbedder(active)];
}

/** Embeds the chunks of an item again. */
async function runReembedding(job: ReembedJob): Promise<void> {
  const aborting = new AbortController();
  const signal = AbortSignal.any([aborting.signal, stopping.signal]);
  const heartbeat = setInterval(() => {
    renewReembedLease(db, job).then(
      (held) => held || aborting.abort(new LeaseLostError()),
      (error: unknown) => log.warn({ err: error }),
    );
  }, heartbeatIntervalMs);
  try {
    const spans = job.chunks.map(({ start_time, end_time }) => ({ start: start_time, end: end_time }));
    const embedder = await loadEmbedder(options.target);
    const embeddings = await assets.withLocalCopy(original(job), (path) =>
      reembedItem({ path, type: job.type, mimeType: job.mime_type }, spans, embedder, {
        signal,
        onAdvance: () => emit({ kind: 'advanced' }),
      }),
    );
    signal.throwIfAborted();
    await completeReembedJob(db, job, embedder.id, embeddings);
  } catch (error) {
    if (error instanceof ProcessorTimeExceededError) timeExceeded.abort();
    await settleReembedding(settling, job, signal.aborted ? signal.reason : error);
  } finally {
    clearInterval(heartbeat);
  }
}
