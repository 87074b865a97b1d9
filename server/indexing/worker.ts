import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { AV_LOG_FATAL } from 'node-av/constants';
import { Log } from 'node-av/lib';
import { pino } from 'pino';
import type { IndexingStage } from '../../contract/media.ts';
import { createAssetStore } from '../assets/asset-store.ts';
import { mergeChunkTexts } from '../catalog/chunk-texts.ts';
import { findEmbedder, readActiveEmbedder } from '../catalog/embedders.ts';
import {
  claimEmbeddingJob,
  completeEmbedding,
  type EmbeddingJob,
  endEmbedding,
  releaseEmbeddingJobs,
  renewEmbeddingLease,
} from '../catalog/embedding-jobs.ts';
import {
  type ClaimedJob,
  claimJob,
  completeJob,
  failJob,
  overQuota,
  releaseJobs,
  reportProgress,
} from '../catalog/jobs.ts';
import { openCatalog } from '../catalog/open-catalog.ts';
import { type Excess, findDurationExcess } from '../catalog/quota.ts';
import { catalogFile } from '../data-directory.ts';
import type { Embedder } from '../models/embedder.ts';
import { createEmbedderLoader } from '../models/load-embedder.ts';
import { embedAgain } from './embed-again.ts';
import { indexMedia } from './index-media.ts';
import { UnreadableMediaError } from './indexed-media.ts';
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

const stopped = new Error('The service is stopping.');
const deleted = new Error('The item was deleted.');

/** The plan has no room for this video. */
class OverQuota extends Error {
  readonly excess: Excess;

  constructor(excess: Excess) {
    super('The plan has no room for this.');
    this.excess = excess;
  }
}

const options = JSON.parse(process.argv[2] ?? '') as WorkerOptions;
const log = pino({ level: options.logLevel, base: { worker: options.id } }, process.stderr);
const loadEmbedder = createEmbedderLoader(options.threads);
const db = await openCatalog(catalogFile(options.dataDirectory));
const assets = createAssetStore(options.dataDirectory);

// FFmpeg remarks on every oddity of a file; what matters comes back as an error.
Log.setLevel(AV_LOG_FATAL);

const stopping = new AbortController();
let sleeping = new AbortController();

const tell = (message: FromWorker) => process.send?.(message);

process.on('message', (message: ToWorker) => {
  if (message === 'stop') stopping.abort(stopped);
  sleeping.abort();
});
// The service is gone without a word (kill -9): its next start takes the job back.
process.on('disconnect', () => process.exit(0));
// Ctrl-C reaches the whole process group; the service then tells its workers what to do.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);

while (!stopping.signal.aborted && process.memoryUsage.rss() < largestProcess) {
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
    tell({ kind: 'ended', workspaceId: embeddingJob.media.workspace_id });
  } else {
    await mergeChunkTexts(db);
    sleeping = new AbortController();
    await delay(idleMs, undefined, { signal: sleeping.signal }).catch(() => undefined);
  }
}
await db.destroy();
process.disconnect?.();

async function run(job: ClaimedJob): Promise<void> {
  const aborting = new AbortController();
  const signal = AbortSignal.any([aborting.signal, stopping.signal]);
  let stage: IndexingStage = 'reading';
  let fraction = 0;
  let reportedAt = 0;
  const report = async () => {
    reportedAt = Date.now();
    if (!(await reportProgress(db, options.id, job, stage, fraction))) aborting.abort(deleted);
  };
  const heartbeat = setInterval(() => void report().catch((error: unknown) => log.warn({ err: error })), heartbeatMs);
  try {
    const indexed = await indexMedia({
      path: assets.originalOf(job),
      filename: job.filename,
      outputDirectory: await assets.emptyRenditions(job),
      embedders: await embeddersFor(job.workspace_id),
      signal,
      async admit(seconds) {
        const excess = await findDurationExcess(db, job.workspace_id, seconds);
        if (excess) throw new OverQuota(excess);
      },
      onProgress(newStage, newFraction) {
        stage = newStage;
        fraction = newFraction;
        tell({ kind: 'advanced' });
        if (Date.now() - reportedAt > reportEveryMs) void report().catch((error: unknown) => log.warn({ err: error }));
      },
    });
    signal.throwIfAborted();
    await assets.syncRenditions(job);
    if (!(await completeJob(db, options.id, job, indexed))) throw deleted;
    log.info({ media: job.id, chunks: indexed.chunks.length }, 'indexed');
  } catch (error) {
    await settle(job, signal.aborted ? signal.reason : error);
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

/** Embeds the chunks of an item anew. Nobody waits for it, so what goes wrong is told to the log only. */
async function runEmbedding(job: EmbeddingJob): Promise<void> {
  const { media, chunks } = job;
  const aborting = new AbortController();
  const signal = AbortSignal.any([aborting.signal, stopping.signal]);
  const heartbeat = setInterval(() => {
    renewEmbeddingLease(db, options.id, media).then(
      (held) => held || aborting.abort(deleted),
      (error: unknown) => log.warn({ err: error }),
    );
  }, heartbeatMs);
  try {
    const file = { path: assets.originalOf(media), type: media.type, mimeType: media.mime_type };
    const spans = chunks.map(({ start_time, end_time }) => ({ start: start_time, end: end_time }));
    const embedder = await loadEmbedder(options.target);
    const embeddings = await embedAgain(file, spans, embedder, { signal, onAdvance: () => tell({ kind: 'advanced' }) });
    signal.throwIfAborted();
    await completeEmbedding(db, options.id, job, embedder.id, embeddings);
  } catch (error) {
    if (stopping.signal.aborted) await releaseEmbeddingJobs(db, options.id, false);
    else if (error instanceof UnreadableMediaError) await endEmbedding(db, media);
    else if (!aborting.signal.aborted) await releaseEmbeddingJobs(db, options.id, true);
    log.warn({ media: media.id, err: error }, 'not embedded anew');
  } finally {
    clearInterval(heartbeat);
  }
}

/** Says what becomes of a job that did not complete. */
async function settle(job: ClaimedJob, error: unknown): Promise<void> {
  if (error === deleted) {
    await assets.remove(job);
  } else if (error === stopped) {
    await releaseJobs(db, options.id, false);
  } else if (error instanceof OverQuota) {
    await failJob(db, job, overQuota(error.excess));
  } else if (error instanceof UnreadableMediaError) {
    log.info({ media: job.id, code: error.code }, error.message);
    await failJob(db, job, error);
  } else {
    log.error({ media: job.id, attempt: job.attempts, err: error }, 'indexing broke off');
    await releaseJobs(db, options.id, true);
  }
}
