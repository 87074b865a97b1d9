import { mkdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { probeVideo } from '@media-search/media/probe-video';
import { readSubtitles } from '@media-search/media/read-subtitles';
import { readVideo } from '@media-search/media/read-video';
import type { SubtitleLine } from '@media-search/media/subtitles';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { makeVideo, plain } from '../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { findChunksWithTexts } from '../catalog/media/chunks.ts';
import { recordOriginalCheck } from '../catalog/media/original-checks.ts';
import { openCatalog } from '../catalog/open-catalog.ts';
import { releaseAllJobs } from '../catalog/queue/job-queue.ts';
import { listCaptionTracks } from '../catalog/texts/caption-tracks.ts';
import { joinTexts, listSegments } from '../catalog/texts/text-segments.ts';
import { makeEarlierCatalog, openAndKill } from '../testing/earlier-catalog.ts';
import { createJobContext, runJob } from '../testing/run-job.ts';
import { claim } from '../testing/test-catalog.ts';
import { readLinesAgain } from './read-lines-again.ts';

const { signal } = new AbortController();

const subtitleTracks = [
  {
    language: 'eng',
    lines: [
      { start: 0.2, end: 0.6, text: 'Good morning' },
      { start: 1, end: 1.8, text: 'The harbour is closed' },
    ],
  },
  { language: 'ger', lines: [{ start: 0.3, end: 1.2, text: 'Guten Morgen' }] },
];

const film = (file: string, subtitleFormat: 'srt' | 'mov_text') =>
  makeVideo(file, { scenes: [{ paint: plain(200, 40, 40), seconds: 2 }], audio: true, subtitleTracks, subtitleFormat });

test.each([
  ['film.mkv', 'srt'],
  // What else it holds is not read.
  ['film.mp4', 'mov_text'],
] as const)('the lines of %s are those that indexing reads', async (name, format) => {
  await using folder = await temporaryFolder();
  await film(folder.file(name), format);
  const indexed: SubtitleLine[] = [];
  await using probed = await probeVideo(folder.file(name), signal);
  for await (const event of readVideo(probed, { signal }, { maxSeconds: 10, maxFrames: 100 })) {
    if (event.kind === 'subtitle') indexed.push(event.line);
  }
  const { subtitles } = await readSubtitles(folder.file(name), { signal });
  expect(subtitles).toEqual(indexed);
  expect(subtitles).toHaveLength(3);
});

/** What the version before text segments stored of the film: the lines of both tracks, by chunk. */
const oldTexts = ['Good morning\nGuten Morgen', 'The harbour is closed\nGuten Morgen'];

/** A catalog of that version with films whose originals are there, missing, and known to be damaged; one without texts; and a photograph. */
async function makeOldCatalog(file: string): Promise<void> {
  const old = await makeEarlierCatalog(file, '0023');
  await sql`insert into workspaces (id, name, plan_id, created_at) values ('w', 'Old', 'self-hosted', '2026')`.execute(
    old,
  );
  for (const [id, texts] of [
    ['there', oldTexts],
    ['missing', oldTexts],
    ['damaged', oldTexts],
    ['silent', [null, '']],
  ] as const) {
    await sql`insert into media_items
      (workspace_id, id, filename, type, status, duration, details, size, mime_type, sha256, created_at, updated_at)
      values ('w', ${id}, 'a.mkv', 'video', 'complete', 2, '{}', 7, 'video/matroska', ${id}, '2026', '2026')`.execute(
      old,
    );
    for (const [i, text] of texts.entries()) {
      await sql`insert into chunks (workspace_id, id, media_id, position, start_time, end_time, thumbnail_file, text)
        values ('w', ${id + i}, ${id}, ${i}, ${i}, ${i + 1}, 'chunk.webp', ${text})`.execute(old);
    }
  }
  await old.destroy();
}

/** The service on a data directory of that version, as far as a worker needs it. */
async function setUp() {
  const folder = await temporaryFolder();
  const file = folder.file('catalog.db');
  await makeOldCatalog(file);
  const item = path.join(folder.path, 'assets', 'w', 'there');
  await mkdir(item, { recursive: true });
  await film(folder.file('film.mkv'), 'srt');
  await rename(folder.file('film.mkv'), path.join(item, 'original'));
  const db = await openCatalog(file);
  const context = createJobContext(db, folder.path);
  return {
    db,
    /** One attempt at the next item, settled as a worker does. @returns the item, and why the attempt ended early */
    async attempt(): Promise<[string, unknown]> {
      const job = await claim(db, 'a', 'subtitles');
      return [job.id, await runJob(context, job, (attempt) => readLinesAgain(context, job, attempt))];
    },
    tracksOf: (id: string) => listCaptionTracks(db, 'w', id),
    async chunkTextsOf(id: string) {
      const chunks = await db.selectFrom('chunks').select('number').where('media_id', '=', id).execute();
      const numbers = chunks.map(({ number }) => number);
      const found = await findChunksWithTexts(db, 'w', numbers, {});
      return numbers.map((number) =>
        joinTexts(found.find(({ chunk }) => chunk.number === number)?.texts.segments ?? []),
      );
    },
    async [Symbol.asyncDispose]() {
      await db.destroy();
      await folder[Symbol.asyncDispose]();
    },
  };
}

test('subtitles that an earlier version stored are read again, each track for itself; what cannot be read stays', async () => {
  await using t = await setUp();
  const mixed = [{ source: 'subtitle', track: null, language: null, lines: 4 }];
  expect(await t.tracksOf('there')).toEqual(mixed);
  const jobs = await t.db.selectFrom('jobs').select('media_id').orderBy('media_id').execute();
  expect(jobs.map(({ media_id }) => media_id)).toEqual(['damaged', 'missing', 'there']);
  await recordOriginalCheck(t.db, { workspace_id: 'w', id: 'damaged' }, 'original_damaged');
  expect(await t.attempt()).toEqual(['damaged', null]);
  expect(await t.attempt()).toMatchObject(['missing', { code: 'unreadable_media' }]);
  // A worker that is killed in the middle.
  await claim(t.db, 'a', 'subtitles');
  await releaseAllJobs(t.db, 'broke off');
  expect(await t.attempt()).toEqual(['there', null]);
  expect(await t.tracksOf('there')).toEqual([
    { source: 'subtitle', track: 2, language: 'en', lines: 2 },
    { source: 'subtitle', track: 3, language: 'de', lines: 1 },
  ]);
  const { rows } = await listSegments(t.db, 'w', 'there', { page: 1, per_page: 10 });
  expect(rows.map(({ start_time, end_time, text }) => [start_time, Math.round(end_time * 10) / 10, text])).toEqual([
    [0.2, 0.6, 'Good morning'],
    [0.3, 1.2, 'Guten Morgen'],
    [1, 1.8, 'The harbour is closed'],
  ]);
  expect(await t.chunkTextsOf('there')).toEqual(['Good morning\nGuten Morgen', 'Guten Morgen\nThe harbour is closed']);
  for (const id of ['missing', 'damaged']) {
    expect(await t.tracksOf(id)).toEqual(mixed);
    expect(await t.chunkTextsOf(id)).toEqual(oldTexts);
  }
  expect(await t.db.selectFrom('jobs').select('media_id').execute()).toEqual([]);
});

test.each(['insert into jobs', '0025-read-again'])(
  'a start that is killed before "%s" leaves the old lines to the next',
  async (statement) => {
    await using folder = await temporaryFolder();
    const file = folder.file('catalog.db');
    await makeOldCatalog(file);
    await openAndKill(file, statement);
    const db = await openCatalog(file);
    expect(await db.selectFrom('jobs').select('kind').execute()).toHaveLength(3);
    await db.destroy();
  },
);
