import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MediaItem } from '../../contract/media.ts';
import type { Source, SourceFile } from '../../contract/sources.ts';
import { makePhoto, makeVideo, plain } from '../../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../../packages/media/testing/temporary-folder.ts';
import { readBucketAccess, readStorageSettings } from '../assets/storage-settings.ts';
import { type ApiResponse, startTestService } from '../testing/running-service.ts';
import { type S3Server, startS3Server } from '../testing/s3-server.ts';

/** Sources in a bucket, of a service that has its own files in the data folder. Each test has a folder of the bucket. */

let server: S3Server;
let service: Awaited<ReturnType<typeof startTestService>>;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;

beforeAll(async () => {
  // Listings of several pages.
  server = await startS3Server({ pageSize: 3 });
  folder = await temporaryFolder();
  service = await startTestService({
    workers: 1,
    bucketAccess: readBucketAccess(server.environment),
    sourceRoots: ['s3://media'],
  });
});

afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

function put(key: string, body: Buffer | string, more: { storageClass?: string } = {}): void {
  const content = Buffer.from(body);
  const etag = `"${createHash('md5').update(content).digest('hex')}"`;
  server.objects.set(key, { body: content, etag, at: new Date(), contentType: '', metadata: {}, ...more });
}

/** A copy and a deletion, as every rename in a bucket is one. */
function move(from: string, to: string): void {
  put(to, server.objects.get(from)?.body ?? '');
  server.objects.delete(from);
}

let shade = 0;
async function photo(): Promise<Buffer> {
  shade += 20;
  const file = folder.file(`${shade}.jpg`);
  await makePhoto(file, plain(shade % 256, 255 - (shade % 256), 90));
  return readFile(file);
}

/** A source of a folder of the bucket. */
async function add(place: string, body: object = {}, client = service.client) {
  const added = await client.post<Source>('/sources', { name: place, location: `s3://media/${place}`, ...body });
  expect(added).toMatchObject({ status: 201, data: { kind: 'bucket', location: `s3://media/${place}` } });
  const { id } = added.data;
  const read = async () => (await client.get<Source>(`/sources/${id}`)).data;
  const ended = async (before: Source | null) => {
    await expect
      .poll(
        async () => {
          const source = await read();
          const isDone = source.last_scan !== null && source.last_scan.ended_at !== before?.last_scan?.ended_at;
          return isDone || (source.state === 'offline' && source.scan === null);
        },
        { timeout: 30_000, interval: 100 },
      )
      .toBe(true);
    return read();
  };
  const list = async () => (await client.get<MediaItem[]>(`/media?per_page=100&source_id=${id}`)).data;
  await ended(null);
  return {
    id,
    read,
    list,
    paths: async () => (await list()).map(({ source }) => source?.path ?? '').toSorted(),
    async scan(more: object = {}) {
      const before = await read();
      expect((await client.post(`/sources/${id}/scan`, more)).status).toBe(200);
      return ended(before);
    },
    async settled() {
      await expect
        .poll(async () => (await list()).every(({ status }) => ['complete', 'error'].includes(status)), {
          timeout: 60_000,
        })
        .toBe(true);
      return list();
    },
  };
}

/** Has the bucket refuse what is in a folder of it. */
const deny = (place: string) => server.inject('denied', { path: new RegExp(`${place}[/%]`), times: Infinity });

