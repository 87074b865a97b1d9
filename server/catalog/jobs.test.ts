import { randomUUIDv7 } from 'node:crypto';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createSecrets } from '../crypto/secrets.ts';
import type { IndexedMedia } from '../indexing/indexed-media.ts';
import type { EmbedderReference } from '../models/embedder.ts';
import { builtinReference } from '../models/load-embedder.ts';
import { rankChunkTexts } from './chunk-texts.ts';
import { setTargetEmbedder, switchEmbedderWhenReady } from './embedders.ts';
import {
  type ClaimedJob,
  claimJob,
  completeJob,
  failJob,
  releaseJob,
  releaseJobsOf,
  reportProgress,
  splitFilenameIntoWords,
} from './jobs.ts';
import { maxAttempts } from './leases.ts';
import { addMedia, deleteMedia, findMedia, type MediaRow, type NewMedia, retryMedia } from './media-items.ts';
import { openCatalog } from './open-catalog.ts';
import { listPendingRemovals } from './pending-removals.ts';
import {
  claimReembedJob,
  completeReembedJob,
  type ReembedJob,
  abandonReembedJob,
  releaseReembedJob,
  renewReembedLease,
} from './reembed-jobs.ts';
import type { Catalog } from './schema.ts';
import { readUsage } from './usage.ts';
import { createWorkspace } from './workspaces.ts';

const nothingElse = () => Promise.resolve();

async function setUp() {
  const db = await openCatalog(':memory:');
  const names = { workspace: 'Test', owner: 'Tester' };
  const workspace = await createWorkspace(db, createSecrets(new Uint8Array(32)), names);
  let count = 0;
  const add = async (filename = 'RedCar_02.mp4') => {
    count += 1;
    const media: NewMedia = {
      workspace_id: workspace.id,
      id: randomUUIDv7(),
      filename,
      type: 'video',
      mime_type: 'video/mp4',
      size: 1000,
      sha256: String(count).padStart(64, '0'),
      creator_id: null,
      category_id: null,
    };
    const added = await addMedia(db, media, nothingElse);
    if (added.kind !== 'added') throw new Error('The item was not added.');
    return added.row;
  };
  return { db, workspaceId: workspace.id, add, [Symbol.asyncDispose]: () => db.destroy() };
}

const indexed = (texts: (string | null)[]): IndexedMedia => ({
  type: 'video',
  mimeType: 'video/mp4',
  duration: texts.length,
  width: 320,
  height: 180,
  poster: 'poster.webp',
  placeholder: '3OcRJYB4d3h/iIeHeEh3eIhw+j2w',
  rendition: null,
  tags: 'Holiday film',
  warning: null,
  chunks: texts.map((text, i) => ({
    start: i,
    end: i + 1,
    thumbnail: `chunk-${i}.webp`,
    text,
    blank: false,
    embeddings: [
      { embedderId: 'test@1', vector: new Float32Array([1, 0, 0, 0]), views: [new Float32Array([0, 1, 0, 0])] },
    ],
  })),
});

const reload = async (db: Catalog, media: MediaRow) => {
  const row = await findMedia(db, media.workspace_id, media.id);
  if (!row) throw new Error('The item is gone.');
  return row;
};

/** Claims a job that is there. */
async function claim(db: Catalog, worker: string): Promise<ClaimedJob> {
  const job = await claimJob(db, worker);
  if (!job) throw new Error('There is no free job.');
  return job;
}

/** Sets the clock of this process on, or back. */
function advanceClock(seconds: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 });
}

afterEach(() => void vi.useRealTimers());

test('a job is taken by one worker only, the oldest first', async () => {
  await using t = await setUp();
  const first = await t.add();
  const second = await t.add();
  const taken = await Promise.all(['a', 'b', 'c'].map((worker) => claimJob(t.db, worker)));
  expect(taken.map((job) => job?.id)).toEqual([first.id, second.id, undefined]);
  expect((await reload(t.db, first)).status).toBe('indexing');
});

