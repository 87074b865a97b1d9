import { randomUUIDv7 } from 'node:crypto';
import { expect, test } from 'vitest';
import type { IndexedMedia } from '../indexing/indexed-media.ts';
import { createSecrets } from '../secrets.ts';
import { rankChunkTexts } from './chunk-texts.ts';
import { claimJob, completeJob, failJob, maxAttempts, releaseJobs, reportProgress, searchableName } from './jobs.ts';
import { addMedia, deleteMedia, findMedia, type MediaRow, type NewMedia } from './media-items.ts';
import { openCatalog } from './open-catalog.ts';
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
  const job = await claimJob(t.db, 'a');
  expect(job?.attempts).toBe(1);
  expect(await completeJob(t.db, 'a', media, indexed(['Hello there', null]))).toBe(true);
  expect(await reload(t.db, media)).toMatchObject({ status: 'complete', stage: null, chunk_count: 2, duration: 2 });
  const found = async (match: string) => (await rankChunkTexts(t.db, match, 10)).relevances.size;
  expect(await found('"hello"')).toBe(1);
  expect(await found('"cars"')).toBe(2);
  expect(await found('"holidays"')).toBe(2);
  expect(await found('"absent"')).toBe(0);
  expect(await claimJob(t.db, 'b')).toBeUndefined();
});

test('a completed item keeps what is wrong with its file', async () => {
  await using t = await setUp();
  const media = await t.add();
  await claimJob(t.db, 'a');
  const warning = { code: 'truncated_media' as const, message: 'This file is cut off.' };
  await completeJob(t.db, 'a', media, { ...indexed(['one']), warning });
  expect(await reload(t.db, media)).toMatchObject({ warning_code: warning.code, warning_message: warning.message });
});

test('deleting an item takes its chunks, vectors, texts and job along', async () => {
  await using t = await setUp();
  const media = await t.add();
  await claimJob(t.db, 'a');
  await completeJob(t.db, 'a', media, indexed(['one', 'two']));
  const waiting = await t.add();
  for (const { id } of [media, waiting]) expect(await deleteMedia(t.db, t.workspaceId, id)).toBe(true);
  expect(await deleteMedia(t.db, t.workspaceId, media.id)).toBe(false);
  for (const table of ['media_items', 'jobs', 'chunks', 'chunk_vectors', 'chunk_views', 'chunk_texts'] as const) {
    expect(await t.db.selectFrom(table).selectAll().execute(), table).toEqual([]);
  }
  expect(await readUsage(t.db, t.workspaceId)).toMatchObject({ storage_bytes: 0, media_items: 0, chunks: 0 });
});

test('a worker whose item was deleted, or taken over, stores nothing', async () => {
  await using t = await setUp();
  const media = await t.add();
  await claimJob(t.db, 'a');
  expect(await reportProgress(t.db, 'b', media, 'reading', 0.5)).toBe(false);
  expect(await completeJob(t.db, 'b', media, indexed(['x']))).toBe(false);
  await deleteMedia(t.db, t.workspaceId, media.id);
  expect(await reportProgress(t.db, 'a', media, 'reading', 0.5)).toBe(false);
  expect(await completeJob(t.db, 'a', media, indexed(['x']))).toBe(false);
  expect(await t.db.selectFrom('chunks').selectAll().execute()).toEqual([]);
});

test('progress never goes backwards, not even in a second attempt', async () => {
  await using t = await setUp();
  const media = await t.add();
  await claimJob(t.db, 'a');
  await reportProgress(t.db, 'a', media, 'analysing', 0.6);
  await reportProgress(t.db, 'a', media, 'reading', 0.4);
  expect((await reload(t.db, media)).fraction).toBe(0.6);
  await releaseJobs(t.db, 'a', true);
  expect(await reload(t.db, media)).toMatchObject({ status: 'pending', fraction: 0.6 });
});

test('a stopped worker gives its job back without a count; a crash counts, and the third ends in error', async () => {
  await using t = await setUp();
  const media = await t.add();
  await claimJob(t.db, 'a');
  await releaseJobs(t.db, 'a', false);
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    expect((await reload(t.db, media)).status).toBe('pending');
    expect((await claimJob(t.db, 'a'))?.attempts).toBe(attempt);
    await releaseJobs(t.db, 'a', true);
  }
  expect(await reload(t.db, media)).toMatchObject({ status: 'error', error_code: 'indexing_failed', stage: null });
  expect(await claimJob(t.db, 'a')).toBeUndefined();
});

test('at the start of the service every held job comes back', async () => {
  await using t = await setUp();
  const media = await t.add();
  await claimJob(t.db, 'gone');
  expect(await claimJob(t.db, 'new')).toBeUndefined();
  await releaseJobs(t.db, null, true);
  expect((await claimJob(t.db, 'new'))?.id).toBe(media.id);
});

test('a file that cannot be read keeps its reason', async () => {
  await using t = await setUp();
  const media = await t.add();
  await claimJob(t.db, 'a');
  await failJob(t.db, media, { code: 'unreadable_media', message: 'The file is damaged.' });
  expect(await reload(t.db, media)).toMatchObject({ status: 'error', error_message: 'The file is damaged.' });
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
])('the words of %s are "%s"', (filename, words) => expect(searchableName(filename)).toBe(words));