test('objects are indexed where they lie, and the bucket is only read', async () => {
  const [top, deep] = [await photo(), await photo()];
  put('first/top.jpg', top);
  put('first/2026/berlin/a b+ü.jpg', deep);
  put('first/2026/', '');
  put('first/notes.txt', 'no media');
  for (let i = 0; i < 5; i++) put(`first/2026/${i}/x.txt`, 'more pages');
  const before = server.log.length;
  const source = await add('first');
  expect(await source.paths()).toEqual(['2026/berlin/a b+ü.jpg', 'top.jpg']);
  const [berlin, root] = (await source.settled()).toSorted((a, b) => a.filename.localeCompare(b.filename));
  expect(berlin).toMatchObject({
    status: 'complete',
    filename: 'a b+ü.jpg',
    source: { folder: '2026/berlin', location: 's3://media/first/2026/berlin/a b+ü.jpg', offline: false },
  });
  expect((await fetch(berlin?.thumbnail ?? '')).headers.get('Content-Type')).toBe('image/webp');
  expect(Buffer.from(await (await fetch(berlin?.download_url ?? '')).arrayBuffer())).toEqual(deep);
  const part = await fetch(root?.url ?? '', { headers: { Range: 'bytes=10-99' } });
  expect([part.status, Buffer.from(await part.arrayBuffer())]).toEqual([206, top.subarray(10, 100)]);
  const asked = server.log.slice(before);
  expect(asked.filter(({ method }) => method !== 'GET' && method !== 'HEAD')).toEqual([]);
  expect(await source.read()).toMatchObject({ state: 'ready', watching: false, files: { total: 2 } });
  const { usage } = (await service.client.get<{ usage: { storage_bytes: number } }>('/workspace')).data;
  expect(usage.storage_bytes).toBe(0);
});

test('a video of a bucket is indexed by a worker that has no key to it, from one local copy', async () => {
  const film = folder.file('film.avi');
  await makeVideo(film, { scenes: [{ paint: plain(20, 90, 20), seconds: 2 }], codec: 'mpeg4', audio: true });
  put('films/film.avi', await readFile(film));
  const source = await add('films');
  const [item] = await source.settled();
  expect(item).toMatchObject({ status: 'complete', type: 'video', error: null });
  expect(item?.chunk_count).toBeGreaterThan(0);
  const range = await fetch(item?.url ?? '', { headers: { Range: 'bytes=4-7' } });
  expect([range.status, await range.text()]).toEqual([206, 'ftyp']);
  const copies = await readdir(path.join(service.folder, 'data', 'cache', 'files'));
  const bodies = await Promise.all(
    copies.map((name) => readFile(path.join(service.folder, 'data', 'cache', 'files', name))),
  );
  expect(bodies.filter((body) => body.equals(server.objects.get('films/film.avi')?.body ?? Buffer.of()))).toHaveLength(
    1,
  );
});

test('an object that is elsewhere under the same tag is the same item; a copy is another', async () => {
  for (const name of ['a', 'b', 'c', 'd']) put(`moves/${name}.jpg`, await photo());
  const source = await add('moves');
  const before = new Map((await source.settled()).map((item) => [item.filename, item]));
  const idOf = (name: string) => before.get(name)?.id ?? '';
  await service.client.patch(`/media/${idOf('a.jpg')}`, { rating: 4 });
  move('moves/a.jpg', 'moves/2026/renamed.jpg');
  // Two that change places.
  move('moves/b.jpg', 'moves/x');
  move('moves/c.jpg', 'moves/b.jpg');
  move('moves/x', 'moves/c.jpg');
  // A copy, and one that is stored again as it is.
  put('moves/copy.jpg', server.objects.get('moves/d.jpg')?.body ?? '');
  put('moves/d.jpg', server.objects.get('moves/d.jpg')?.body ?? '');
  expect((await source.scan()).last_scan).toMatchObject({ moved: 3, added: 1, changed: 0, gone: 0 });
  const after = new Map((await source.settled()).map((item) => [item.id, item]));
  expect(after.get(idOf('a.jpg'))).toMatchObject({
    rating: 4,
    filename: 'renamed.jpg',
    indexed_at: before.get('a.jpg')?.indexed_at,
    source: { folder: '2026' },
  });
  expect(after.get(idOf('b.jpg'))?.filename).toBe('c.jpg');
  expect(after.get(idOf('d.jpg'))).toMatchObject({
    filename: 'd.jpg',
    indexed_at: before.get('d.jpg')?.indexed_at,
  });
  expect(after.size).toBe(5);
  // Again nothing is new.
  expect((await source.scan()).last_scan).toMatchObject({ moved: 0, added: 0, changed: 0, gone: 0 });
});

