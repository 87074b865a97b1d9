import type { TextLine } from '@media-search/indexing/indexed-media';
import type { Catalog } from '../schema.ts';
import { linkSegments, replaceLines } from '../texts/text-segments.ts';
import { completeJob, type Job } from './job-queue.ts';

/**
 * Stores the subtitles and chapter titles of an item that were read again and ends its job. Where none were found those of before stay:
 * a file does not lose its subtitles, so it was not read as it was then.
 * @returns false, storing nothing, when the lease is lost
 */
export async function completeSubtitles(db: Catalog, job: Job<'subtitles'>, lines: TextLine[]): Promise<boolean> {
  const stored = await completeJob(db, job, async (transaction) => {
    if (lines.length > 0) {
      await replaceLines(transaction, job, lines);
      await linkSegments(transaction, job, ['subtitle', 'chapter']);
    }
    return true;
  });
  return stored ?? false;
}
