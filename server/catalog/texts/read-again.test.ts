import type { ExtractionEnd } from '@media-search/media/extracted-text';
import { matchLines } from '@media-search/models/ocr/match-lines';
import { expect, test } from 'vitest';
import { complete, openItemToRead, said } from '../../testing/item-to-read.ts';
import { claim } from '../../testing/test-catalog.ts';
import { readLastChange } from '../media/item-changes.ts';
import { retryMedia } from '../media/media-items.ts';
import {
  abandonExtraction,
  completeExtraction,
  enqueueMissingExtractions,
  readAgain,
  storeCheckpoint,
} from '../queue/extraction-jobs.ts';
import { maxAttempts } from '../queue/job-kinds.ts';
import { releaseAllJobs, releaseJob } from '../queue/job-queue.ts';

/** An item whose speech was read to the end once, and is read again up to its second line. */
async function setUpAgain() {
  const t = await openItemToRead(['ocr', 'speech']);
  // On the screen in the second and third chunk, also where it went between the last two looks.
  const exit = { ...said(1.5, 'EXIT'), end: 2.8 };
  await completeExtraction(t.db, await claim(t.db, 'a', 'ocr'), { ...complete, segments: [exit] });
  const first = await t.claimSpeech();
  await storeCheckpoint(t.db, first, { segments: [said(0.1, 'uno'), said(1.1, 'dos')], position: 3 }, matchLines);
  await completeExtraction(t.db, first, { ...complete, language: 'es' });
  const found = { texts: await t.texts(), chunkTexts: await t.chunkTexts() };
  const before = await readLastChange(t.db, t.workspaceId);
  await readAgain(t.db, t.workspaceId, 'speech');
  const again = { segments: [said(0.1, 'one')], position: 1, model: 'larger' };
  await storeCheckpoint(t.db, await t.claimSpeech(), again, matchLines);
  await releaseAllJobs(t.db, 'stopped');
  return {
    ...t,
    /** Whether readers and searches have what was read at first, and only that. */
    async expectAsBefore() {
      expect({ texts: await t.texts(), chunkTexts: await t.chunkTexts() }).toEqual(found);
      expect(await readLastChange(t.db, t.workspaceId)).toBe(before);
    },
  };
}

test('both sources are read again side by side, each with its own drafts and model', async () => {
  await using t = await setUpAgain();
  const speech = await t.claimSpeech();
  await readAgain(t.db, t.workspaceId, 'ocr');
  const ocr = await claim(t.db, 'a', 'ocr');
  await storeCheckpoint(t.db, ocr, { segments: [said(1.5, 'WAY OUT')], position: 2, model: 'other' }, matchLines);
  await t.expectAsBefore();
  expect(await t.stateOf()).toMatchObject({ model: 'test' });
  await completeExtraction(t.db, speech, { ...complete, state: 'none', model: null });
  expect((await t.texts()).map(([, , text]) => text)).toEqual(['Hello', 'one', 'EXIT']);
  expect(await t.stateOf()).toMatchObject({ state: 'complete', model: 'larger' });
  await abandonExtraction(t.db, ocr, 'It is damaged.');
  expect((await t.texts()).map(([, , text]) => text)).toEqual(['Hello', 'one', 'EXIT']);
  expect(await t.stateOf('ocr')).toMatchObject({ state: 'failed', model: 'test' });
});

test('what was read stays until it is read again to the end, and is replaced then', async () => {
  await using t = await setUpAgain();
  await t.expectAsBefore();
  expect(await t.stateOf()).toMatchObject({ state: 'pending', position: 1 });
  const job = await t.claimSpeech();
  await storeCheckpoint(t.db, job, { segments: [said(2.1, 'two')], position: 3 }, matchLines);
  await t.expectAsBefore();
  const none: ExtractionEnd = { ...complete, state: 'none', message: 'Nobody speaks any more.' };
  await completeExtraction(t.db, job, { ...none, segments: [said(2.5, 'three')] });
  expect(await t.stateOf()).toMatchObject({ state: 'complete', language: 'en', message: null });
  expect(await t.chunkTexts()).toEqual(['Hello\none', 'EXIT', 'EXIT\ntwo\nthree']);
  expect((await t.texts()).map(([, , text]) => text)).toEqual(['Hello', 'one', 'EXIT', 'two', 'three']);
  // Where nothing is found now, nothing stays, nor what was read when it began again.
  await readAgain(t.db, t.workspaceId, 'speech');
  await storeCheckpoint(t.db, await t.claimSpeech(), { segments: [said(0.1, 'eins')], position: 1 }, matchLines);
  await readAgain(t.db, t.workspaceId, 'speech');
  await completeExtraction(t.db, await t.claimSpeech(), none);
  expect(await t.stateOf()).toMatchObject({ state: 'none' });
  expect(await t.chunkTexts()).toEqual(['Hello', 'EXIT', 'EXIT']);
});

test('what was read stays where reading it again fails, breaks off, begins again or is turned off', async () => {
  await using t = await setUpAgain();
  await abandonExtraction(t.db, await t.claimSpeech(), 'It is damaged.');
  await t.expectAsBefore();
  expect(await t.db.selectFrom('text_drafts').selectAll().execute()).toEqual([]);
  expect(await t.stateOf()).toMatchObject({ state: 'failed', message: 'It is damaged.' });
  await retryMedia(t.db, t.workspaceId, t.media.id, ['speech']);
  for (let attempt = 1; attempt <= maxAttempts; attempt++) await releaseJob(t.db, await t.claimSpeech(), 'broke off');
  await t.expectAsBefore();
  for (let times = 0; times < 2; times++) await readAgain(t.db, t.workspaceId, 'speech');
  const missing: ExtractionEnd = { ...complete, state: 'failed', model: null, message: 'The models are missing.' };
  await completeExtraction(t.db, await t.claimSpeech(), missing);
  await enqueueMissingExtractions(t.db, []);
  await enqueueMissingExtractions(t.db, ['speech']);
  await t.expectAsBefore();
  const job = await t.claimSpeech();
  await storeCheckpoint(t.db, job, { segments: [said(0.1, 'one')], position: 3 }, matchLines);
  await t.expectAsBefore();
  await completeExtraction(t.db, job, complete);
  expect(await t.chunkTexts()).toEqual(['Hello\none', 'EXIT', 'EXIT']);
  expect(await t.db.selectFrom('text_drafts').selectAll().execute()).toEqual([]);
});
