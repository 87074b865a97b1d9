import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { AV_LOG_FATAL } from 'node-av/constants';
import { Log } from 'node-av/lib';
import type { IndexingStage } from '../../contract/media.ts';
import { createAssetStore } from '../assets/asset-store.ts';
import { mergeChunkTexts } from '../catalog/chunk-texts.ts';
import { findEmbedder, readActiveEmbedder } from '../catalog/embedders.ts';
import {
  claimEmbeddingJob,
  completeEmbedding,
  type EmbeddingJob,
  renewEmbeddingLease,
} from '../catalog/embedding-jobs.ts';
import { type ClaimedJob, claimJob, completeJob, reportProgress } from '../catalog/jobs.ts';
import { openCatalog } from '../catalog/open-catalog.ts';
import { findDurationExcess } from '../catalog/quota.ts';
import { followService } from '../child-process.ts';
import { catalogFile } from '../data-directory.ts';
import { createLog } from '../log.ts';
import { lowerRights } from '../lower-rights.ts';
import type { Embedder } from '../models/embedder.ts';
import { createEmbedderLoader } from '../models/load-embedder.ts';
import { embedAgain } from './embed-again.ts';
import { EndlessWorkError } from './end-endless-work.ts';
import { indexMedia } from './index-media.ts';
import {
  LeaseLostError,
  OverQuotaError,
  settleEmbedding,
  settleJob,
  type Settling,
  StoppedError,
} from './settle-job.ts';
import type { FromWorker, ToWorker, WorkerOptions } from './worker-messages.ts';

/**
 * The indexing process: takes one job after the other. It is a process of its own because the decoders are native code that
 * a hostile file can crash; the service then starts another.
 */

/** Progress is stored at most this often, and the lease renewed at least this often. */
const reportEveryMs = 700;
const heartbeatMs = 10_000;
/** A sleeping worker looks by itself now and then, in case a wake-up was lost or a lease ran out. */
const idleMs = 5_000;

/** A worker that has grown beyond this (models, decoders that leak) ends between two jobs and is replaced, bytes. */
const largestProcess = 2 * 2 ** 30;

/** After the catalog could not be read or written, it is tried again after this. */
const retryAfterMs = 5_000;

// When the service is gone (kill -9) its next start takes the job back.
followService();
const options = JSON.parse(process.argv[2] ?? '') as WorkerOptions;
lowerRights(options.dataDirectory);
const log = createLog(options.logLevel, { worker: options.id });
const loadEmbedder = createEmbedderLoader(options.threads);
const db = await openCatalog(catalogFile(options.dataDirectory));
const assets = createAssetStore(options.dataDirectory);

// FFmpeg remarks on every oddity of a file; what matters comes back as an error.
Log.setLevel(AV_LOG_FATAL);

const stopping = new AbortController();
let sleeping = new AbortController();
/** Aborted when a library goes on with a file that was given up. */
const endless = new AbortController();

// What cannot be sent has nobody to hear it: the service is gone, and `disconnect` follows.
const tell = (message: FromWorker) => process.send?.(message, undefined, undefined, () => undefined);
const settling: Settling = {
  db,
  assets,
  log,
  stopping: stopping.signal,
  onRetry: () => tell({ kind: 'advanced' }),
};

process.on('message', (message: ToWorker) => {
  if (message === 'stop') stopping.abort(new StoppedError());
  sleeping.abort();
});

while (
  !endless.signal.aborted &&
  !stopping.signal.aborted &&
  process.connected &&
  process.memoryUsage.rss() < largestProcess
) {
  try {
    await workOnce();
  } catch (error) {
    log.error({ err: error }, 'no job could be taken or settled');
    await delay(retryAfterMs, undefined, { signal: stopping.signal }).catch(() => undefined);
  }
}
await db.destroy();
// Leaving in peace would wait for the thread that never ends.
if (endless.signal.aborted) process.kill(process.pid, 'SIGKILL');
if (process.connected) process.disconnect?.();