test('a completed item is found by its texts at once and leaves no job', async () => {
  await using t = await setUp();
  const media = await t.add();
  const job = await claim(t.db, 'a');
  expect(job.attempts).toBe(1);
  expect(await completeJob(t.db, job, indexed(['Hello there', null]))).toBe('complete');
  expect(await reload(t.db, media)).toMatchObject({
    status: 'complete',
    stage: null,
    chunk_count: 2,
    duration: 2,
    renditions_token: job.token,
  });
  const found = async (match: string) => (await rankChunkTexts(t.db, match, 10)).relevances.size;
  expect(await found('"hello"')).toBe(1);
  expect(await found('"cars"')).toBe(2);
  expect(await found('"holidays"')).toBe(2);
  expect(await found('"absent"')).toBe(0);
  expect(await claimJob(t.db, 'b')).toBeUndefined();
});

test('deleting an item takes its chunks, vectors, texts and job along, and notes that its files are to be removed', async () => {
  await using t = await setUp();
  const media = await t.add();
  await completeJob(t.db, await claim(t.db, 'a'), indexed(['one', 'two']));
  const waiting = await t.add();
  for (const { id } of [media, waiting]) expect(await deleteMedia(t.db, t.workspaceId, id)).toBe(true);
  expect(await deleteMedia(t.db, t.workspaceId, media.id)).toBe(false);
  for (const table of ['media_items', 'jobs', 'chunks', 'chunk_vectors', 'chunk_views', 'chunk_texts'] as const) {
    expect(await t.db.selectFrom(table).selectAll().execute(), table).toEqual([]);
  }
  expect(await readUsage(t.db, t.workspaceId)).toMatchObject({ storage_bytes: 0, media_items: 0, chunks: 0 });
  const removals = await listPendingRemovals(t.db);
  expect(removals.map((removal) => removal.media_id).toSorted()).toEqual([media.id, waiting.id].toSorted());
});

/** Expects that nothing this attempt writes takes effect. */
async function expectFenced(db: Catalog, stale: ClaimedJob): Promise<void> {
  const before = await db.selectFrom('media_items').selectAll().execute();
  const jobs = await db.selectFrom('jobs').selectAll().execute();
  const chunks = await db.selectFrom('chunks').selectAll().execute();
  expect(await reportProgress(db, stale, 'rendering', 0.9)).toBe(false);
  expect(await completeJob(db, stale, indexed(['stale']))).toBe('lost');
  expect(await failJob(db, stale, { code: 'unreadable_media', message: 'The file is damaged.' })).toBe(false);
  for (const reason of ['broke off', 'stopped', 'machine failed'] as const) {
    expect(await releaseJob(db, stale, reason), reason).toBe(false);
  }
  expect(await db.selectFrom('media_items').selectAll().execute()).toEqual(before);
  expect(await db.selectFrom('jobs').selectAll().execute()).toEqual(jobs);
  expect(await db.selectFrom('chunks').selectAll().execute()).toEqual(chunks);
}

test('a worker whose item was deleted stores nothing', async () => {
  await using t = await setUp();
  const media = await t.add();
  const job = await claim(t.db, 'a');
  await deleteMedia(t.db, t.workspaceId, media.id);
  await expectFenced(t.db, job);
});

test('a lease that is not renewed for 30 seconds expires; from then on the first worker stores nothing', async () => {
  await using t = await setUp();
  const media = await t.add();
  const first = await claim(t.db, 'a');
  advanceClock(29);
  expect(await claimJob(t.db, 'b')).toBeUndefined();
  expect(await reportProgress(t.db, first, 'analysing', 0.5)).toBe(true);
  advanceClock(29);
  expect(await claimJob(t.db, 'b')).toBeUndefined();
  advanceClock(2);
  const second = await claim(t.db, 'b');
  expect(second).toMatchObject({ id: media.id, attempts: 2, status: 'indexing' });
  expect(second.token).toBeGreaterThan(first.token);
  await expectFenced(t.db, first);

  // The second goes on as if the first were not there; nothing of the item is doubled.
  expect(await reportProgress(t.db, second, 'rendering', 0.8)).toBe(true);
  expect(await completeJob(t.db, second, indexed(['one', 'two', 'three']))).toBe('complete');
  await expectFenced(t.db, first);
  await expectFenced(t.db, second);
  expect(await reload(t.db, media)).toMatchObject({ chunk_count: 3, renditions_token: second.token });
  for (const table of ['chunks', 'chunk_vectors', 'chunk_views', 'chunk_texts'] as const) {
    expect(await t.db.selectFrom(table).selectAll().execute(), table).toHaveLength(3);
  }
});

