import { mkdir, readdir, readFile, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { MediaItem } from '../../contract/media.ts';
import type { Source, SourceFile, SourceFolder } from '../../contract/sources.ts';
import { makePhoto, plain } from '../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { addMember } from '../testing/add-member.ts';
import { startTestService } from '../testing/running-service.ts';

const compare = (a: unknown, b: unknown) => String(a).localeCompare(String(b));

/** A service that may index a folder with photographs in place. */
async function setUp(workers = 1) {
  const stack = new AsyncDisposableStack();
  const folder = stack.use(await temporaryFolder());
  const root = folder.file('nas');
  await mkdir(path.join(root, '2026', 'berlin'), { recursive: true });
  const service = stack.use(await startTestService({ workers, sourceRoots: [folder.path] }));
  const { client } = service;
  const list = async () => (await client.get<MediaItem[]>('/media?per_page=100')).data;
  let shade = 0;
  return {
    root,
    folder,
    service,
    client,
    list,
    async add(body: object = {}): Promise<Source> {
      const added = await client.post<Source>('/sources', { name: 'NAS', location: root, ...body });
      expect(added).toMatchObject({ status: 201 });
      return added.data;
    },
    photo: async (file: string) => {
      shade += 20;
      await makePhoto(path.join(root, file), plain(shade % 256, 255 - (shade % 256), 90));
    },
    source: async (id: string) => (await client.get<Source>(`/sources/${id}`)).data,
    /** Scans, and waits until the scan ended. */
    async scan(id: string, body: object = {}): Promise<Source> {
      const before = (await client.get<Source>(`/sources/${id}`)).data;
      await client.post(`/sources/${id}/scan`, body);
      return await expect
        .poll(
          async () => {
            const { data } = await client.get<Source>(`/sources/${id}`);
            const isDone = data.last_scan !== null && data.last_scan.ended_at !== before.last_scan?.ended_at;
            return isDone || data.state === 'offline' ? data : null;
          },
          { timeout: 30_000, interval: 100 },
        )
        .not.toBeNull()
        .then(async () => (await client.get<Source>(`/sources/${id}`)).data);
    },
    settled: () =>
      expect
        .poll(async () => (await list()).every(({ status }) => ['complete', 'error'].includes(status)), {
          timeout: 60_000,
        })
        .toBe(true),
    scanned: (id: string) =>
      expect
        .poll(async () => (await client.get<Source>(`/sources/${id}`)).data.last_scan, {
          timeout: 30_000,
          interval: 100,
        })
        .not.toBeNull(),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

test('files are indexed where they lie: names, folders and times at once, and the bytes stay', async () => {
  await using t = await setUp();
  await t.photo('2026/berlin/a b.jpg');
  await t.photo('top.jpg');
  await writeFile(path.join(t.root, 'notes.txt'), 'no media');
  const before = await readFile(path.join(t.root, 'top.jpg'));
  const { mtimeMs } = await stat(path.join(t.root, 'top.jpg'));
  const { id } = await t.add();
  await t.scanned(id);
  const items = await t.list();
  expect(
    items.map(({ filename, source }) => [filename, source?.path, source?.folder, source?.name]).toSorted(compare),
  ).toEqual([
    ['a b.jpg', '2026/berlin/a b.jpg', '2026/berlin', 'NAS'],
    ['top.jpg', 'top.jpg', '', 'NAS'],
  ]);
  await t.settled();
  const [berlin] = (await t.client.get<MediaItem[]>(`/media?source_id=${id}&folder=2026`)).data;
  expect(berlin).toMatchObject({ filename: 'a b.jpg', status: 'complete', sha256: null });
  const original = await fetch(berlin?.download_url ?? '');
  expect(Buffer.from(await original.arrayBuffer())).toEqual(await readFile(path.join(t.root, '2026/berlin/a b.jpg')));
  const part = await fetch(berlin?.download_url ?? '', { headers: { Range: 'bytes=2-5' } });
  expect(part.status).toBe(206);
  expect((await t.client.get<SourceFolder[]>(`/sources/${id}/folders`)).data).toEqual([
    { path: '2026', name: '2026', items: 1, folders: 1 },
  ]);
  // Neither written nor copied.
  expect(await readFile(path.join(t.root, 'top.jpg'))).toEqual(before);
  expect((await stat(path.join(t.root, 'top.jpg'))).mtimeMs).toBe(mtimeMs);
  expect((await readdir(t.root)).toSorted(compare)).toEqual(['2026', 'notes.txt', 'top.jpg']);
  const { usage } = (await t.client.get<{ usage: { storage_bytes: number; media_items: number } }>('/workspace')).data;
  expect(usage).toMatchObject({ storage_bytes: 0, media_items: 2 });
  expect((await t.source(id)).files.bytes).toBeGreaterThan(before.length);
  const hits = await t.client.get<{ id: string; source: { path: string } }[]>('/media/search?q=berlin');
  expect(hits.data.some(({ source }) => source.path === '2026/berlin/a b.jpg')).toBe(false);
});

test('a renamed and a moved file stay the same items, with their labels, also after a stop', async () => {
  await using t = await setUp();
  for (const name of ['a.jpg', 'b.jpg', 'c.jpg']) await t.photo(name);
  const { id } = await t.add();
  await t.scanned(id);
  await t.settled();
  const before = new Map((await t.list()).map((item) => [item.filename, item]));
  const a = before.get('a.jpg') as MediaItem;
  await t.client.patch(`/media/${a.id}`, { rating: 4 });
  await rename(path.join(t.root, 'a.jpg'), path.join(t.root, '2026', 'renamed.jpg'));
  // Two that change places.
  await rename(path.join(t.root, 'b.jpg'), path.join(t.root, 'x'));
  await rename(path.join(t.root, 'c.jpg'), path.join(t.root, 'b.jpg'));
  await rename(path.join(t.root, 'x'), path.join(t.root, 'c.jpg'));
  const scanned = await t.scan(id);
  // Some may have been found by the watch, before the scan.
  expect(scanned.last_scan).toMatchObject({ found: 3, added: 0, changed: 0, gone: 0 });
  const after = new Map((await t.list()).map((item) => [item.id, item]));
  expect(after.get(a.id)).toMatchObject({
    rating: 4,
    filename: 'renamed.jpg',
    indexed_at: a.indexed_at,
    source: { folder: '2026' },
  });
  expect(after.get(before.get('b.jpg')?.id ?? '')).toMatchObject({ filename: 'c.jpg' });
  expect(after.size).toBe(3);
});

test('a changed file is indexed again in its place, and a deleted one goes to the trash after two scans', async () => {
  await using t = await setUp();
  for (const name of ['a.jpg', 'b.jpg', 'c.jpg']) await t.photo(name);
  const { id } = await t.add();
  await t.scanned(id);
  await t.settled();
  const [first] = (await t.list()).filter(({ filename }) => filename === 'a.jpg') as [MediaItem];
  await t.photo('a.jpg');
  await rm(path.join(t.root, 'b.jpg'));
  expect((await t.scan(id)).last_scan).toMatchObject({ changed: 1, gone: 1, added: 0 });
  expect((await t.list()).map(({ filename }) => filename).toSorted(compare)).toEqual(['a.jpg', 'b.jpg', 'c.jpg']);
  await t.settled();
  const again = (await t.list()).find(({ id: each }) => each === first.id);
  expect(again?.indexed_at).not.toBe(first.indexed_at);
  await t.scan(id);
  expect((await t.list()).map(({ filename }) => filename).toSorted(compare)).toEqual(['a.jpg', 'c.jpg']);
  // What comes back comes out of the trash.
  const trashed = (await t.client.get<{ id: string }[]>('/trash')).data;
  expect(trashed).toHaveLength(1);
  await t.photo('b.jpg');
  await t.scan(id);
  await t.settled();
  expect((await t.list()).map(({ id: each }) => each)).toContain(trashed[0]?.id);
});

test('a source that is away deletes nothing: its items are found, and it says why', async () => {
  await using t = await setUp();
  for (const name of ['a.jpg', 'b.jpg']) await t.photo(name);
  const { id } = await t.add();
  await t.scanned(id);
  await t.settled();
  for (const make of [() => Promise.resolve(), () => mkdir(t.root)]) {
    await rename(t.root, `${t.root}-away`);
    // An empty folder in its place, as a mount point is.
    await make();
    for (const _ of [1, 2, 3]) {
      const source = await t.scan(id);
      expect(source).toMatchObject({
        state: 'offline',
        problem: { message: expect.stringMatching(/not there|empty/) },
      });
    }
    const items = await t.list();
    expect(items).toHaveLength(2);
    expect(items[0]?.source?.offline).toBe(true);
    expect((await fetch(items[0]?.thumbnail ?? '')).status).toBe(200);
    expect((await fetch(items[0]?.url ?? '')).status).toBe(200);
    const download = await fetch(items[0]?.download_url ?? '');
    expect(download.status).toBe(503);
    expect(await download.json()).toMatchObject({ error: { code: 'source_offline' } });
    await rm(t.root, { recursive: true, force: true });
    await rename(`${t.root}-away`, t.root);
    await t.client.post(`/sources/${id}/scan`, {});
    await expect.poll(async () => (await t.source(id)).state, { timeout: 30_000 }).toBe('ready');
  }
  expect((await t.list()).every(({ source, status }) => source?.offline === false && status === 'complete')).toBe(true);
});

test('when most files are gone nothing goes until somebody says so', async () => {
  await using t = await setUp(0);
  for (let i = 0; i < 30; i++) await writeFile(path.join(t.root, `${i}.jpg`), `${i}`);
  const { id } = await t.add();
  await t.scanned(id);
  for (let i = 0; i < 25; i++) await rm(path.join(t.root, `${i}.jpg`));
  for (const _ of [1, 2])
    expect(await t.scan(id)).toMatchObject({ state: 'offline', problem: { code: 'mostly_missing' } });
  expect(await t.list()).toHaveLength(30);
  await t.scan(id, { accept_missing: true });
  await expect.poll(async () => (await t.source(id)).state).toBe('ready');
  expect(await t.list()).toHaveLength(5);
});

test('a member cannot have what is missing taken as deleted, and can have a source scanned', async () => {
  await using t = await setUp(0);
  const { id } = await t.add();
  const { cookie } = await addMember(t.service, 'bo@example.org');
  const ask = (accept_missing: boolean) => t.client.post(`/sources/${id}/scan`, { accept_missing }, { Cookie: cookie });
  expect(await ask(true)).toMatchObject({ status: 403, error: { code: 'forbidden' } });
  expect(await ask(false)).toMatchObject({ status: 200 });
});

test('what is hidden, linked, ignored or damaged is left out, and says why', async () => {
  await using t = await setUp(0);
  const outside = t.folder.file('outside.jpg');
  await writeFile(outside, 'secret');
  await symlink(outside, path.join(t.root, 'link.jpg'));
  await symlink(t.folder.path, path.join(t.root, 'links'));
  await writeFile(path.join(t.root, '.hidden.jpg'), 'x');
  await writeFile(path.join(t.root, 'empty.jpg'), '');
  await writeFile(path.join(t.root, '.ignore'), 'skip*.jpg\n');
  await writeFile(path.join(t.root, 'skipped.jpg'), 'x');
  await mkdir(path.join(t.root, 'private'));
  await writeFile(path.join(t.root, 'private', '.nomedia'), '');
  await writeFile(path.join(t.root, 'private', 'x.jpg'), 'x');
  await writeFile(Buffer.concat([Buffer.from(`${t.root}/bad-`), Buffer.from([0xff]), Buffer.from('.jpg')]), 'x');
  await mkdir(path.join(t.root, 'proxies'));
  await writeFile(path.join(t.root, 'proxies', 'p.jpg'), 'x');
  await writeFile(path.join(t.root, 'film.mp4'), 'x');
  await writeFile(path.join(t.root, 'film.srt'), '1\n00:00:00,000 --> 00:00:01,000\nHello\n');
  await writeFile(path.join(t.root, 'folder.jpg'), 'cover');
  await writeFile(path.join(t.root, 'good.jpg'), 'x');
  const { id } = await t.add({ exclude: ['**/proxies/**'] });
  await t.scanned(id);
  expect((await t.list()).map(({ filename }) => filename).toSorted(compare)).toEqual(['film.mp4', 'good.jpg']);
  const failed = (await t.client.get<SourceFile[]>(`/sources/${id}/files?failed=1`)).data;
  expect(failed.map(({ problem }) => problem?.code).toSorted(compare)).toEqual(['empty_file', 'name_not_utf8']);
});

test('only what is within the roots becomes a source, and no other workspace sees it', async () => {
  await using t = await setUp(0);
  await symlink('/etc', path.join(t.folder.path, 'etc'));
  const dataDirectory = path.join(t.service.folder, 'data');
  for (const location of [
    '/etc',
    '/proc',
    `${t.folder.path}/etc`,
    `${t.root}/../../..`,
    'relative',
    '/no/such',
    dataDirectory,
    path.dirname(dataDirectory),
  ]) {
    const { status, error } = await t.client.post('/sources', { location });
    expect([location, status, error?.code]).toEqual([location, 400, 'validation_error']);
  }
  const { id } = await t.add();
  await t.scanned(id);
  const { client: other } = await t.service.addWorkspace('Other');
  expect((await other.get('/sources')).data).toEqual([]);
  for (const place of ['', '/folders', '/files']) expect((await other.get(`/sources/${id}${place}`)).status).toBe(404);
});

test('a removed source takes its items, never its files', async () => {
  await using t = await setUp();
  await t.photo('a.jpg');
  const { id } = await t.add();
  await t.scanned(id);
  await t.settled();
  expect((await t.client.delete(`/sources/${id}`)).status).toBe(200);
  await expect.poll(async () => (await t.client.get(`/sources/${id}`)).status, { timeout: 20_000 }).toBe(404);
  expect(await t.list()).toEqual([]);
  expect(await readdir(t.root)).toContain('a.jpg');
});

test('a change in a watched folder is found without being asked', async () => {
  await using t = await setUp(0);
  await t.photo('a.jpg');
  const { id } = await t.add();
  await t.scanned(id);
  expect(await t.source(id)).toMatchObject({ watching: true });
  await mkdir(path.join(t.root, 'new'));
  await t.photo('new/b.jpg');
  await utimes(path.join(t.root, 'a.jpg'), new Date(), new Date('2026-01-01'));
  await expect
    .poll(async () => (await t.list()).map(({ filename }) => filename).toSorted(compare), { timeout: 20_000 })
    .toEqual(['a.jpg', 'b.jpg']);
});
