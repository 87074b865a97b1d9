import type { ExtractionEnd } from '@media-search/media/extracted-text';
import { matchLines } from '@media-search/models/ocr/match-lines';
import { describe, expect, test } from 'vitest';
import { backends } from '../../testing/fresh-catalog.ts';
import { complete, openItemToRead, said } from '../../testing/item-to-read.ts';
import { claim, indexed, reload } from '../../testing/test-catalog.ts';
import { readLastChange } from '../media/item-changes.ts';
import { deleteMedia, retryMedia } from '../media/media-items.ts';
import { replaceIndexedMedia } from '../media/store-indexed-media.ts';
import type { Catalog } from '../schema.ts';
import {
  abandonExtraction,
  completeExtraction,
  enqueueMissingExtractions,
  type ExtractionJob,
  readAgain,
  readExtractionPosition,
  storeCheckpoint,
} from './extraction-jobs.ts';
import { completeIndexing } from './indexing-jobs.ts';
import { priorityOf, maxAttempts } from './job-kinds.ts';
import { claimJob, endJob, hasMoreUrgentJob, releaseAllJobs, releaseJob } from './job-queue.ts';

const countJobs = async (db: Catalog): Promise<number> => (await db.selectFrom('jobs').select('kind').execute()).length;

describe.each(backends)('on %s', (backend) => {
  test('what is read comes after all that is more urgent, on-screen text before speech', async () => {
    await using t = await openItemToRead(['ocr', 'speech'], backend);
    const ocr = await claim(t.db, 'a', 'ocr');
    expect(await hasMoreUrgentJob(t.db, { priority: priorityOf('ocr', 'video') })).toBe(false);
    const added = await t.add();
    expect(await hasMoreUrgentJob(t.db, { priority: priorityOf('ocr', 'video') })).toBe(true);
    expect((await claim(t.db, 'b')).id).toBe(added.id);
    // Somebody has it already.
    expect(await hasMoreUrgentJob(t.db, { priority: priorityOf('ocr', 'video') })).toBe(false);
    expect((await claim(t.db, 'c', 'speech')).id).toBe(t.media.id);
    expect(await releaseJob(t.db, ocr, 'stopped')).toBe(true);
    expect(await hasMoreUrgentJob(t.db, { priority: priorityOf('speech', 'video') })).toBe(false);
    expect(await hasMoreUrgentJob(t.db, { priority: priorityOf('index', 'video') })).toBe(false);
  });

  test('each video is read to its end before the next, also those that a start adds', async () => {
    await using t = await openItemToRead([], backend);
    await t.add();
    await completeIndexing(t.db, await claim(t.db, 'a'), indexed([null]));
    await enqueueMissingExtractions(t.db, ['ocr', 'speech']);
    const order: string[] = [];
    for (let job = await claimJob(t.db, 'a'); job; job = await claimJob(t.db, 'a')) {
      order.push(`${job.id === t.media.id ? 'first' : 'second'} ${job.kind}`);
    }
    expect(order).toEqual(['first ocr', 'first speech', 'second ocr', 'second speech']);
  });

  test('what comes with the end is stored with it; nothing found and nothing stored is none', async () => {
    await using t = await openItemToRead(['ocr', 'speech'], backend);
    const none: ExtractionEnd = { ...complete, state: 'none', message: 'No text was found.' };
    await completeExtraction(t.db, await claim(t.db, 'a', 'ocr'), { ...none, segments: [said(0, 'EXIT')] });
    expect(await t.stateOf('ocr')).toMatchObject({ state: 'complete', message: null });
    expect(await t.texts()).toContainEqual(['ocr', 0, 'EXIT']);
    await completeExtraction(t.db, await t.claimSpeech(), none);
    expect(await t.stateOf()).toMatchObject({ state: 'none', message: 'No text was found.' });
  });

  test('a start tries again what a missing model could not read, and not what ended its worker', async () => {
    await using t = await openItemToRead(['ocr', 'speech'], backend);
    const failed: ExtractionEnd = { ...complete, state: 'failed', model: null, message: 'The models are missing.' };
    await completeExtraction(t.db, await claim(t.db, 'a', 'ocr'), failed);
    for (let attempt = 1; attempt <= maxAttempts; attempt++) await releaseJob(t.db, await t.claimSpeech(), 'broke off');
    expect(await t.stateOf()).toMatchObject({ state: 'failed' });
    await enqueueMissingExtractions(t.db, ['ocr', 'speech']);
    expect(await t.stateOf('ocr')).toMatchObject({ state: 'pending', message: null });
    expect(await t.stateOf()).toMatchObject({ state: 'failed' });
    expect(await countJobs(t.db)).toBe(1);
  });

  test('a photograph does not wait until the videos before it are read, also after a restart', async () => {
    await using t = await openItemToRead(['ocr', 'speech'], backend);
    const photograph = await t.add();
    const job = await claim(t.db, 'a');
    await completeIndexing(t.db, job, { ...indexed([null]), type: 'image', duration: null }, ['ocr']);
    const reading = await claim(t.db, 'b', 'ocr');
    expect(reading.id).toBe(photograph.id);
    // Photographs do not make way for each other.
    const other = await t.add();
    await completeIndexing(t.db, await claim(t.db, 'a'), { ...indexed([null]), type: 'image', duration: null }, [
      'ocr',
    ]);
    expect(await hasMoreUrgentJob(t.db, reading)).toBe(false);
    expect(await hasMoreUrgentJob(t.db, { priority: priorityOf('ocr', 'video') })).toBe(true);
    await deleteMedia(t.db, t.workspaceId, other.id);
    await t.db.deleteFrom('jobs').execute();
    await enqueueMissingExtractions(t.db, ['ocr']);
    expect((await claim(t.db, 'c', 'ocr')).id).toBe(photograph.id);
  });

  test('each checkpoint is stored at once and survives a crash; searches find all of it at the end', async () => {
    await using t = await openItemToRead(['speech'], backend);
    const { db } = t;
    const job = await t.claimSpeech();
    const before = await readLastChange(db, t.workspaceId);
    expect(await storeCheckpoint(db, job, { segments: [said(0.1, 'one')], position: 1 }, matchLines)).toBe(true);
    expect(await t.stateOf()).toMatchObject({ state: 'pending', position: 1 });
    expect(await t.texts()).toEqual([
      ['subtitle', 0, 'Hello'],
      ['speech', 0.1, 'one'],
    ]);
    expect(await t.chunkTexts()).toEqual(['Hello', '', '']);
    expect(await readLastChange(db, t.workspaceId)).toBe(before);

    await releaseAllJobs(db, 'broke off');
    const next = await t.claimSpeech();
    expect(await readExtractionPosition(db, next)).toBe(1);
    // The attempt before is fenced off.
    expect(await storeCheckpoint(db, job, { segments: [said(1.1, 'stale')], position: 2 }, matchLines)).toBe(false);
    expect(await completeExtraction(db, job, complete)).toBe(false);
    expect(await storeCheckpoint(db, next, { segments: [said(1.7, 'two')], position: 3 }, matchLines)).toBe(true);
    expect(await completeExtraction(db, next, complete)).toBe(true);
    expect(await t.stateOf()).toMatchObject({ state: 'complete', language: 'en', model: 'test', message: null });
    // It is said in two chunks.
    expect(await t.chunkTexts()).toEqual(['Hello\none', 'two', 'two']);
    expect(await readLastChange(db, t.workspaceId)).toBeGreaterThan(before);
    expect(await countJobs(db)).toBe(0);
  });

  test('the language is that of most of what was read, in whichever attempt', async () => {
    await using t = await openItemToRead(['speech'], backend);
    const job = await t.claimSpeech();
    const german = { ...said(0.1, 'eins'), language: 'de', end: 1.5 };
    await storeCheckpoint(t.db, job, { segments: [german, said(1.6, 'two')], position: 2.4 }, matchLines);
    await completeExtraction(t.db, job, { ...complete, language: 'en' });
    expect(await t.stateOf()).toMatchObject({ language: 'de' });
  });

  test('of an attempt that finds nothing more, what the one before read and was warned of counts', async () => {
    await using t = await openItemToRead(['speech'], backend);
    const { db } = t;
    const warning = { code: 'audio_damaged' as const, message: 'A part of its sound could not be read.' };
    await storeCheckpoint(
      db,
      await t.claimSpeech(),
      { segments: [said(0.1, 'one')], position: 1, warning },
      matchLines,
    );
    await releaseAllJobs(db, 'stopped');
    const none = { ...complete, state: 'none' as const, language: null, message: 'Nobody speaks.' };
    await completeExtraction(db, await t.claimSpeech(), none);
    expect(await t.stateOf()).toMatchObject({ state: 'complete', language: 'en', message: null });
    expect(await reload(db, t.media)).toMatchObject({ warning_code: 'audio_damaged' });
  });

  test('nothing to read is no change for search indexes', async () => {
    await using t = await openItemToRead(['speech'], backend);
    const before = await readLastChange(t.db, t.workspaceId);
    const none = { ...complete, state: 'none' as const, message: 'It has no sound.' };
    expect(await completeExtraction(t.db, await t.claimSpeech(), none)).toBe(true);
    expect(await t.stateOf()).toMatchObject({ state: 'none', message: 'It has no sound.' });
    expect(await readLastChange(t.db, t.workspaceId)).toBe(before);
  });

  test('attempts count from the last checkpoint on; three that break off there end it, and what was read is found', async () => {
    await using t = await openItemToRead(['speech'], backend);
    const { db } = t;
    for (let i = 0; i < 2 * maxAttempts; i++) {
      const job = await t.claimSpeech();
      expect(job.attempts).toBeLessThanOrEqual(2);
      await storeCheckpoint(db, job, { segments: i === 0 ? [said(0.1, 'one')] : [], position: 1 + i / 10 }, matchLines);
      await releaseJob(db, job, 'broke off');
    }
    for (let i = 1; i < maxAttempts; i++) {
      const job = await t.claimSpeech();
      expect(job.attempts).toBe(i + 1);
      await releaseJob(db, job, 'broke off');
    }
    expect(await countJobs(db)).toBe(0);
    expect(await t.stateOf()).toMatchObject({ state: 'failed', position: 1.5 });
    expect((await t.stateOf())?.message).toMatch(/broke off 3 times/);
    expect(await t.chunkTexts()).toEqual(['Hello\none', '', '']);
    expect(await reload(db, t.media)).toMatchObject({ status: 'complete', error_code: null });
  });

  test('what failed begins again by a retry, and only that', async () => {
    await using t = await openItemToRead(['ocr', 'speech'], backend);
    const { db, workspaceId, media } = t;
    await completeExtraction(db, await claim(db, 'a', 'ocr'), complete);
    expect(await retryMedia(db, workspaceId, media.id, ['ocr', 'speech'])).toMatchObject({ retried: false });
    const job = await t.claimSpeech();
    await storeCheckpoint(db, job, { segments: [said(0.1, 'one')], position: 1 }, matchLines);
    expect(await abandonExtraction(db, job, 'It is damaged.')).toBe(true);
    expect(await t.chunkTexts()).toEqual(['Hello\none', '', '']);
    // Nobody would read it.
    expect(await retryMedia(db, workspaceId, media.id, ['ocr'])).toMatchObject({ retried: false });
    expect(await retryMedia(db, workspaceId, media.id, ['ocr', 'speech'])).toMatchObject({ retried: true });
    expect(await t.stateOf()).toMatchObject({ state: 'pending', position: 0, message: null });
    expect(await t.stateOf('ocr')).toMatchObject({ state: 'complete' });
    expect(await t.chunkTexts()).toEqual(['Hello\none', '', '']);
    expect(await retryMedia(db, workspaceId, media.id, ['ocr', 'speech'])).toMatchObject({ retried: false });
    expect(await countJobs(db)).toBe(1);
  });

  test('damaged sound is a warning of the item, unless it has another, and stays when it is indexed again', async () => {
    await using t = await openItemToRead(['ocr', 'speech'], backend);
    const { db, media } = t;
    const warning = { code: 'audio_damaged' as const, message: 'A part of its sound could not be read.' };
    await completeExtraction(db, await claim(db, 'a', 'ocr'), { ...complete, warning });
    await completeExtraction(db, await t.claimSpeech(), { ...complete, warning: { ...warning, message: 'Other.' } });
    const warned = { warning_code: 'audio_damaged', warning_message: warning.message };
    expect(await reload(db, media)).toMatchObject({ status: 'complete', ...warned });
    expect(await replaceIndexedMedia(db, await reload(db, media), indexed(['a']), 99)).toBe(true);
    expect(await reload(db, media)).toMatchObject(warned);
    const truncated = { ...indexed(['a']), warning: { code: 'truncated_media' as const, message: 'Cut off.' } };
    expect(await replaceIndexedMedia(db, await reload(db, media), truncated, 100)).toBe(true);
    expect(await reload(db, media)).toMatchObject({ warning_code: 'truncated_media' });
  });

  test('recognised texts stay when an item is indexed again, and are linked to its new chunks; its subtitles are replaced', async () => {
    await using t = await openItemToRead(['speech'], backend);
    const { db, media } = t;
    const job = await t.claimSpeech();
    await storeCheckpoint(db, job, { segments: [said(0.1, 'one'), said(2.1, 'three')], position: 3 }, matchLines);
    await completeExtraction(db, job, complete);
    expect(await replaceIndexedMedia(db, await reload(db, media), indexed([null, 'Bye']), 99)).toBe(true);
    // The third chunk is gone, so its text goes to the nearest.
    expect(await t.chunkTexts()).toEqual(['one', 'Bye\nthree']);
    expect(await t.texts()).toEqual([
      ['speech', 0.1, 'one'],
      ['subtitle', 1, 'Bye'],
      ['speech', 2.1, 'three'],
    ]);
  });

  test('a start adds what was never read, goes on with what waits, and takes away what the settings turn off', async () => {
    await using t = await openItemToRead([], backend);
    const { db, media } = t;
    await t.add('waiting.mp4');
    const kinds = async () =>
      (await db.selectFrom('jobs').select(['kind', 'media_id']).orderBy('kind').execute())
        .filter(({ kind }) => kind !== 'index')
        .map(({ kind, media_id }) => [kind, media_id]);
    await enqueueMissingExtractions(db, []);
    expect(await kinds()).toEqual([]);
    await enqueueMissingExtractions(db, ['ocr', 'speech']);
    await enqueueMissingExtractions(db, ['ocr', 'speech']);
    expect(await kinds()).toEqual([
      ['ocr', media.id],
      ['speech', media.id],
    ]);
    await claim(db, 'a');
    const job = await claim(db, 'a', 'ocr');
    await storeCheckpoint(db, job, { segments: [said(0.1, 'EXIT')], position: 2 }, matchLines);
    await enqueueMissingExtractions(db, ['speech']);
    expect(await kinds()).toEqual([['speech', media.id]]);
    expect(await endJob(db, await t.claimSpeech())).toBe(true);
    await enqueueMissingExtractions(db, ['ocr', 'speech']);
    expect(await kinds()).toHaveLength(2);
    const resumed: ExtractionJob = await claim(db, 'a', 'ocr');
    expect(await readExtractionPosition(db, resumed)).toBe(2);
    await completeExtraction(db, resumed, complete);
    await enqueueMissingExtractions(db, ['ocr', 'speech']);
    expect(await kinds()).toEqual([['speech', media.id]]);
  });

  test('after a change of the model everything of a workspace is read again, also what is being read', async () => {
    await using t = await openItemToRead(['speech'], backend);
    const { db, workspaceId } = t;
    const job = await t.claimSpeech();
    await storeCheckpoint(db, job, { segments: [said(0.1, 'one')], position: 1 }, matchLines);
    expect(await readAgain(db, 'elsewhere', 'speech')).toBe(0);
    expect(await readAgain(db, workspaceId, 'speech')).toBe(1);
    expect(await storeCheckpoint(db, job, { segments: [said(1.1, 'two')], position: 2 }, matchLines)).toBe(false);
    // It was not read to its end: nothing of it was found.
    expect(await t.texts()).toEqual([['subtitle', 0, 'Hello']]);
    const next = await t.claimSpeech();
    expect(next.attempts).toBe(1);
    expect(await readExtractionPosition(db, next)).toBe(0);
    await storeCheckpoint(db, next, { segments: [said(0.1, 'uno')], position: 3 }, matchLines);
    await completeExtraction(db, next, complete);
    expect(await t.chunkTexts()).toEqual(['Hello\nuno', '', '']);
  });

  test('the model of an earlier attempt is kept where the last one finds nothing more', async () => {
    await using t = await openItemToRead(['speech'], backend);
    const job = await t.claimSpeech();
    await storeCheckpoint(t.db, job, { segments: [said(0.1, 'one')], position: 1, model: 'tiny' }, matchLines);
    // Silence.
    await storeCheckpoint(t.db, job, { segments: [], position: 2, model: null }, matchLines);
    await releaseJob(t.db, job, 'stopped');
    await completeExtraction(t.db, await t.claimSpeech(), { ...complete, state: 'none', model: null });
    expect(await t.stateOf()).toMatchObject({ state: 'complete', model: 'tiny' });
  });

  test('nothing of a deleted item is left', async () => {
    await using t = await openItemToRead(['ocr', 'speech'], backend);
    const job = await claim(t.db, 'a', 'ocr');
    await storeCheckpoint(t.db, job, { segments: [said(0.1, 'EXIT')], position: 1 }, matchLines);
    await completeExtraction(t.db, job, complete);
    const speech = await t.claimSpeech();
    await readAgain(t.db, t.workspaceId, 'ocr');
    await storeCheckpoint(
      t.db,
      await claim(t.db, 'a', 'ocr'),
      { segments: [said(0.1, 'EXIT')], position: 1 },
      matchLines,
    );
    expect(await deleteMedia(t.db, t.workspaceId, t.media.id)).toBe(true);
    expect(await storeCheckpoint(t.db, speech, { segments: [said(0.1, 'one')], position: 1 }, matchLines)).toBe(false);
    for (const table of ['text_segments', 'text_drafts', 'chunk_segments', 'text_extractions', 'jobs'] as const) {
      expect(await t.db.selectFrom(table).selectAll().execute(), table).toEqual([]);
    }
    expect(await claimJob(t.db, 'a')).toBeUndefined();
  });
});