test('a token counts also when the same worker holds the job again, or the item has another job', async () => {
  await using t = await setUp();
  const media = await t.add();
  const first = await claim(t.db, 'a');
  advanceClock(31);
  const second = await claim(t.db, 'a');
  await expectFenced(t.db, first);
  await failJob(t.db, second, { code: 'unreadable_media', message: 'The file is damaged.' });
  await retryMedia(t.db, t.workspaceId, media.id);
  const third = await claim(t.db, 'a');
  for (const stale of [first, second]) await expectFenced(t.db, stale);
  expect(await completeJob(t.db, third, indexed(['x']))).toBe('complete');
});

test('a worker whose job was put back stores nothing, though nobody else has it yet', async () => {
  await using t = await setUp();
  await t.add();
  const job = await claim(t.db, 'a');
  await releaseJobsOf(t.db, 'a', 'broke off');
  await expectFenced(t.db, job);
});

test('a clock that is set back by a day keeps no job from being taken', async () => {
  await using t = await setUp();
  const media = await t.add();
  const rested = await t.add();
  const first = await claim(t.db, 'a');
  await releaseJob(t.db, await claim(t.db, 'a'), 'machine failed');
  advanceClock(-86_400);
  const second = await claim(t.db, 'b');
  expect(second.id).toBe(media.id);
  expect((await claim(t.db, 'b')).id).toBe(rested.id);
  await expectFenced(t.db, first);
  expect(await completeJob(t.db, second, indexed(['x']))).toBe('complete');
});

test('progress never goes backwards, not even in a second attempt', async () => {
  await using t = await setUp();
  const media = await t.add();
  const job = await claim(t.db, 'a');
  await reportProgress(t.db, job, 'analysing', 0.6);
  await reportProgress(t.db, job, 'reading', 0.4);
  expect((await reload(t.db, media)).fraction).toBe(0.6);
  await releaseJobsOf(t.db, 'a', 'broke off');
  expect(await reload(t.db, media)).toMatchObject({ status: 'pending', fraction: 0.6 });
});

test('three attempts that break off are all; whatever else ends one does not count', async () => {
  await using t = await setUp();
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
  advanceClock(61);
  // This worker falls silent.
  await attempt(2);
  advanceClock(31);
  await attempt(3);
  await releaseJobsOf(t.db, null, 'stopped');
  await attempt(3);
  await releaseJobsOf(t.db, 'a', 'broke off');
  expect(await reload(t.db, media)).toMatchObject({ status: 'error', error_code: 'indexing_failed', stage: null });
  expect(await claimJob(t.db, 'a')).toBeUndefined();
});

test('a worker that falls silent in the third attempt was the last', async () => {
  await using t = await setUp();
  const media = await t.add();
  const next = await t.add();
  for (const count of [1, 2, 3]) {
    expect(await claim(t.db, 'a')).toMatchObject({ id: media.id, attempts: count });
    advanceClock(31);
  }
  expect((await claim(t.db, 'a')).id).toBe(next.id);
  expect(await reload(t.db, media)).toMatchObject({ status: 'error', error_code: 'indexing_failed' });
});

test('at the start of the service every held job comes back', async () => {
  await using t = await setUp();
  const media = await t.add();
  await claim(t.db, 'gone');
  expect(await claimJob(t.db, 'new')).toBeUndefined();
  await releaseJobsOf(t.db, null, 'broke off');
  expect((await claimJob(t.db, 'new'))?.id).toBe(media.id);
});

test('a file that cannot be read keeps its reason', async () => {
  await using t = await setUp();
  const media = await t.add();
  await failJob(t.db, await claim(t.db, 'a'), { code: 'unreadable_media', message: 'The file is damaged.' });
  expect(await reload(t.db, media)).toMatchObject({ status: 'error', error_message: 'The file is damaged.' });
});

