import { randomUUIDv7 } from 'node:crypto';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { backends } from '../../testing/fresh-catalog.ts';
import { claim, elapse, indexed, openTestCatalog, reload } from '../../testing/test-catalog.ts';
import { findChunksWithTexts } from '../media/chunks.ts';
import { addMedia, deleteMedia, type NewMedia, retryMedia } from '../media/media-items.ts';
import { readMediaUsage } from '../media/media-totals.ts';
import { listPendingRemovals } from '../media/pending-removals.ts';
import type { Catalog } from '../schema.ts';
import { completeIndexing, failIndexing, reportProgress } from './indexing-jobs.ts';
import { maxAttempts } from './job-kinds.ts';
import { claimJob, type Job, releaseAllJobs, releaseJob, releaseJobsOf } from './job-queue.ts';

const nothingElse = () => Promise.resolve();

afterEach(() => void vi.useRealTimers());

describe.each(backends)('over %s', (backend) => {
  test('a job is claimed by one worker only', async () => {
    await using t = await openTestCatalog(backend);
    const first = await t.add();
    const second = await t.add();
    const taken = await Promise.all(['a', 'b', 'c'].map((worker) => claimJob(t.db, worker)));
    // Several connections answer in any order.
    expect(new Set(taken.map((job) => job?.id))).toEqual(new Set([first.id, second.id, undefined]));
    expect((await reload(t.db, first)).status).toBe('indexing');
  });

  test('a completed item has its texts at once, and its job is removed', async () => {
    await using t = await openTestCatalog(backend);
    const media = await t.add();
    const job = await claim(t.db, 'a');
    expect(job.attempts).toBe(1);
    expect(await completeIndexing(t.db, job, indexed(['Hello there', null]))).toBe('complete');
    expect(await reload(t.db, media)).toMatchObject({
      status: 'complete',
      stage: null,
      chunk_count: 2,
      duration: 2,
      renditions_token: job.token,
    });
    const chunks = await t.db.selectFrom('chunks').select('number').orderBy('number').execute();
    const numbers = chunks.map(({ number }) => number);
    const item = { filename: 'RedCar_02.mp4', tags: 'Holiday film' };
    const { found } = await findChunksWithTexts(t.db, t.workspaceId, numbers, {});
    expect(new Map(found.map(({ chunk, texts }) => [chunk.number, texts]))).toMatchObject(
      new Map([
        [numbers[0], { segments: [{ text: 'Hello there' }], ...item }],
        [numbers[1], { segments: [], ...item }],
      ]),
    );
    expect(await claimJob(t.db, 'b')).toBeUndefined();
  });

  test('deleting an item deletes its chunks, vectors, texts and job, and stores a pending removal of its files', async () => {
    await using t = await openTestCatalog(backend);
    const media = await t.add();
    await completeIndexing(t.db, await claim(t.db, 'a'), indexed(['one', 'two']));
    const waiting = await t.add();
    for (const { id } of [media, waiting]) expect(await deleteMedia(t.db, t.workspaceId, id)).toBe(true);
    expect(await deleteMedia(t.db, t.workspaceId, media.id)).toBe(false);
    for (const table of [
      'media_items',
      'jobs',
      'chunks',
      'chunk_vectors',
      'chunk_views',
      'text_segments',
      'chunk_segments',
    ] as const) {
      expect(await t.db.selectFrom(table).selectAll().execute(), table).toEqual([]);
    }
    expect(await readMediaUsage(t.db, t.workspaceId)).toMatchObject({ storage_bytes: 0, media_items: 0, chunks: 0 });
    const removals = await listPendingRemovals(t.db);
    expect(removals.map((removal) => removal.id).toSorted()).toEqual([media.id, waiting.id].toSorted());
  });

  /** Expects that nothing this attempt writes takes effect. */
  async function expectFenced(db: Catalog, stale: Job<'index'>): Promise<void> {
    const before = await db.selectFrom('media_items').selectAll().execute();
    const jobs = await db.selectFrom('jobs').selectAll().execute();
    const chunks = await db.selectFrom('chunks').selectAll().execute();
    expect(await reportProgress(db, stale, 'rendering', 0.9)).toBe(false);
    expect(await completeIndexing(db, stale, indexed(['stale']))).toBe(null);
    expect(await failIndexing(db, stale, { code: 'unreadable_media', message: 'The file is damaged.' })).toBe(false);
    for (const reason of ['broke off', 'stopped', 'machine failed'] as const) {
      expect(await releaseJob(db, stale, reason), reason).toBe(false);
    }
    expect(await db.selectFrom('media_items').selectAll().execute()).toEqual(before);
    expect(await db.selectFrom('jobs').selectAll().execute()).toEqual(jobs);
    expect(await db.selectFrom('chunks').selectAll().execute()).toEqual(chunks);
  }

  test('a worker whose item was deleted stores nothing', async () => {
    await using t = await openTestCatalog(backend);
    const media = await t.add();
    const job = await claim(t.db, 'a');
    await deleteMedia(t.db, t.workspaceId, media.id);
    await expectFenced(t.db, job);
  });

  test('a lease that is not renewed for 30 seconds expires; from then on the first worker stores nothing', async () => {
    await using t = await openTestCatalog(backend);
    const media = await t.add();
    const first = await claim(t.db, 'a');
    await elapse(t.db, 29);
    expect(await claimJob(t.db, 'b')).toBeUndefined();
    expect(await reportProgress(t.db, first, 'analysing', 0.5)).toBe(true);
    await elapse(t.db, 29);
    expect(await claimJob(t.db, 'b')).toBeUndefined();
    await elapse(t.db, 2);
    const second = await claim(t.db, 'b');
    expect(second).toMatchObject({ id: media.id, attempts: 2, status: 'indexing' });
    expect(second.token).toBeGreaterThan(first.token);
    await expectFenced(t.db, first);

    // The second worker continues as if the first did not exist; nothing of the item is stored twice.
    expect(await reportProgress(t.db, second, 'rendering', 0.8)).toBe(true);
    expect(await completeIndexing(t.db, second, indexed(['one', 'two', 'three']))).toBe('complete');
    await expectFenced(t.db, first);
    await expectFenced(t.db, second);
    expect(await reload(t.db, media)).toMatchObject({ chunk_count: 3, renditions_token: second.token });
    for (const table of ['chunks', 'chunk_vectors', 'chunk_views'] as const) {
      expect(await t.db.selectFrom(table).selectAll().execute(), table).toHaveLength(3);
    }
  });

  test('a token is also checked when the same worker holds the job again, or the item has another job', async () => {
    await using t = await openTestCatalog(backend);
    const media = await t.add();
    const first = await claim(t.db, 'a');
    await elapse(t.db, 31);
    const second = await claim(t.db, 'a');
    await expectFenced(t.db, first);
    await failIndexing(t.db, second, { code: 'unreadable_media', message: 'The file is damaged.' });
    await retryMedia(t.db, t.workspaceId, media.id, []);
    const third = await claim(t.db, 'a');
    for (const stale of [first, second]) await expectFenced(t.db, stale);
    expect(await completeIndexing(t.db, third, indexed(['x']))).toBe('complete');
  });

  test('a worker whose job was requeued stores nothing, even before another worker claims it', async () => {
    await using t = await openTestCatalog(backend);
    await t.add();
    const job = await claim(t.db, 'a');
    await releaseJobsOf(t.db, 'a', 'broke off');
    await expectFenced(t.db, job);
  });

  test('a clock that is set back by a day prevents no job from being claimed', async () => {
    await using t = await openTestCatalog(backend);
    const media = await t.add();
    const rested = await t.add();
    const first = await claim(t.db, 'a');
    await releaseJob(t.db, await claim(t.db, 'a'), 'machine failed');
    await elapse(t.db, -86_400);
    const second = await claim(t.db, 'b');
    expect(second.id).toBe(media.id);
    expect((await claim(t.db, 'b')).id).toBe(rested.id);
    await expectFenced(t.db, first);
    expect(await completeIndexing(t.db, second, indexed(['x']))).toBe('complete');
  });

  test('progress never decreases, not even in a second attempt', async () => {
    await using t = await openTestCatalog(backend);
    const media = await t.add();
    const job = await claim(t.db, 'a');
    await reportProgress(t.db, job, 'analysing', 0.6);
    await reportProgress(t.db, job, 'reading', 0.4);
    expect((await reload(t.db, media)).fraction).toBe(0.6);
    await releaseJobsOf(t.db, 'a', 'broke off');
    expect(await reload(t.db, media)).toMatchObject({ status: 'pending', fraction: 0.6 });
  });

  test('a job is given up after three interrupted attempts; other ends of an attempt do not count', async () => {
    await using t = await openTestCatalog(backend);
    const media = await t.add();
    expect(maxAttempts).toBe(3);
    const attempt = async (count: number) => {
      expect((await reload(t.db, media)).status).not.toBe('error');
      const job = await claim(t.db, 'a');
      expect(job.attempts).toBe(count);
      return job;
    };
    await releaseJob(t.db, await attempt(1), 'stopped');
    await releaseJob(t.db, await attempt(1), 'broke off');
    await releaseJob(t.db, await attempt(2), 'machine failed');
    expect(await claimJob(t.db, 'a')).toBeUndefined();
    await elapse(t.db, 61);
    // This worker stops renewing its lease.
    await attempt(2);
    await elapse(t.db, 31);
    await attempt(3);
    await releaseAllJobs(t.db, 'stopped');
    await attempt(3);
    await releaseJobsOf(t.db, 'a', 'broke off');
    expect(await reload(t.db, media)).toMatchObject({ status: 'error', error_code: 'indexing_failed', stage: null });
    expect(await claimJob(t.db, 'a')).toBeUndefined();
  });

  test('a job whose worker stops renewing in the third attempt is given up', async () => {
    await using t = await openTestCatalog(backend);
    const media = await t.add();
    const next = await t.add();
    for (const count of [1, 2, 3]) {
      expect(await claim(t.db, 'a')).toMatchObject({ id: media.id, attempts: count });
      await elapse(t.db, 31);
    }
    expect((await claim(t.db, 'a')).id).toBe(next.id);
    expect(await reload(t.db, media)).toMatchObject({ status: 'error', error_code: 'indexing_failed' });
  });

  test('at the start of the service every held job is released', async () => {
    await using t = await openTestCatalog(backend);
    const media = await t.add();
    await claim(t.db, 'gone');
    expect(await claimJob(t.db, 'new')).toBeUndefined();
    await releaseAllJobs(t.db, 'broke off');
    expect((await claimJob(t.db, 'new'))?.id).toBe(media.id);
  });

  test('a file that cannot be read keeps its reason', async () => {
    await using t = await openTestCatalog(backend);
    const media = await t.add();
    await failIndexing(t.db, await claim(t.db, 'a'), { code: 'unreadable_media', message: 'The file is damaged.' });
    expect(await reload(t.db, media)).toMatchObject({ status: 'error', error_message: 'The file is damaged.' });
  });

  test('the same bytes are stored once, also when they arrive twice at the same time', async () => {
    await using t = await openTestCatalog(backend);
    const media = await t.add();
    const again: NewMedia = { ...media, id: randomUUIDv7() };
    const twice = await Promise.all([
      addMedia(t.db, again, nothingElse),
      addMedia(t.db, { ...again, id: randomUUIDv7() }, nothingElse),
    ]);
    for (const added of twice) expect(added).toMatchObject({ kind: 'duplicate', row: { id: media.id } });
  });
});
