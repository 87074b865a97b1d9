import { toTextLines } from '@media-search/indexing/text-lines';
import { readSubtitles } from '@media-search/media/read-subtitles';
import { original } from '../assets/asset-store.ts';
import type { Job } from '../catalog/queue/job-queue.ts';
import { completeSubtitles } from '../catalog/queue/subtitle-jobs.ts';
import { countSubtitleLines } from '../catalog/texts/text-segments.ts';
import { LeaseLostError } from './job-errors.ts';
import type { Attempt, JobContext } from './job-handlers.ts';
import { makingWay } from './urgent-job-watch.ts';

/**
 * Reads the subtitles and chapter titles of an item again whose lines an earlier version stored without their track, language and own
 * times. Where the original is lost or damaged they stay as they are. It makes way for any other job, each time, and
 * starts again after it.
 */
export async function readLinesAgain(
  { db, assets }: JobContext,
  job: Job<'subtitles'>,
  attempt: Attempt,
): Promise<void> {
  // It may have been indexed again meanwhile.
  const isDue = (await countSubtitleLines(db, job)).has(null) && job.original_problem === null;
  const { subtitles, chapters } = isDue
    ? await makingWay(job, attempt, (watched) =>
        assets.withLocalCopy(original(job), (path) => readSubtitles(path, watched), watched),
      )
    : { subtitles: [], chapters: [] };
  if (!(await completeSubtitles(db, job, toTextLines(subtitles, chapters, job.duration ?? 0))))
    throw new LeaseLostError();
}