describe('embedding again', () => {
  const other: EmbedderReference = { ...builtinReference, id: 'other@1' };
  const embeddings = [{ vector: new Float32Array([0, 1, 0, 0]), views: [] }];
  const waiting = (db: Catalog) => db.selectFrom('embedding_jobs').select('media_id').execute();

  async function claimEmbedding(db: Catalog, worker: string): Promise<ReembedJob> {
    const job = await claimReembedJob(db, worker);
    if (!job) throw new Error('There is no free job.');
    return job;
  }

  async function setUpEmbedded() {
    const t = await setUp();
    await setTargetEmbedder(t.db, { ...builtinReference, id: 'test@1' });
    const media = await t.add();
    await completeJob(t.db, await claim(t.db, 'a'), indexed(['one']));
    return { ...t, media };
  }

  test('is fenced like indexing', async () => {
    await using t = await setUpEmbedded();
    await setTargetEmbedder(t.db, other);
    const first = await claimEmbedding(t.db, 'a');
    advanceClock(31);
    const second = await claimEmbedding(t.db, 'a');
    expect(await renewReembedLease(t.db, first)).toBe(false);
    expect(await completeReembedJob(t.db, first, 'other@1', embeddings)).toBe(false);
    expect(await abandonReembedJob(t.db, first)).toBe(false);
    expect(await releaseReembedJob(t.db, first, 'broke off')).toBe(false);
    expect(await waiting(t.db)).toHaveLength(1);
    expect(await renewReembedLease(t.db, second)).toBe(true);

    // Another target makes the job again; who works for the one before stores nothing for it.
    await setTargetEmbedder(t.db, { ...other, id: 'third@1' });
    expect(await completeReembedJob(t.db, second, 'other@1', embeddings)).toBe(false);
    const third = await claimEmbedding(t.db, 'b');
    expect(await completeReembedJob(t.db, third, 'third@1', embeddings)).toBe(true);
    expect(await waiting(t.db)).toEqual([]);
  });

  test('is given up after three attempts', async () => {
    await using t = await setUpEmbedded();
    await setTargetEmbedder(t.db, other);
    for (const reason of ['broke off', 'stopped', 'broke off', 'broke off'] as const) {
      expect(await waiting(t.db)).toHaveLength(1);
      await releaseReembedJob(t.db, await claimEmbedding(t.db, 'a'), reason);
    }
    expect(await waiting(t.db)).toEqual([]);
  });

  test('is wanted of an item that was in the hands of a worker when the target changed', async () => {
    await using t = await setUpEmbedded();
    const media = await t.add();
    const job = await claim(t.db, 'a');
    await setTargetEmbedder(t.db, other);
    await completeJob(t.db, job, indexed(['two']));
    expect((await waiting(t.db)).map((row) => row.media_id)).toEqual([t.media.id, media.id]);
    for (const _ of [1, 2]) await completeReembedJob(t.db, await claimEmbedding(t.db, 'a'), 'other@1', embeddings);
    expect(await switchEmbedderWhenReady(t.db, t.workspaceId)).toBe(true);
    expect(await t.db.selectFrom('chunk_vectors').select('embedder_id').execute()).toEqual([
      { embedder_id: 'other@1' },
      { embedder_id: 'other@1' },
    ]);
  });
});

test('the same bytes are stored once, also when they come twice at the same time', async () => {
  await using t = await setUp();
  const media = await t.add();
  const again: NewMedia = { ...media, id: randomUUIDv7() };
  const twice = await Promise.all([
    addMedia(t.db, again, nothingElse),
    addMedia(t.db, { ...again, id: randomUUIDv7() }, nothingElse),
  ]);
  for (const added of twice) expect(added).toMatchObject({ kind: 'duplicate', row: { id: media.id } });
});

test.each([
  ['RedCar_02.mp4', 'Red Car 02'],
  ['IMG2034.HEIC', 'IMG 2034'],
  ['summer-holiday (3).tar.gz', 'summer holiday 3 tar'],
  ['ÉtéÀParis.mov', 'Été ÀParis'],
  ['noextension', 'noextension'],
])('the words of %s are "%s"', (filename, words) => expect(splitFilenameIntoWords(filename)).toBe(words));
