import { joinPassages, nearestChunk } from '@media-search/indexing/join-passages';
import { embedPassage, sentenceModel } from '@media-search/models/builtin/sentence-model';
import type { Job } from '../catalog/queue/job-queue.ts';
import { type NewPassage, readKnownVectors, readPassageMaterial, storePassages } from '../catalog/texts/passages.ts';
import type { Attempt, JobContext } from './job-attempt.ts';
import { LeaseLostError } from './job-errors.ts';
import { makingWay } from './urgent-job-watch.ts';

/**
 * Makes the passages of a complete item from all of its texts, and embeds those that are new: some milliseconds each. Throws `LeaseLostError` when the texts changed
 * meanwhile: then another job makes them.
 */
export async function makePassages({ db, log }: JobContext, job: Job<'passages'>, attempt: Attempt): Promise<void> {
  const { lines, chunks } = await readPassageMaterial(db, job);
  const joined = joinPassages(lines, { filename: job.filename, tags: job.tags });
  const known = await readKnownVectors(db, job, sentenceModel.id);
  const passages = await makingWay(job, attempt, async ({ signal, onAdvance }) => {
    const made: NewPassage[] = [];
    for (const passage of joined) {
      signal.throwIfAborted();
      const chunk = nearestChunk(chunks, passage);
      const vector = known.get(passage.text) ?? (await embedPassage(passage.text));
      if (vector && chunk) made.push({ ...passage, chunk: chunk.number, vector });
      onAdvance();
    }
    return made;
  });
  attempt.signal.throwIfAborted();
  if (!(await storePassages(db, job, passages, sentenceModel.id))) throw new LeaseLostError();
  if (passages.length > 0) log.info({ media: job.id, passages: passages.length }, 'texts embedded');
}
