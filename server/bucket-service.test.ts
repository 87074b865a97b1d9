import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MediaExport } from '../contract/exports.ts';
import type { MediaItem } from '../contract/media.ts';
import { makePhoto, makeVideo, plain } from '../packages/media/samples/draw-media.ts';
import { temporaryFolder } from '../packages/media/testing/temporary-folder.ts';
import { openStoredFiles } from './assets/open-stored-files.ts';
import { readStorageSettings, type StorageSettings } from './assets/storage-settings.ts';
import { collectOrphans } from './operations/check/collect-orphans.ts';
import { openServiceDatabase, startServiceOn, startTestService } from './testing/running-service.ts';
import { type S3Server, startS3Server } from './testing/s3-server.ts';
import { createTusRequests } from './testing/tus-requests.ts';
import { createMediaRemoval } from './uploads/media-removal.ts';

/** The whole service with its files in a bucket. */

let server: S3Server;
let storage: StorageSettings;
let service: Awaited<ReturnType<typeof startTestService>>;
let film: MediaItem;
let content: Buffer;

beforeAll(async () => {
  server = await startS3Server();
  storage = readStorageSettings({ ...server.environment, STORAGE_URL: 's3://media/news room' }) as StorageSettings;
  service = await startTestService({ storage });
  const file = path.join(service.folder, 'film.avi');
  await makeVideo(file, { scenes: [{ paint: plain(20, 90, 20), seconds: 2 }], codec: 'mpeg4', audio: true });
  content = await readFile(file);
  film = await service.client.waitUntilIndexed((await service.client.upload(file, 'fïlm.avi')).data.id);
});

afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const keys = () => [...server.objects.keys()].toSorted();
const keysOf = (id: string) => keys().filter((key) => key.includes(`/${id}/`));
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

test('an upload is in the bucket with its renditions, and nothing of it in the data folder', () => {
  expect(film.status).toBe('complete');
  const [original] = keysOf(film.id);
  expect(original).toBe(`news room/assets/${service.workspaceId}/${film.id}/original`);
  const stored = server.objects.get(original as string);
  expect(sha256(stored?.body ?? Buffer.of())).toBe(sha256(content));
  expect(stored?.metadata).toEqual({ 'x-amz-meta-sha256': sha256(content), 'x-amz-meta-filename': 'f%C3%AFlm.avi' });
  const names = keysOf(film.id).map((key) => path.basename(key));
  expect(names).toContain('playback.mp4');
  expect(names.filter((name) => name.endsWith('.webp')).length).toBeGreaterThan(0);
  expect(existsSync(path.join(service.folder, 'data', 'assets', service.workspaceId))).toBe(false);
  expect(server.uploads.size).toBe(0);
});

test('a resumable upload arrives as the parts of its object, and nothing else stays in the bucket', async () => {
  const tus = createTusRequests(service);
  const bytes = Buffer.concat([content, randomBytes(8 * 2 ** 20)]);
  const at = await tus.create(bytes.length, { filename: 'fïlm.avi', sha256: sha256(bytes) });
  for (const [from, to] of [
    [0, 1000],
    [1000, content.length],
    [content.length, bytes.length],
  ] as const) {
    expect((await tus.patch(at, from, bytes.subarray(from, to))).status).toBe(204);
    // What began long ago is no leftover while a row names it.
    for (const upload of server.uploads.values()) upload.at = new Date(0);
    if (to === content.length) expect(keys().filter((key) => key.includes('/partial-files/'))).toHaveLength(1);
  }
  const { media_id } = await tus.get(at);
  const [original, ...others] = keysOf(String(media_id));
  expect([original, others]).toEqual([`news room/assets/${service.workspaceId}/${media_id}/original`, []]);
  expect(server.objects.get(String(original))?.metadata).toEqual({
    'x-amz-meta-sha256': sha256(bytes),
    'x-amz-meta-filename': 'f%C3%AFlm.avi',
  });
  expect(sha256(server.objects.get(String(original))?.body ?? Buffer.of())).toBe(sha256(bytes));
  const second = await tus.create(bytes.length);
  expect((await tus.patch(second, 0, bytes)).status).toBe(204);
  expect(await tus.get(second)).toMatchObject({ media_id, duplicate: true });
  const refused = await tus.create(10);
  expect((await tus.patch(refused, 0, Buffer.from('no picture'))).status).toBe(415);
  expect(keys().filter((key) => key.includes('/partial-files/'))).toEqual([]);
  expect(server.uploads.size).toBe(0);
  await service.client.delete(`/media/${media_id}`);
});