test('a move is known by the tag before anything was read, of many with the same content too', async () => {
  await using other = await startTestService({
    workers: 0,
    bucketAccess: readBucketAccess(server.environment),
    sourceRoots: ['s3://media'],
  });
  for (let i = 0; i < 50; i++) put(`early/${i}.jpg`, 'the same');
  const source = await add('early', {}, other.client);
  const before = (await source.list()).map(({ id }) => id).toSorted();
  for (let i = 10; i < 45; i++) move(`early/${i}.jpg`, `early/moved/${i}.jpg`);
  put('early/49a.jpg', 'the same');
  const asked = server.log.length;
  expect((await source.scan()).last_scan).toMatchObject({ moved: 35, added: 1, gone: 0 });
  const after = (await source.list()).map(({ id }) => id);
  expect(after).toEqual(expect.arrayContaining(before));
  expect(after).toHaveLength(51);
  expect(server.log.slice(asked).filter(({ method }) => method === 'HEAD').length).toBeLessThan(150);
});

test('a move is known by the content where the store gives a copy another tag', async () => {
  put('tags/b.jpg', await photo());
  const source = await add('tags');
  const [item] = await source.settled();
  move('tags/b.jpg', 'tags/y.jpg');
  // As of one that was uploaded in parts, and copied as a whole.
  Object.assign(server.objects.get('tags/y.jpg') ?? {}, { etag: '"0123-2"' });
  expect((await source.scan()).last_scan).toMatchObject({ moved: 1, added: 0, gone: 0 });
  expect(await source.list()).toMatchObject([{ id: item?.id, filename: 'y.jpg' }]);
});

test('a changed object is indexed again in its place, also in the same second; a deleted one goes after two scans', async () => {
  for (const name of ['a', 'b', 'c']) put(`changes/${name}.jpg`, await photo());
  const source = await add('changes');
  const [first] = (await source.settled()).filter(({ filename }) => filename === 'a.jpg') as [MediaItem];
  const stored = server.objects.get('changes/a.jpg');
  put('changes/a.jpg', Buffer.from(stored?.body ?? '').fill(0, (stored?.body.length ?? 0) - 3));
  Object.assign(server.objects.get('changes/a.jpg') ?? {}, { at: stored?.at });
  server.objects.delete('changes/b.jpg');
  expect((await source.scan()).last_scan).toMatchObject({ changed: 1, gone: 1, added: 0, moved: 0 });
  expect(await source.paths()).toEqual(['a.jpg', 'b.jpg', 'c.jpg']);
  const again = (await source.settled()).find(({ id }) => id === first.id);
  expect(again?.indexed_at).not.toBe(first.indexed_at);
  const download = await fetch(again?.download_url ?? '');
  expect(Buffer.from(await download.arrayBuffer())).toEqual(server.objects.get('changes/a.jpg')?.body);
  await source.scan();
  expect(await source.paths()).toEqual(['a.jpg', 'c.jpg']);
});

