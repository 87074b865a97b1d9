import type { ExtractedSegment } from '@media-search/media/extracted-text';
import { matchLines } from '@media-search/models/ocr/match-lines';
import { describe, expect, test } from 'vitest';
import { backends } from '../../testing/fresh-catalog.ts';
import { claim, indexed, openTestCatalog } from '../../testing/test-catalog.ts';
import { readLastChange } from '../media/item-changes.ts';
import { storeCheckpoint } from '../queue/extraction-jobs.ts';
import { completeIndexing } from '../queue/indexing-jobs.ts';
import { releaseJob } from '../queue/job-queue.ts';
import { listSegments } from './text-segments.ts';

describe.each(backends)('over %s', (backend) => {
  /** A catalog with an item whose on-screen text waits to be read. */
  async function setUp() {
    const t = await openTestCatalog(backend);
    const media = await t.add();
    await completeIndexing(t.db, await claim(t.db, 'a'), indexed([null]), ['ocr']);
    const list = () => listSegments(t.db, t.workspaceId, media.id, { source: 'ocr', page: 1, per_page: 100 });
    return { ...t, list };
  }

  const shown = (start: number, end: number, text: string, y: number): ExtractedSegment => {
    return { start, end, text, language: null, box: { x: 0.1, y, width: 0.5, height: 0.05 }, confidence: 0.9 };
  };

  test('a line on the screen where a reading broke off stays one, and what merely looks or stands like it is another', async () => {
    await using t = await setUp();
    const lines = async () =>
      (await t.list()).rows.map(({ start_time, end_time, text, box, confidence }) => {
        return [start_time, end_time, text, (JSON.parse(box ?? '') as { y: number }).y, confidence];
      });
    const job = await claim(t.db, 'a', 'ocr');
    const first = [shown(1, 4, 'Station', 0.1), shown(2, 3.5, 'Platform 2', 0.8), shown(0, 4, 'Sta.ion road', 0.5)];
    await storeCheckpoint(t.db, job, { segments: first, position: 4 }, matchLines);
    await releaseJob(t.db, job, 'stopped');
    const next = await claim(t.db, 'b', 'ocr');
    const rest = [
      { ...shown(4, 9, 'Station road', 0.5), confidence: 0.95 },
      shown(4, 5, 'Platform 2', 0.8),
      shown(4, 6, 'Exit', 0.1),
      shown(4.5, 7, 'Station', 0.1),
    ];
    await storeCheckpoint(t.db, next, { segments: rest, position: 8 }, matchLines);
    const expected = [
      [0, 9, 'Station road', 0.5, 0.95],
      [1, 4, 'Station', 0.1, 0.9],
      [2, 3.5, 'Platform 2', 0.8, 0.9],
      [4, 5, 'Platform 2', 0.8, 0.9],
      [4, 6, 'Exit', 0.1, 0.9],
      [4.5, 7, 'Station', 0.1, 0.9],
    ];
    expect(await lines()).toEqual(expected);
    // What is shown all the time stays in pieces.
    await storeCheckpoint(t.db, next, { segments: [shown(8, 50, 'Logo', 0.1)], position: 50 }, matchLines);
    await storeCheckpoint(t.db, next, { segments: [shown(50, 90, 'Logo', 0.1)], position: 90 }, matchLines);
    expect(await lines()).toEqual([...expected, [8, 50, 'Logo', 0.1, 0.9], [50, 90, 'Logo', 0.1, 0.9]]);
  });

  test('a line that is shown beyond the seam is extended at its place only, and never shortened', async () => {
    await using t = await setUp();
    const job = await claim(t.db, 'a', 'ocr');
    const at = (x: number, segment: ExtractedSegment) => ({ ...segment, box: { x, y: 0.5, width: 0.1, height: 0.05 } });
    await storeCheckpoint(
      t.db,
      job,
      { segments: [at(0.1, shown(2, 9, 'SALE', 0)), shown(0, 9, 'Station', 0.1)], position: 5 },
      matchLines,
    );
    const known = await readLastChange(t.db, t.workspaceId);
    const rest = [at(0.7, shown(5, 12, 'SALE', 0)), shown(5, 7, 'Station', 0.1)];
    await storeCheckpoint(t.db, job, { segments: rest, position: 15 }, matchLines);
    expect((await t.list()).rows.map(({ start_time, end_time, text }) => [start_time, end_time, text])).toEqual([
      [0, 9, 'Station'],
      [2, 9, 'SALE'],
      [5, 12, 'SALE'],
    ]);
    // Nothing that is searched has changed, so no index has anything to do.
    expect(await readLastChange(t.db, t.workspaceId)).toBe(known);
  });

  test('a file that never stops showing text fills no more than its share, however often its reading breaks off', async () => {
    await using t = await setUp();
    const wall = Array.from({ length: 60_000 }, (_, i) => ({ ...shown(i / 20_000, 4, String(i), 0.5), box: null }));
    for (const position of [1, 2]) {
      const job = await claim(t.db, 'a', 'ocr');
      await storeCheckpoint(t.db, job, { segments: wall, position }, matchLines);
      await releaseJob(t.db, job, 'stopped');
    }
    expect((await t.list()).total).toBe(100_000);
  });
});