test('an upload of which the bucket has no longer all that was noted ends, so that its client begins again', async () => {
  const tus = createTusRequests(service);
  const bytes = Buffer.concat([content, randomBytes(8 * 2 ** 20)]);
  const begin = async () => {
    const at = await tus.create(bytes.length);
    expect((await tus.patch(at, 0, bytes.subarray(0, 8 * 2 ** 20))).status).toBe(204);
    return at;
  };
  const goOn = async (at: string) => (await tus.patch(at, 8 * 2 ** 20, bytes.subarray(8 * 2 ** 20))).status;
  // As by a rule of the bucket that aborts unfinished uploads.
  const aborted = await begin();
  server.uploads.clear();
  expect([await goOn(aborted), (await tus.head(aborted)).status]).toEqual([404, 404]);
  // As by a request that was on its way for long, and arrived after the one that was sent in its place.
  const replaced = await begin();
  for (const { parts } of server.uploads.values()) parts.set(1, { body: Buffer.alloc(8 * 2 ** 20), etag: '"other"' });
  expect([await goOn(replaced), (await tus.head(replaced)).status]).toEqual([404, 404]);
  // A discard that came half way is one when it is asked for again, and until then the upload does not go on.
  const [halfway, discarded] = [await begin(), await begin()];
  for (const at of [halfway, discarded]) {
    server.inject('denied', { method: 'GET', path: /partial-files/ });
    expect((await tus.send('DELETE', at, {})).status).toBe(503);
  }
  expect([await goOn(halfway), (await tus.head(halfway)).status]).toEqual([404, 404]);
  expect((await tus.send('DELETE', discarded, {})).status).toBe(204);
  expect(keys().filter((key) => key.includes('/partial-files/'))).toEqual([]);
  expect(server.uploads.size).toBe(0);
});

test('metrics count the requests to the bucket by what they ask for', async () => {
  await fetch(`${service.url}/metrics`);
  expect((await fetch(film.download_url)).status).toBe(200);
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  const series = /storage_request_duration_seconds_count\{operation="GetObject",outcome="ok"\} (\d+)/.exec(metrics);
  expect(Number(series?.[1])).toBeGreaterThan(0);
});

test('it is played by ranges, downloaded, shown, cut, exported and shared', async () => {
  const range = await fetch(film.url as string, { headers: { Range: 'bytes=4-7' } });
  expect([range.status, await range.text()]).toEqual([206, 'ftyp']);
  const download = await fetch(film.download_url);
  expect(sha256(Buffer.from(await download.arrayBuffer()))).toBe(sha256(content));
  expect(download.headers.get('Content-Disposition')).toContain('attachment');
  for (const { url } of film.thumbnails) {
    expect((await fetch(url)).headers.get('Content-Type')).toBe('image/webp');
  }
  const headers = { Authorization: `Bearer ${service.key}` };
  const frame = await fetch(`${service.url}/api/v1/media/${film.id}/frame?at=1`, { headers });
  expect([frame.status, frame.headers.get('Content-Type')]).toEqual([200, 'image/jpeg']);
  expect((await service.client.search('green')).data[0]?.id).toBe(film.id);
  const span = { media_id: film.id, start: 0.2, end: 1 };
  const { data: clip } = await service.client.post<MediaExport>('/exports', { format: 'mp4', moments: [span] });
  expect((await fetch(clip.url)).status).toBe(200);
  const { data: zip } = await service.client.post<MediaExport>('/exports', { format: 'zip', media_ids: [film.id] });
  expect((await (await fetch(zip.url)).arrayBuffer()).byteLength).toBeGreaterThan(content.length);
  const { data: share } = await service.client.post<{ id: string; url: string }>('/shares', span);
  expect((await fetch(`${share.url}/media`, { redirect: 'manual' })).status).toBe(200);
  expect(keysOf(film.id).filter((key) => key.includes('/shared/'))).not.toEqual([]);
  await service.client.delete(`/shares/${share.id}`);
  await expect.poll(() => keysOf(film.id).filter((key) => key.includes('/shared/'))).toEqual([]);
});

test('where the store is to send files itself, originals and videos are, and small images and links are not', async () => {
  await using other = await startTestService({ storage: { ...storage, prefix: 'other/', redirect: true }, workers: 1 });
  const file = path.join(other.folder, 'film.avi');
  await makeVideo(file, { scenes: [{ paint: plain(20, 90, 20), seconds: 1 }], codec: 'mpeg4' });
  const item = await other.client.waitUntilIndexed((await other.client.upload(file, 'fïlm, 1.avi')).data.id);
  const answer = await fetch(item.url as string, { redirect: 'manual' });
  expect([answer.status, answer.headers.get('Cache-Control')]).toEqual([302, 'private, no-store']);
  const address = answer.headers.get('Location') ?? '';
  expect(address.startsWith(server.url)).toBe(true);
  expect((await fetch(item.url as string, { redirect: 'manual' })).headers.get('Location')).toBe(address);
  const range = await fetch(item.url as string, { headers: { Range: 'bytes=4-7' } });
  expect([range.status, await range.text(), range.headers.get('Content-Type')]).toEqual([206, 'ftyp', 'video/mp4']);
  expect(range.headers.get('Cache-Control')).toBe('private, max-age=21600, immutable');
  const download = await fetch(item.download_url);
  expect(download.headers.get('Content-Disposition')).toContain("filename*=UTF-8''f%C3%AFlm%2C%201.avi");
  expect((await fetch(item.url as string, { method: 'HEAD', redirect: 'manual' })).status).toBe(200);
  expect((await fetch(item.thumbnail as string, { redirect: 'manual' })).status).toBe(200);
  const { data: share } = await other.client.post<{ url: string }>('/shares', { media_id: item.id });
  expect((await fetch(`${share.url}/media`, { redirect: 'manual' })).status).toBe(200);
});