test('a bucket that refuses, and one that shows nothing, are away: nothing is deleted, and it comes back', async () => {
  for (const name of ['a', 'b']) put(`away/${name}.jpg`, await photo());
  const source = await add('away');
  const items = await source.settled();
  const objects = new Map(server.objects);
  for (const [leave, code, sentence] of [
    [
      () => deny('away'),
      'access_denied',
      /refuses access to the bucket media; the key needs s3:GetObject and s3:ListBucket/,
    ],
    [() => ['a', 'b'].forEach((name) => server.objects.delete(`away/${name}.jpg`)), 'empty', /is empty/],
  ] as const) {
    leave();
    for (const _ of [1, 2, 3]) {
      const { state, problem } = await source.scan();
      expect([state, problem?.code]).toEqual(['offline', code]);
      expect(problem?.message).toMatch(sentence);
    }
    const [item] = await source.list();
    expect(await source.list()).toHaveLength(2);
    expect(item?.source?.offline).toBe(true);
    expect((await fetch(item?.thumbnail ?? '')).status).toBe(200);
    expect((await fetch(item?.url ?? '')).status).toBe(200);
    const download = await fetch(item?.download_url ?? '');
    expect([download.status, (await download.json()) as object]).toMatchObject([
      503,
      { error: { code: 'source_offline' } },
    ]);
    server.calm();
    for (const [key, object] of objects) server.objects.set(key, object);
    await service.client.post(`/sources/${source.id}/scan`, {});
    await expect.poll(async () => (await source.read()).state, { timeout: 30_000 }).toBe('ready');
  }
  expect((await source.list()).map(({ id, indexed_at }) => [id, indexed_at])).toEqual(
    items.map(({ id, indexed_at }) => [id, indexed_at]),
  );
});

test('one object that is gone or refused is not taken for the whole source', async () => {
  for (const name of ['gone', 'refused', 'there']) put(`single/${name}.jpg`, await photo());
  const source = await add('single');
  const items = new Map((await source.settled()).map((item) => [item.filename, item]));
  const answer = async (name: string) => (await fetch(items.get(name)?.download_url ?? '')).json();
  server.objects.delete('single/gone.jpg');
  server.inject('denied', { path: /single\/refused/, times: Infinity });
  expect(await answer('gone.jpg')).toMatchObject({ error: { code: 'original_missing' } });
  expect(await answer('refused.jpg')).toMatchObject({
    error: { code: 'original_missing', message: expect.stringContaining('may not be read') },
  });
  server.calm();
  expect((await fetch(items.get('there.jpg')?.download_url ?? '')).status).toBe(200);
});

test('an object that is refused to the worker has an error that says so, and is indexed after a scan', async () => {
  put('late/a.jpg', await photo());
  server.inject('denied', { path: /\/late\/a\.jpg/, times: Infinity });
  const source = await add('late');
  const [refused] = await source.settled();
  expect(refused).toMatchObject({ status: 'error', error: { code: 'original_missing' } });
  expect(await source.read()).toMatchObject({ state: 'ready' });
  server.calm();
  await source.scan();
  expect(await source.settled()).toMatchObject([{ id: refused?.id, status: 'complete' }]);
});

test('what is hidden, ignored, archived or has no path is left out, and says why', async () => {
  for (const key of ['film.mp4', 'film.srt', 'folder.jpg', 'good.jpg', 'x/y/deep.jpg']) put(`odd/${key}`, 'x');
  for (const key of ['.hidden.jpg', 'skipped.jpg', 'private/x.jpg', 'private/.nomedia', 'proxies/p.jpg', 'x/'])
    put(`odd/${key}`, key);
  put('odd/.ignore', 'skip*.jpg\n');
  put('odd/empty.jpg', '');
  put('odd/cold.jpg', 'x', { storageClass: 'DEEP_ARCHIVE' });
  for (const key of ['/a.jpg', 'x//b.jpg', '../c.jpg', 'x/../d.jpg', './e.jpg', 'zero\0.jpg', 'bad\uF7FF.jpg'])
    put(`odd/${key}`, 'x');
  put('odd/tail.jpg/', 'a file whose key ends with a slash');
  put('odd/\u0001control.jpg', 'x');
  const source = await add('odd', { exclude: ['**/proxies/**'] });
  expect(await source.paths()).toEqual(['\u0001control.jpg', 'film.mp4', 'good.jpg', 'x/y/deep.jpg']);
  const failed = (await service.client.get<SourceFile[]>(`/sources/${source.id}/files?failed=1&per_page=100`)).data;
  const problems = failed
    .filter(({ media_id }) => media_id === null)
    .map(({ path: key, problem }) => [key, problem?.code]);
  expect(new Map(problems as [string, string][])).toEqual(
    new Map([
      ['../', 'bad_key'],
      ['./', 'bad_key'],
      ['/', 'bad_key'],
      ['x//', 'bad_key'],
      ['x/../', 'bad_key'],
      ['x/', 'bad_key'],
      ['zero\0.jpg', 'bad_key'],
      ['tail.jpg/', 'bad_key'],
      ['odd/bad%FF.jpg', 'name_not_utf8'],
      ['empty.jpg', 'empty_file'],
      ['cold.jpg', 'archived'],
    ]),
  );
  // A key beside a folder says nothing of what is in it.
  server.objects.delete('odd/x/y/deep.jpg');
  expect((await source.scan()).last_scan).toMatchObject({ gone: 1 });
});

