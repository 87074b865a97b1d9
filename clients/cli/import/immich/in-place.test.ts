import { randomUUIDv7 } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { Tag } from '../../../../contract/item-groups.ts';
import type { Source } from '../../../../contract/sources.ts';
import { temporaryFolder } from '../../../../packages/media/testing/temporary-folder.ts';
import { startTestService } from '../../../../server/testing/running-service.ts';
import type { MediaItem } from '../../../typescript/index.ts';
import { drawPhotos } from '../../testing/draw-photos.ts';
import { fakeKey, type FakeImmich, startFakeImmich } from '../../testing/fake-immich.ts';
import { runCommand } from '../../testing/run-cli.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let fake: FakeImmich;
let photos: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  photos = path.join(folder.path, 'nas', 'photos');
  await mkdir(path.join(photos, '2026'), { recursive: true });
  service = await startTestService({ workers: 0, sourceRoots: [folder.path] });
  fake = await startFakeImmich();
  return async () => {
    await service[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
    await fake[Symbol.asyncDispose]();
  };
});

const source = async (id: string) => (await service.client.get<Source>(`/sources/${id}`)).data;
const scanned = (id: string) =>
  expect.poll(async () => (await source(id)).last_scan, { timeout: 30_000, interval: 50 }).not.toBeNull();
/** Adds a source, and waits until it was scanned. */
async function addSource(body: { location: string; include?: string[] }): Promise<string> {
  const { data } = await service.client.post<Source>('/sources', { name: body.location.slice(-90), ...body });
  await scanned(data.id);
  return data.id;
}

/** A source that is paused before its first scan. */
async function addPaused(location: string): Promise<string> {
  const [id, now] = [randomUUIDv7(), new Date().toISOString()];
  const { db, workspaceId } = service;
  const own = { workspace_id: workspaceId, id, name: 'late', kind: 'folder' as const, location };
  await db
    .insertInto('sources')
    .values({ ...own, include: '[]', exclude: '[]', managed: 0, paused: 1, created_at: now, updated_at: now })
    .execute();
  return id;
}

/** An asset whose original Immich has in its external library. */
const add = (name: string, bytes: Buffer) =>
  fake.add({
    name: name.split('/').at(-1) ?? '',
    path: `/usr/src/app/external/${name}`,
    isExternal: true,
    bytes,
    tags: ['Travel'],
    isFavorite: true,
  });

const run = (...more: string[]) =>
  runCommand(['import', 'immich', '--url', fake.url, '--map', `/usr/src/app/external=${photos}`, ...more], {
    home: folder.file('home'),
    env: { MEDIA_SEARCH_URL: service.url, MEDIA_SEARCH_KEY: service.key, IMMICH_API_KEY: fakeKey },
  });
const results = (out: string) =>
  Object.fromEntries(
    out
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split('\t'))
      .map(([result, , file]) => [file, result]),
  );
const items = async () => (await service.client.get<MediaItem[]>('/media?per_page=100')).data;

test('originals that a source has are not copied, and their items get the labels', async () => {
  const [inPlace, ...others] = (await drawPhotos(5)) as [Buffer, Buffer, Buffer, Buffer, Buffer];
  await writeFile(path.join(photos, '2026', 'a.jpg'), inPlace);
  // Also a folder of a name that begins alike, which the service lists with it.
  await mkdir(path.join(photos, '2026', 'a'));
  await writeFile(path.join(photos, '2026', 'a', 'b.jpg'), others[0]);
  await writeFile(path.join(photos, 'bad.jpg'), '');
  await mkdir(path.join(photos, 'late'));
  await writeFile(path.join(photos, 'late', 'new.jpg'), others[1]);
  // One around the other: the inner has the file.
  await addSource({ location: path.join(folder.path, 'nas'), include: ['**/*.mov'] });
  await addSource({ location: photos });
  const late = await addPaused(path.join(photos, 'late'));
  const before = await items();
  const item = before.find(({ filename }) => filename === 'a.jpg');
  for (const [i, name] of ['2026/a.jpg', 'late/new.jpg', 'bad.jpg', 'missing.jpg', '../photos/2026/up.jpg'].entries())
    add(name, [inPlace, ...others][i] as Buffer);

  const expected = { 'a.jpg': 'referenced', 'new.jpg': 'waiting', 'bad.jpg': 'new', 'missing.jpg': 'new' };
  const dry = await run('--dry-run');
  expect([dry.code, results(dry.out)]).toEqual([0, { ...expected, 'up.jpg': 'new' }]);
  const first = await run();
  expect([first.code, results(first.out)]).toEqual([
    0,
    { ...expected, 'bad.jpg': 'copied', 'missing.jpg': 'copied', 'up.jpg': 'copied' },
  ]);
  expect(first.err).toContain('1 wait for the scan of their source: run this again after it');
  expect(fake.downloads()).toHaveLength(3);
  const [tag] = (await service.client.get<Tag[]>('/tags')).data;
  expect((await service.client.get<MediaItem>(`/media/${item?.id}`)).data).toMatchObject({
    rating: 5,
    tag_ids: [tag?.id],
  });
  expect(tag?.media_count).toBe(4);
  expect(await readdir(path.join(photos, '2026'))).toEqual(['a', 'a.jpg']);

  // What the first run could not find is looked up again, and nothing else.
  await service.client.patch(`/sources/${late}`, { paused: false });
  await scanned(late);
  const second = await run();
  expect([second.code, results(second.out)]).toEqual([0, { 'new.jpg': 'referenced' }]);
  expect(fake.downloads()).toHaveLength(3);
});

test('without a source that has them, and of one that is being removed, originals are copied', async () => {
  const [bytes = Buffer.alloc(0), other = Buffer.alloc(0)] = await drawPhotos(2);
  await writeFile(path.join(photos, 'a.jpg'), bytes);
  add('a.jpg', bytes);
  expect(results((await run()).out)).toEqual({ 'a.jpg': 'copied' });
  const id = await addPaused(photos);
  add('b.jpg', other);
  expect(results((await run('--dry-run')).out)).toEqual({ 'b.jpg': 'waiting' });
  const { db } = service;
  await db.updateTable('sources').set({ removed_at: new Date().toISOString() }).where('id', '=', id).execute();
  expect(results((await run()).out)).toEqual({ 'b.jpg': 'copied' });
});

test('what somebody deleted here is copied, and what is in the trash stays there', async () => {
  const [bytes = Buffer.alloc(0), other = Buffer.alloc(0)] = await drawPhotos(2);
  await writeFile(path.join(photos, 'deleted.jpg'), bytes);
  await writeFile(path.join(photos, 'trashed.jpg'), other);
  await addSource({ location: photos });
  const idOf = async (name: string) => (await items()).find(({ filename }) => filename === name)?.id ?? '';
  await service.client.delete(`/media/${await idOf('deleted.jpg')}`);
  await service.client.post('/changes', { items: { ids: [await idOf('trashed.jpg')] }, change: { delete: true } });
  await expect.poll(items).toEqual([]);
  add('deleted.jpg', bytes);
  add('trashed.jpg', other);
  const first = await run();
  expect([first.code, results(first.out)]).toEqual([0, { 'deleted.jpg': 'copied', 'trashed.jpg': 'referenced' }]);
  const second = await run();
  expect([second.code, second.out]).toEqual([0, '']);
  expect(second.err).toContain('1 imported before are not here any more');
  expect((await items()).map(({ filename }) => filename)).toEqual(['deleted.jpg']);
});
