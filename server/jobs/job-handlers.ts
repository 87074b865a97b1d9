import { open } from 'node:fs/promises';
import { withDroneLog } from '@media-search/indexing/drone-log';
import { indexMedia } from '@media-search/indexing/index-media';
import { reembedItem } from '@media-search/indexing/reembed-item';
import { fingerprintItem } from '@media-search/indexing/reuse/fingerprint-item';
import { tooMuchWork } from '@media-search/media/media-limits';
import { watchProcessorTime } from '@media-search/media/processor-time-limit';
import { keepWithin } from '@media-search/media/subtitles';
import type { Embedder } from '@media-search/models/embedder';
import { hasModelFiles } from '@media-search/models/load-embedder';
import { original } from '../assets/asset-store.ts';
import { findDurationQuotaViolation } from '../catalog/accounts/quota.ts';
import { findEmbedder, readActiveEmbedder } from '../catalog/embedders.ts';
import type { ItemError } from '../catalog/media/item-status.ts';
import { abandonExtraction } from '../catalog/queue/extraction-jobs.ts';
import { completeIndexing, failIndexing, reportProgress } from '../catalog/queue/indexing-jobs.ts';
import { endJob, type Job } from '../catalog/queue/job-queue.ts';
import { completeReembedding, listReembedChunks } from '../catalog/queue/reembed-jobs.ts';
import { storeFingerprint } from '../catalog/reuse/fingerprints.ts';
import { giveUpFingerprint } from '../catalog/reuse/write-fingerprint.ts';
import type { Catalog } from '../catalog/schema.ts';
import type { FileHashes } from '../catalog/sources/source-files.ts';
import type { ItemJobKind } from '../catalog/tables/jobs.ts';
import { extractionSources } from '../catalog/texts/text-extractions.ts';
import { hashEnds, hashWhole } from '../sources/quick-hash.ts';
import type { Attempt, JobContext } from './job-attempt.ts';
import { LeaseLostError, OverQuotaError } from './job-errors.ts';
import { makePassages } from './make-passages.ts';
import { createProgressReporter } from './progress-reporter.ts';
import { readSubtitleSidecars, readXmpSidecar, withXmp } from './read-sidecars.ts';
import { recogniseText } from './recognise-text.ts';
import { makingWay } from './urgent-job-watch.ts';

/** How the jobs of one kind are done. */
export type JobHandler<Kind extends ItemJobKind> = {
  /** What the log calls the work. */
  label: string;
  /** Does the work and stores its result. Throws `LeaseLostError` when the result does not count any more. */
  run(context: JobContext, job: Job<Kind>, attempt: Attempt): Promise<void>;
  /** Ends a job whose file makes no sense. @returns false when the lease is lost */
  fail(db: Catalog, job: Job<Kind>, error: ItemError): Promise<boolean>;
  /** Removes what an attempt that ended early wrote outside the catalog. */
  cleanUp(context: Pick<JobContext, 'assets'>, job: Job<Kind>): Promise<void>;
};

/** One entry for each kind of job. */
const jobHandlers: { [Kind in ItemJobKind]: JobHandler<Kind> } = {
  index: {
    label: 'indexing',
    run: runIndexing,
    fail: failIndexing,
    // No other attempt uses this folder, so removing it is safe also if another worker has the job by now.
    cleanUp: ({ assets }, job) => assets.removeRenditions(job, { upTo: job.token }),
  },
  reembed: {
    label: 're-embedding',
    run: runReembedding,
    // It is found by its texts only.
    fail: (db, job) => endJob(db, job),
    cleanUp: () => Promise.resolve(),
  },
  passages: {
    label: 'embedding of texts',
    run: makePassages,
    // It reads no file.
    fail: (db, job) => endJob(db, job),
    cleanUp: () => Promise.resolve(),
  },
  fingerprint: {
    label: 'making of a fingerprint',
    run: makeFingerprint,
    // It is not found in others.
    fail: (db, job) => endJob(db, job, (transaction) => giveUpFingerprint(transaction, job)),
    cleanUp: () => Promise.resolve(),
  },
  ocr: {
    label: 'reading of on-screen text',
    run: recogniseText,
    fail: (db, job, { message }) => abandonExtraction(db, job, message),
    cleanUp: () => Promise.resolve(),
  },
  speech: {
    label: 'transcription',
    run: recogniseText,
    fail: (db, job, { message }) => abandonExtraction(db, job, message),
    cleanUp: () => Promise.resolve(),
  },
};

/** The handler of a job. */
export const handlerOf = <Kind extends ItemJobKind>({ kind }: Job<Kind>): JobHandler<Kind> => jobHandlers[kind];