test('only a place that is allowed and answers becomes a source', async () => {
  put('here/a.jpg', 'x');
  const post = (location: string): Promise<ApiResponse> => service.client.post('/sources', { location });
  for (const [location, sentence] of [
    ['s3://other', /within the roots/],
    ['s3://media2/here', /within the roots/],
    ['s3://media/../x', /must be s3:/],
    ['s3://media/nothing/there', /with objects in it/],
  ] as const) {
    const { status, error } = await post(location);
    expect([location, status, error?.code]).toEqual([location, 400, 'validation_error']);
    expect(error.details?.[0]?.message).toMatch(sentence);
  }
  deny('here');
  expect((await post('s3://media/here')).error.details?.[0]?.message).toMatch(/cannot be read: .* refuses access/);
  server.calm();
});

test('the folders of a root that is a bucket can be walked through, and no others', async () => {
  for (const key of ['2025/a.jpg', '2026/b/c.jpg', '.cache/d.jpg', 'e.jpg']) put(`roots/${key}`, 'x');
  const walk = (place: string) =>
    service.client.get<{ path: string; folders: { path: string }[] }[]>(
      `/sources/roots${place === '' ? '' : `?path=${encodeURIComponent(place)}`}`,
    );
  expect((await walk('')).data.map(({ path: root }) => root)).toEqual(['s3://media']);
  expect((await walk('s3://media/roots/')).data).toEqual([
    {
      path: 's3://media/roots',
      folders: ['2025', '2026'].map((name) => ({ path: `s3://media/roots/${name}`, name })),
    },
  ]);
  expect((await walk('s3://other')).status).toBe(400);
  deny('roots');
  expect((await walk('s3://media/roots')).error.details?.[0]?.message).toMatch(/cannot be read: .* refuses access/);
  server.calm();
});

test('the files of the service are no source, nor is what holds them', async () => {
  put('own/photos/a.jpg', 'x');
  const storage = readStorageSettings({ ...server.environment, STORAGE_URL: 's3://media/own/service' });
  await using other = await startTestService({
    workers: 0,
    storage,
    bucketAccess: readBucketAccess(server.environment),
    sourceRoots: ['s3://media', 's3://missing'],
  });
  const post = async (location: string) => other.client.post('/sources', { location });
  for (const location of ['s3://media', 's3://media/own', 's3://media/own/service', 's3://media/own/service/assets'])
    expect((await post(location)).error?.details?.[0]?.message).toMatch(/files of the service/);
  expect((await post('s3://missing')).error.details?.[0]?.message).toMatch(/There is no bucket missing at/);
  expect((await post('s3://media/own/photos')).status).toBe(201);
});

test('a message of a bucket that something changed asks for a scan', async () => {
  put('events/a.jpg', 'x');
  const source = await add('events');
  put('events/b.jpg', 'y');
  await source.scan({
    EventName: 's3:ObjectCreated:Put',
    Key: 'media/events/b.jpg',
    Records: [{ eventVersion: '2.1', eventName: 'ObjectCreated:Put', s3: { object: { key: 'events/b.jpg' } } }],
  });
  expect(await source.paths()).toEqual(['a.jpg', 'b.jpg']);
});
