import { descriptorsEmbedder } from '../../packages/models/descriptors/descriptors-embedder.ts';
import { createFileAssetStore } from '../assets/file-asset-store.ts';
import type { Job } from '../catalog/queue/job-queue.ts';
import type { Catalog } from '../catalog/schema.ts';
import type { Attempt, JobContext } from '../jobs/job-attempt.ts';
import { settleJob } from '../jobs/settle-job.ts';
import { createScratch } from '../platform/storage/scratch.ts';

const ignore = () => undefined;
const never = new AbortController().signal;

/** What a worker hands to its jobs, over the files in a folder; it reads no texts unless the changes say so. */
export const createJobContext = (db: Catalog, folder: string, changes: Partial<JobContext> = {}): JobContext => ({
  db,
  assets: createFileAssetStore(folder),
  scratch: createScratch(folder),
  log: { info: ignore, warn: ignore, error: ignore },
  loadEmbedder: () => Promise.resolve(descriptorsEmbedder),
  target: { kind: 'descriptors', id: descriptorsEmbedder.id, dimensions: descriptorsEmbedder.dimensions },
  limits: { maxSeconds: 10, maxFrames: 100 },
  processorSecondsFor: () => 600,
  readers: { ocr: null, speech: null },
  ...changes,
});

/**
 * Runs an attempt at a job, and settles it as a worker does.
 * @param changes of an attempt that has had its turn and for which no other job waits
 * @returns why it ended early; null: it did not
 */
export async function runJob(
  context: JobContext,
  job: Job,
  run: (attempt: Attempt) => Promise<void>,
  changes: Partial<Attempt> = {},
): Promise<unknown> {
  try {
    await run({
      signal: never,
      onLeaseLost: ignore,
      onAdvance: ignore,
      onIndexed: ignore,
      isRelief: false,
      hasHadTurn: () => true,
      shouldYield: () => Promise.resolve(false),
      isTurnOver: () => Promise.resolve(false),
      ...changes,
    });
    return null;
  } catch (error) {
    await settleJob({ ...context, stopping: never, onRetry: ignore }, job, error);
    return error;
  }
}