/** Takes a job and sees it through; sleeps when there is none. */
async function workOnce(): Promise<void> {
  const job = await claimJob(db, options.id);
  // What is new comes first; what is found already can wait for better vectors.
  const embeddingJob = job ? undefined : await claimEmbeddingJob(db, options.id);
  if (job) {
    tell({ kind: 'begun' });
    await run(job);
    tell({ kind: 'ended', workspaceId: job.workspace_id });
  } else if (embeddingJob) {
    tell({ kind: 'begun' });
    await runEmbedding(embeddingJob);
    tell({ kind: 'ended', workspaceId: embeddingJob.workspace_id });
  } else {
    await mergeChunkTexts(db);
    sleeping = new AbortController();
    await delay(idleMs, undefined, { signal: sleeping.signal }).catch(() => undefined);
  }
}

async function run(job: ClaimedJob): Promise<void> {
  const aborting = new AbortController();
  const signal = AbortSignal.any([aborting.signal, stopping.signal]);
  let stage: IndexingStage = 'reading';
  let fraction = 0;
  let reportedAt = 0;
  const report = async () => {
    reportedAt = Date.now();
    if (!(await reportProgress(db, job, stage, fraction))) aborting.abort(new LeaseLostError());
  };
  const heartbeat = setInterval(() => void report().catch((error: unknown) => log.warn({ err: error })), heartbeatMs);
  try {
    const indexed = await indexMedia({
      path: assets.originalOf(job),
      filename: job.filename,
      outputDirectory: await assets.newRenditions(job, job.token),
      embedders: await embeddersFor(job.workspace_id),
      limits: options.limits,
      signal,
      async admit(seconds) {
        const excess = await findDurationExcess(db, job.workspace_id, seconds);
        if (excess) throw new OverQuotaError(excess);
      },
      onProgress(newStage, newFraction) {
        stage = newStage;
        fraction = newFraction;
        tell({ kind: 'advanced' });
        if (Date.now() - reportedAt > reportEveryMs) void report().catch((error: unknown) => log.warn({ err: error }));
      },
    });
    signal.throwIfAborted();
    await assets.syncRenditions({ ...job, renditions_token: job.token });
    const outcome = await completeJob(db, job, indexed);
    if (outcome === 'lost') throw new LeaseLostError();
    if (outcome === 'complete') log.info({ media: job.id, chunks: indexed.chunks.length }, 'indexed');
    else await assets.removeRenditions(job, job.token);
  } catch (error) {
    if (error instanceof EndlessWorkError) endless.abort();
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
  if (active.kind === 'semantic' && !existsSync(active.folder)) return [target];
  return [target, await loadEmbedder(active)];
}

/** Embeds the chunks of an item again. */
async function runEmbedding(job: EmbeddingJob): Promise<void> {
  const aborting = new AbortController();
  const signal = AbortSignal.any([aborting.signal, stopping.signal]);
  const heartbeat = setInterval(() => {
    renewEmbeddingLease(db, job).then(
      (held) => held || aborting.abort(new LeaseLostError()),
      (error: unknown) => log.warn({ err: error }),
    );
  }, heartbeatMs);
  try {
    const file = { path: assets.originalOf(job), type: job.type, mimeType: job.mime_type };
    const spans = job.chunks.map(({ start_time, end_time }) => ({ start: start_time, end: end_time }));
    const embedder = await loadEmbedder(options.target);
    const embeddings = await embedAgain(file, spans, embedder, { signal, onAdvance: () => tell({ kind: 'advanced' }) });
    signal.throwIfAborted();
    await completeEmbedding(db, job, embedder.id, embeddings);
  } catch (error) {
    if (error instanceof EndlessWorkError) endless.abort();
    await settleEmbedding(settling, job, signal.aborted ? signal.reason : error);
  } finally {
    clearInterval(heartbeat);
  }
}
