import { randomUUIDv7 } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { indexMedia } from '@media-search/indexing/index-media';
import { decodeImage } from '@media-search/media/decode-image';
import { probeVideo } from '@media-search/media/probe-video';
import { UnreadableMediaError } from '@media-search/media/unreadable-media-error';
import SQLite from 'better-sqlite3';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { checkers, makeVideo } from '../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { createFileAssetStore } from '../assets/file-asset-store.ts';
import { createWorkspace } from '../catalog/accounts/workspaces.ts';
import { addMedia, deleteMedia, findStoredMedia } from '../catalog/media/media-items.ts';
import { openCatalog } from '../catalog/open-catalog.ts';
import { claimJob, type Job } from '../catalog/queue/job-queue.ts';
import { isMachineFailure } from '../errors/machine-failure.ts';
import { createSecrets } from '../platform/crypto/secrets.ts';
import { catalogFile } from '../platform/storage/data-directory.ts';
import { LeaseLostError, OverQuotaError, StoppedError } from './job-errors.ts';
import { settleJob } from './settle-job.ts';

/** What an action throws. */
const thrown = (action: () => unknown): Promise<unknown> =>
  Promise.resolve()
    .then(action)
    .then(
      () => expect.unreachable('nothing was thrown'),
      (error: unknown) => error,
    );

async function setUp() {
  const folder = await temporaryFolder();
  const db = await openCatalog(catalogFile(folder.path));
  const assets = createFileAssetStore(folder.path);
  const { id } = await createWorkspace(db, createSecrets(new Uint8Array(32)), { workspace: 'Test', owner: 'Tester' });
  const media = {
    workspace_id: id,
    id: randomUUIDv7(),
    filename: 'film.mp4',
    type: 'video' as const,
    mime_type: 'video/mp4',
    size: 5,
    sha256: 'x',
    creator_id: null,
    category_id: null,
  };
  await addMedia(db, media, () => Promise.resolve());
  const original = folder.file(`assets/${media.workspace_id}/${media.id}/original`);
  await mkdir(path.dirname(original), { recursive: true });
  await writeFile(original, 'bytes');
  const log: string[] = [];
  const note = (_: unknown, message = '') => void log.push(message);
  const settling = {
    db,
    assets,
    log: { info: note, warn: note, error: note },
    stopping: new AbortController().signal,
    onRetry: () => undefined,
  };
  const begin = async (): Promise<Job> => {
    await db.updateTable('jobs').set({ available_at: null }).execute();
    const job = await claimJob(db, 'a');
    if (!job) throw new Error('There is no free job.');
    await assets.removeRenditions(job, { upTo: job.token });
    const rendered = folder.file('rendered');
    await mkdir(rendered);
    await writeFile(path.join(rendered, 'chunk-00000.webp'), '');
    await assets.putRenditions(job, job.token, rendered);
    return job;
  };
  const folders = () => readdir(path.join(path.dirname(original), 'renditions'));
  return {
    db,
    assets,
    original,
    media,
    settling,
    begin,
    log,
    folders,
    file: (name: string) => folder.file(name),
    state: () => findStoredMedia(db, id, media.id),
    async [Symbol.asyncDispose]() {
      await db.destroy();
      await folder[Symbol.asyncDispose]();
    },
  };
}