async function runIndexing(context: JobContext, job: Job<'index'>, attempt: Attempt): Promise<void> {
  const { db, assets, scratch, log } = context;
  using progress = createProgressReporter(async (stage, fraction) => {
    const held = await reportProgress(db, job, stage, fraction);
    if (!held) attempt.onLeaseLost();
  }, log);
  if (job.source_id !== null) await assets.addItem(job);
  // Of attempts that broke off.
  await assets.removeRenditions(job, { upTo: job.token });
  const embedders = await embeddersFor(context, job.workspace_id);
  let content: FileHashes | null = null;
  const indexed = await makingWay(job, attempt, (watched) =>
    scratch.withFolder(async (outputDirectory) => {
      const beside = await readSubtitleSidecars(context, job, watched);
      const notes = await readXmpSidecar(context, job, watched);
      const index = async (path: string) => {
        content = job.source_id === null ? null : await readContent(path);
        using work = watchProcessorTime(context.processorSecondsFor(job.size), tooMuchWork);
        return await indexMedia({
          path,
          filename: job.filename,
          outputDirectory,
          embedders,
          limits: context.limits,
          // What is in a source may be away later: then its preview plays.
          wantsPreview: job.source_id !== null,
          signal: AbortSignal.any([watched.signal, work.signal]),
          onAdvance: attempt.onAdvance,
          async checkDuration(seconds) {
            const violation = await findDurationQuotaViolation(db, job.workspace_id, seconds);
            if (violation) throw new OverQuotaError(violation);
          },
          onProgress(stage, fraction) {
            attempt.onAdvance();
            progress.report(stage, fraction);
          },
        });
      };
      const found = await assets.withLocalCopy(original(job), index, watched);
      attempt.signal.throwIfAborted();
      await assets.putRenditions(job, job.token, outputDirectory, attempt);
      const texts = [...found.texts, ...keepWithin(beside, found.duration ?? 0)];
      return withDroneLog({ ...withXmp(found, notes), texts });
    }),
  );
  const read = extractionSources.filter((source) => context.readers[source] !== null);
  const outcome = await completeIndexing(db, job, indexed, read, true, content);
  if (outcome === null) {
    // Another attempt stores its own, or the item is gone.
    await assets.removeRenditions(job, { only: job.token });
    throw new LeaseLostError();
  }
  attempt.onIndexed(indexed.duration ?? 0);
  if (outcome === 'complete') log.info({ media: job.id, chunks: indexed.chunks.length }, 'indexed');
  else await assets.removeRenditions(job, { upTo: job.token });
}

/** Reads by what a file of a source is recognised when it is renamed. */
async function readContent(file: string): Promise<FileHashes> {
  await using handle = await open(file);
  const { size } = await handle.stat();
  return { quick_hash: await hashEnds(handle, size), full_hash: await hashWhole(handle, size) };
}

/** The target embedder, and during a change also the one that still answers. */
async function embeddersFor({ db, loadEmbedder, target }: JobContext, workspaceId: string): Promise<Embedder[]> {
  const embedder = await loadEmbedder(target);
  const activeId = await readActiveEmbedder(db, workspaceId);
  const active = activeId === null || activeId === embedder.id ? null : await findEmbedder(db, activeId);
  if (!active) return [embedder];
  if (!hasModelFiles(active)) return [embedder];
  return [embedder, await loadEmbedder(active)];
}

async function runReembedding(context: JobContext, job: Job<'reembed'>, attempt: Attempt): Promise<void> {
  const { db, assets, loadEmbedder } = context;
  // The job's embedder, not this worker's target: another may have become the target since the worker started.
  const reference = await findEmbedder(db, job.payload.embedder_id);
  if (!reference) throw new Error(`The embedder ${job.payload.embedder_id} is unknown.`);
  const chunks = await listReembedChunks(db, job);
  const spans = chunks.map(({ start_time, end_time }) => ({ start: start_time, end: end_time }));
  const embedder = await loadEmbedder(reference);
  const file = { type: job.type, mimeType: job.mime_type };
  const embeddings = await makingWay(job, attempt, (watched) =>
    assets.withLocalCopy(original(job), (path) => reembedItem({ path, ...file }, spans, embedder, watched), watched),
  );
  attempt.signal.throwIfAborted();
  if (!(await completeReembedding(db, job, chunks, embeddings))) throw new LeaseLostError();
}

async function makeFingerprint(context: JobContext, job: Job<'fingerprint'>, attempt: Attempt): Promise<void> {
  const { db, assets, limits } = context;
  const file = { type: job.type, mimeType: job.mime_type };
  const fingerprint = await makingWay(job, attempt, (watched) =>
    assets.withLocalCopy(original(job), (path) => fingerprintItem({ path, ...file }, watched, limits), watched),
  );
  attempt.signal.throwIfAborted();
  const store = (transaction: Catalog) => storeFingerprint(transaction, job, fingerprint);
  if (!(await endJob(db, job, store))) throw new LeaseLostError();
}
