import type { ExtractionEnd, TextReading } from '@media-search/media/extracted-text';
import { matchLines } from '@media-search/models/ocr/match-lines';
import { original } from '../assets/asset-store.ts';
import {
  abandonExtraction,
  completeExtraction,
  type ExtractionJob,
  readExtractionPosition,
  storeCheckpoint,
} from '../catalog/queue/extraction-jobs.ts';
import { endJob } from '../catalog/queue/job-queue.ts';
import { countSubtitleLines } from '../catalog/texts/text-segments.ts';
import type { Attempt, JobContext } from './job-attempt.ts';
import { LeaseLostError, StoppedError } from './job-errors.ts';
import { type UrgentJobWatch, watchForUrgentJobs } from './urgent-job-watch.ts';

/**
 * Recognises what is written, or said, in an item that is complete. It stores what it has at each checkpoint, and makes way for more
 * urgent jobs: it is tried again after them and goes on from the last checkpoint.
 */
export async function recogniseText(context: JobContext, job: ExtractionJob, attempt: Attempt): Promise<void> {
  const { db, assets, log, readers } = context;
  const read = readers[job.kind];
  if (!read) {
    // The item waits until a service reads that.
    await endJob(db, job);
    return;
  }
  // What is known to be lost or damaged is not tried.
  if (job.original_problem !== null) {
    await abandonExtraction(db, job, 'The original of this item is lost or damaged.');
    return;
  }
  const position = await readExtractionPosition(db, job);
  const subtitleLines = await countSubtitleLines(db, job);
  using watch = watchForUrgentJobs(job, attempt, position);
  const signal = AbortSignal.any([attempt.signal, watch.signal]);
  const end = await assets
    .withLocalCopy(
      original(job),
      (path) =>
        followReading(
          context,
          job,
          { ...attempt, signal },
          watch,
          read({ path, media: job, position, subtitleLines, signal, onAdvance: attempt.onAdvance }),
        ),
      { signal, onAdvance: attempt.onAdvance },
    )
    .catch(watch.rethrow);
  if (!(await completeExtraction(db, job, end))) throw new LeaseLostError();
  const details = { media: job.id, source: job.kind, state: end.state };
  if (end.state === 'failed') log.warn(details, end.message ?? 'text could not be recognised');
  else log.info(details, 'text recognised');
}

/** Stores the checkpoints of a reading. @returns how it ended */
async function followReading(
  { db }: JobContext,
  job: ExtractionJob,
  attempt: Attempt,
  watch: UrgentJobWatch,
  reading: TextReading,
): Promise<ExtractionEnd> {
  for await (const event of reading) {
    attempt.signal.throwIfAborted();
    if ('state' in event) return event;
    if (!(await storeCheckpoint(db, job, event, matchLines))) throw new LeaseLostError();
    watch.enter(event.position);
    attempt.onAdvance();
    if (await attempt.shouldYield()) throw new StoppedError('A more urgent job waits.');
    if (attempt.hasHadTurn() && (await attempt.isTurnOver())) throw new StoppedError('Another workspace has its turn.');
  }
  throw new Error('The reading has no end.');
}