test('a full disk, a disk that fails and a database that is full are failures of the machine', async () => {
  await using folder = await temporaryFolder();
  const image = sharp({ create: { width: 64, height: 64, channels: 3, background: 'red' } });
  expect(isMachineFailure(await thrown(() => writeFile('/dev/full', 'x')))).toBe(true);
  expect(isMachineFailure(await thrown(() => image.webp().toFile('/dev/full')))).toBe(true);
  expect(isMachineFailure(await thrown(() => readFile('/proc/self/mem')))).toBe(true);
  const sqlite = new SQLite(':memory:');
  sqlite.pragma('max_page_count = 3');
  expect(
    isMachineFailure(await thrown(() => sqlite.exec('create table t (x); insert into t values (zeroblob(99999))'))),
  ).toBe(true);
  sqlite.close();

  // FFmpeg and what is made of its errors.
  await makeVideo(folder.file('film.avi'), { scenes: [{ paint: checkers(0.3), seconds: 1 }], codec: 'mpeg4' });
  await symlink('/dev/full', folder.file('playback.mp4'));
  const { signal } = new AbortController();
  const error = await thrown(() =>
    indexMedia({
      path: folder.file('film.avi'),
      filename: 'film.avi',
      outputDirectory: folder.path,
      embedders: [],
      checkDuration: () => Promise.resolve(),
      onProgress: () => undefined,
      signal,
    }),
  );
  expect(isMachineFailure(error)).toBe(true);
  expect(isMachineFailure(new UnreadableMediaError('unreadable_media', 'It is damaged.', { cause: error }))).toBe(true);

  await writeFile(folder.file('damaged.jpg'), 'no image');
  expect(isMachineFailure(await thrown(() => decodeImage(folder.file('damaged.jpg'), 'image/jpeg')))).toBe(false);
  expect(isMachineFailure(await thrown(() => probeVideo(folder.file('damaged.jpg'), signal)))).toBe(false);
});

test('a failure of the machine is no attempt and no fault of the file', async () => {
  await using t = await setUp();
  for (let i = 0; i < 5; i++) {
    const job = await t.begin();
    expect(job.attempts).toBe(1);
    await settleJob(t.settling, job, await thrown(() => writeFile('/dev/full', 'x')));
    expect(await t.state()).toMatchObject({ status: 'pending', error_code: null });
    expect(await claimJob(t.db, 'a'), 'it rests').toBeUndefined();
    expect(await t.folders()).toEqual([]);
  }
});

test('a file is called damaged only when the disk gives all of it', async () => {
  await using t = await setUp();
  const damaged = new UnreadableMediaError('unreadable_media', 'The file is damaged.');
  const { original } = t;
  await rename(original, t.file('aside'));
  // Reading it ends in EIO.
  await symlink('/proc/self/mem', original);
  await settleJob(t.settling, await t.begin(), damaged);
  expect(await t.state()).toMatchObject({ status: 'pending', error_code: null });
  await rm(original);
  await rename(t.file('aside'), original);
  await settleJob(t.settling, await t.begin(), damaged);
  expect(await t.state()).toMatchObject({ status: 'error', error_code: 'unreadable_media' });
  expect(await t.folders()).toEqual([]);
});

test('an attempt that breaks off counts; one that was stopped does not', async () => {
  await using t = await setUp();
  await settleJob(t.settling, await t.begin(), new StoppedError());
  for (const attempt of [1, 2, 3]) {
    const job = await t.begin();
    expect(job.attempts).toBe(attempt);
    await settleJob(t.settling, job, new Error('the decoder broke'));
  }
  expect(await t.state()).toMatchObject({ status: 'error', error_code: 'indexing_failed' });
  expect(t.log).toEqual(Array(3).fill('indexing broke off'));
});

test('what goes wrong after an item was deleted, or taken over, is no error and changes nothing', async () => {
  await using t = await setUp();
  const stale = await t.begin();
  await t.db
    .updateTable('jobs')
    .set({ lease_until: new Date(0).toISOString() })
    .execute();
  const held = await t.begin();
  const errors = [
    new LeaseLostError(),
    new StoppedError(),
    new OverQuotaError({ plan: 'x', limit: 'indexed_seconds', allowed: 1, used: 1, reserved: 0, requested: 1 }),
    new UnreadableMediaError('unreadable_media', 'The file is damaged.'),
    new Error('the folder is gone'),
  ];
  for (const error of errors) await settleJob(t.settling, stale, error);
  expect(await t.folders()).toEqual([String(held.token)]);
  expect(await t.state()).toMatchObject({ status: 'indexing', error_code: null });
  await deleteMedia(t.db, held.workspace_id, held.id);
  for (const error of errors) await settleJob(t.settling, held, error);
  expect(t.log.filter((message) => message !== new LeaseLostError().message)).toEqual([]);
  // Its folder is for who deleted it to remove.
  expect(await readFile(t.original, 'utf8')).toBe('bytes');
});
