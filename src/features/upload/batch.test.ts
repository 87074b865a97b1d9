import { expect, test } from 'vitest';
import { chooseShown, describeEnd, fractionDone, measureWork, summarise } from './batch.ts';
import { newUpload } from './upload-queue.ts';
import { noLabels, type Upload } from './upload.ts';

let key = 0;

/** An upload of a file of 1 MB. */
const upload = (changes: Partial<Upload>): Upload => ({
  key: ++key,
  file: new File([new Uint8Array(1_000_000)], `${key}.mp4`),
  batch: 1,
  labels: noLabels,
  ...newUpload,
  ...changes,
});

const uploads = [
  upload({ state: 'ready' }),
  upload({ state: 'ready', duplicate: true }),
  upload({ state: 'queued' }),
  upload({ state: 'cancelled' }),
  upload({ state: 'failed', failure: { message: 'No picture.', retry: 'never' } }),
  upload({ state: 'failed', failure: { message: 'Away.', retry: 'now' } }),
  upload({ state: 'indexing', progress: { stage: 'queued', fraction: 0 } }),
  upload({ state: 'indexing', progress: { stage: 'reading', fraction: 0.5 } }),
  upload({ state: 'sending', sent: 250_000 }),
];

test('the heading counts all but what was cancelled', () => {
  expect(summarise(uploads)).toEqual({
    total: 8,
    ready: 2,
    failed: 2,
    retryable: 1,
    open: 2,
    active: 4,
  });
});

test('work is what has to be sent and indexed; what failed or was there already needs no sending', () => {
  expect(measureWork(uploads)).toEqual({
    sent: 3_250_000,
    toSend: 5_000_000,
    indexed: 5_000_000,
    toIndex: 12_000_000,
    keptBefore: 0,
  });
  expect(fractionDone(uploads)).toBeCloseTo((0.65 + 5 / 12) / 2);
  expect(fractionDone([])).toBe(1);
});

test('what an earlier visit sent is done, but no work of this one', () => {
  const continued = [upload({ state: 'sending', sent: 600_000, kept: 600_000, keptBefore: 500_000 })];
  expect(measureWork(continued)).toMatchObject({ sent: 100_000, toSend: 500_000, keptBefore: 500_000 });
  expect(fractionDone(continued)).toBeCloseTo(0.3);
});

test('what happens now is listed first, then what failed, and what has ended last', () => {
  const { shown, more } = chooseShown(uploads, 8);
  expect(shown.map(({ state }) => state)).toEqual([
    'indexing',
    'sending',
    'failed',
    'failed',
    'indexing',
    'queued',
    'ready',
    'ready',
  ]);
  expect(shown[0]?.progress?.stage).toBe('reading');
  expect(more).toBe(1);
});

test('the end of a batch says what is ready, what was there already and what failed', () => {
  const [ready, known, queued, , failed] = uploads as [Upload, Upload, Upload, Upload, Upload];
  expect(describeEnd([ready, known])).toBe('2 items are ready');
  expect(describeEnd([known])).toBe('1 item is already in your library');
  expect(describeEnd([ready, failed, failed])).toBe('1 item is ready, 2 failed');
  expect(describeEnd([failed, queued])).toBeNull();
});