test('while the bucket is away uploads and files answer 503, and nothing is acknowledged; the work goes on when it is back', async () => {
  await makePhoto(path.join(service.folder, 'late.png'), plain(1, 2, 3));
  server.inject('denied', { times: 1000 });
  const refused = await service.client.upload(path.join(service.folder, 'late.png'));
  expect(refused.status).toBe(503);
  server.calm();
  // Its row and what it is are known by then; its bytes are not.
  server.inject('denied', { method: 'GET', times: 1000 });
  const { data: items } = await service.client.get<MediaItem[]>('/media');
  const unread = await fetch(items[0]?.download_url ?? '');
  expect([unread.status, await unread.json()]).toMatchObject([503, { success: false, error: { code: 'unavailable' } }]);
  const { 'cache-control': cached, 'content-disposition': name, etag } = Object.fromEntries(unread.headers);
  expect({ cached, name, etag }).toEqual({ cached: 'no-store', name: undefined, etag: undefined });
  server.calm();
  const stored = await service.client.upload(path.join(service.folder, 'late.png'));
  expect(stored.status).toBe(202);
  expect((await service.client.waitUntilIndexed(stored.data.id)).status).toBe('complete');
});

test('what is deleted is gone at once, and what was stored late is gone after the second pass', async () => {
  await makePhoto(path.join(service.folder, 'gone.png'), plain(200, 2, 3));
  const { id } = (await service.client.upload(path.join(service.folder, 'gone.png'))).data;
  await service.client.waitUntilIndexed(id);
  await service.client.delete(`/media/${id}`);
  await expect.poll(() => keysOf(id)).toEqual([]);
  // A worker that lost its lease.
  const { assets, lostAndFound } = await openStoredFiles({ dataDirectory: path.join(service.folder, 'data'), storage });
  const late = `news room/assets/${service.workspaceId}/${id}/renditions/9/late.webp`;
  const object = { body: Buffer.from('x'), etag: '"x"', at: new Date(), contentType: '', metadata: {} };
  server.objects.set(late, object);
  const removal = createMediaRemoval({ db: service.db, assets, lostAndFound, log: silent });
  const day = 86_400_000;
  await service.db
    .updateTable('pending_removals')
    .set({ created_at: new Date(Date.now() - day).toISOString() })
    .execute();
  await removal.removePending();
  removal.stop();
  expect(keysOf(id)).toEqual([]);
  expect(await service.db.selectFrom('pending_removals').selectAll().execute()).toEqual([]);

  // An original without a row is listed as lost when it is old, stays where it is, and can be restored.
  const lost = { workspace_id: service.workspaceId, id: randomUUID() };
  const photo = path.join(service.folder, 'lost.png');
  await makePhoto(photo, plain(3, 200, 3));
  await assets.putOriginal(photo, { ...lost, filename: 'lost ü.png', sha256: sha256(await readFile(photo)) });
  const parts = { db: service.db, assets, lostAndFound, removal, log: silent };
  await collectOrphans(parts);
  expect(await lostAndFound.list()).toEqual([]);
  for (const each of keysOf(lost.id))
    server.objects.set(each, { ...object, ...server.objects.get(each), at: new Date(0) });
  await collectOrphans(parts);
  expect(await lostAndFound.list()).toMatchObject([{ ...lost, filename: 'lost ü.png' }]);
  expect(keysOf(lost.id)).not.toEqual([]);
  const browser = await service.signIn();
  const [listed] = (await browser.get<{ id: string }[]>('/manage/lost-media')).data;
  const restored = await browser.post<{ id: string }>(`/manage/lost-media/${listed?.id}/restore`);
  expect((await service.client.waitUntilIndexed(restored.data.id)).filename).toBe('lost ü.png');
  expect([...keysOf(lost.id), ...(await lostAndFound.list())]).toEqual([]);
});

test('a start finds everything again, and one without the bucket says so', async () => {
  await using folder = await temporaryFolder();
  await using database = await openServiceDatabase();
  await using empty = await openServiceDatabase();
  const data = folder.file('data');
  const settings = { ...database.settings, storage: { ...storage, prefix: 'third/' } };
  const first = await startServiceOn(data, { ...settings, workers: 0 });
  await makePhoto(folder.file('a.png'), plain(9, 9, 9));
  const { id } = (await first.client.upload(folder.file('a.png'))).data;
  await first.stop();
  await expect(startServiceOn(data, { ...settings, storage: { ...storage, bucket: 'none' } })).rejects.toThrow(
    'There is no bucket none',
  );
  await expect(startServiceOn(folder.file('other'), { ...settings, ...empty.settings })).rejects.toThrow(
    'files that were uploaded',
  );
  await using again = await startServiceOn(data, { ...settings, workers: 1 });
  expect((await again.client.waitUntilIndexed(id)).status).toBe('complete');
});
