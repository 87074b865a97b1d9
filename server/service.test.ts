import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { basePath } from '../contract/base-path.ts';
import type { MediaItem } from '../contract/media.ts';
import { operations } from '../contract/operations.ts';
import type { Workspace } from '../contract/workspace.ts';
import { checkers, makePhoto, makeVideo, plain, square } from '../packages/media/samples/draw-media.ts';
import { listScratch } from './platform/storage/scratch.ts';
import { startTestService } from './testing/running-service.ts';

type Running = Awaited<ReturnType<typeof startTestService>>;

let service: Running;
let clip: MediaItem;
const inFolder = (name: string) => path.join(service.folder, name);

beforeAll(async () => {
  service = await startTestService();
  const { client } = service;
  const scenes = [plain(200, 20, 20), checkers(0.4), plain(20, 40, 200)].map((paint) => ({ paint, seconds: 3 }));
  const subtitles = [{ start: 6.5, end: 8, text: 'The lighthouse keeper waves' }];
  await makeVideo(inFolder('Harbour_day.mkv'), { scenes, subtitles, audio: true });
  await makePhoto(inFolder('strawberry.jpg'), square([210, 20, 30], [255, 255, 255]));
  await makePhoto(inFolder('grass.png'), plain(40, 150, 40));
  await makePhoto(inFolder('night.webp'), plain(8, 8, 16));
  clip = (await client.upload(inFolder('Harbour_day.mkv'))).data;
  for (const name of ['strawberry.jpg', 'grass.png', 'night.webp']) {
    await client.waitUntilIndexed((await client.upload(inFolder(name))).data.id);
  }
  clip = await client.waitUntilIndexed(clip.id);
});

afterAll(() => service[Symbol.asyncDispose]());

describe('upload', () => {
  test('answers with the pending item and its URL', async () => {
    await makePhoto(inFolder('new.jpg'), plain(120, 90, 60));
    const answer = await service.client.upload(inFolder('new.jpg'), 'C:\\holiday\\été 1.jpg');
    expect(answer.status).toBe(202);
    expect(answer.headers.get('Location')).toBe(`${basePath}/media/${answer.data.id}`);
    const sha256 = createHash('sha256')
      .update(await readFile(inFolder('new.jpg')))
      .digest('hex');
    expect(answer.data).toMatchObject({ filename: 'été 1.jpg', status: 'pending', type: 'image', sha256, url: null });
    operations.uploadMedia.data.parse(answer.data);
    await service.client.waitUntilIndexed(answer.data.id);

    expect(clip).toMatchObject({
      status: 'complete',
      type: 'video',
      chunk_count: 3,
      width: 160,
      height: 90,
      progress: null,
      error: null,
    });
    await service.client.call(`/media/${answer.data.id}`, { method: 'DELETE' });
  });

  test('of the same bytes returns the existing item', async () => {
    const again = await service.client.upload(inFolder('grass.png'), 'other name.png');
    expect(again.status).toBe(200);
    expect(again.meta).toEqual({ duplicate: true });
    expect(again.data.filename).toBe('grass.png');
  });

  test('of the same bytes at the same time stores one', async () => {
    await makePhoto(inFolder('twin.png'), plain(1, 2, 3));
    const answers = await Promise.all([1, 2, 3, 4].map(() => service.client.upload(inFolder('twin.png'))));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 200, 202]);
    expect(new Set(answers.map(({ data }) => data.id)).size).toBe(1);
    const id = answers[0]?.data.id ?? '';
    await service.client.waitUntilIndexed(id);
    expect(await service.client.call(`/media/${id}`, { method: 'DELETE' })).toMatchObject({ status: 200 });
    // Only the folders of items that exist are left.
    const { data } = await service.client.get<MediaItem[]>('/media?per_page=100');
    const folders = await readdir(path.join(service.folder, 'data', 'assets', service.workspaceId));
    expect(folders.toSorted()).toEqual(data.map((item) => item.id).toSorted());
    expect(await listScratch(service.scratchDirectory)).toEqual([]);
  });

  test.each([
    ['text.mp4', 'no video at all', 415, 'unsupported_media_type'],
    ['drawing.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>', 415, 'unsupported_media_type'],
    ['empty.mp4', '', 400, 'validation_error'],
  ])('of %s is refused', async (name, content, status, code) => {
    await writeFile(inFolder(name), content);
    const answer = await service.client.upload(inFolder(name));
    expect(answer).toMatchObject({ status, success: false, error: { code } });
  });

  test('without a form, without a file or with a wrong field is refused', async () => {
    const send = (body: string | FormData) => service.client.call('/media/upload', { method: 'POST', body });
    expect(await send('{}')).toMatchObject({ status: 415, error: { code: 'unsupported_media_type' } });
    const form = new FormData();
    form.set('creator_id', 'x');
    expect(await send(form)).toMatchObject({ status: 400, error: { code: 'validation_error' } });
    form.set('file', new Blob([await readFile(inFolder('new.jpg'))]), 'a.jpg');
    const wrong = await send(form);
    expect(wrong.error.details).toMatchObject([{ path: 'body.creator_id' }]);
  });

  test('of an unreadable file ends in error with a sentence, and the service keeps running', async () => {
    await writeFile(
      inFolder('broken.mp4'),
      Buffer.concat([(await readFile(inFolder('Harbour_day.mkv'))).subarray(0, 64), randomBytes(5000)]),
    );
    const { data } = await service.client.upload(inFolder('broken.mp4'));
    const failed = await service.client.waitUntilIndexed(data.id);
    expect(failed).toMatchObject({ status: 'error', url: null, progress: null });
    expect(failed.error?.message).toMatch(/damaged|decoded|read/);
    await service.client.call(`/media/${data.id}`, { method: 'DELETE' });
  });
});

describe('search', () => {
  test('finds the second of a spoken line', async () => {
    const { data, meta } = await service.client.search('lighthouse keeper');
    expect(data[0]).toMatchObject({ id: clip.id, type: 'video', weak: false });
    expect(data[0]?.start).toBeCloseTo(6, 1);
    expect(data[0]?.end).toBeCloseTo(9, 1);
    expect(data[0]?.signals.terms).toEqual(['lighthouse', 'keeper']);
    expect(meta.query).toBe('lighthouse keeper');
    expect(meta.notice).toContain('“lighthouse”, “keeper”');
    expect(meta.unknown_terms).toEqual(['lighthouse', 'keeper']);
    const understood = await service.client.search('red on white');
    expect(understood.meta).not.toHaveProperty('unknown_terms');
  });

  test.each([
    ['red on white', 'strawberry.jpg', 0],
    ['green', 'grass.png', 0],
    ['dark night', 'night.webp', 0],
    ['blue', 'Harbour_day.mkv', 6],
    ['fast motion', 'Harbour_day.mkv', 3],
  ])('finds %s in %s', async (query, filename, start) => {
    const { data, status } = await service.client.search(query);
    expect(status).toBe(200);
    operations.searchMedia.data.parse(data);
    expect(data[0]?.filename).toBe(filename);
    expect(data[0]?.start).toBeCloseTo(start, 1);
    const scores = data.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(Math.max(...scores)).toBeLessThanOrEqual(1);
  });

  test('keeps to n and to the type', async () => {
    expect((await service.client.search('red', '&n=2')).data).toHaveLength(2);
    const images = (await service.client.search('red', '&type=image')).data;
    expect(images).toHaveLength(3);
    expect(new Set(images.map(({ type }) => type))).toEqual(new Set(['image']));
    expect((await service.client.search('red', `&creator_id=${clip.id}`)).data).toEqual([]);
  });

  test('treats any user input as words', async () => {
    for (const query of ['"', 'NEAR(', 'a AND OR NOT', '*', '-', "'; drop table chunks", '東京 🦊', '%00']) {
      expect((await service.client.search(query)).status, query).toBe(200);
    }
  });

  test.each(['', '&n=0', '&n=101', '&n=x', '&type=sound', '&dedupe=maybe', '&creator_id=7'])(
    'refuses what is out of bounds: %s',
    async (more) => {
      const answer = await service.client.search(more === '' ? '' : 'red', more);
      expect(answer).toMatchObject({ status: 400, error: { code: 'validation_error' } });
      expect(answer.error.details).toHaveLength(1);
    },
  );
});

describe('files', () => {
  test('are served in byte ranges, with their media type, under signed URLs only', async () => {
    const url = clip.url ?? '';
    const whole = await fetch(url);
    expect(whole.headers.get('Content-Type')).toBe('video/mp4');
    expect(whole.headers.get('X-Content-Type-Options')).toBe('nosniff');
    const bytes = Buffer.from(await whole.arrayBuffer());
    const part = await fetch(url, { headers: { Range: 'bytes=100-199' } });
    expect(part.status).toBe(206);
    expect(part.headers.get('Content-Range')).toBe(`bytes 100-199/${bytes.length}`);
    expect(Buffer.from(await part.arrayBuffer())).toEqual(bytes.subarray(100, 200));
    const known = await fetch(url, {
      headers: { 'If-None-Match': whole.headers.get('ETag') ?? '', 'Cache-Control': 'max-age=0' },
    });
    expect(known.status).toBe(304);
    expect((await fetch(url, { headers: { Range: `bytes=${bytes.length}-` } })).status).toBe(416);

    for (const wrong of [
      url.replace(/signature=./, 'signature=!'),
      url.replace(/expires=\d/, 'expires=9'),
      url.split('?')[0] ?? '',
    ]) {
      const refused = await fetch(wrong);
      expect(refused.status).toBe(403);
      expect(await refused.json()).toMatchObject({ success: false, error: { code: 'forbidden' } });
    }
  });

  test('a thumbnail is served uncropped in each of its sizes, and browsers keep it', async () => {
    expect(clip.thumbnails.at(-1)?.url).toBe(clip.thumbnail);
    expect(clip.preview).toBeNull();
    for (const { width, height, url } of clip.thumbnails) {
      const response = await fetch(url);
      expect(response.headers.get('Content-Type')).toBe('image/webp');
      expect(response.headers.get('Cache-Control')).toBe('private, max-age=43200, immutable');
      const stored = await sharp(Buffer.from(await response.arrayBuffer())).metadata();
      expect(stored).toMatchObject({ width, height });
    }
    // Of another attempt: what is here now may change.
    const earlier = await fetch((clip.thumbnail ?? '').replace(/v=\d+/, 'v=999'));
    expect(earlier.headers.get('Cache-Control')).toBe('private, max-age=21600');
  });

  test('the original comes back byte for byte under its own name', async () => {
    const response = await fetch(clip.download_url);
    expect(response.headers.get('Content-Disposition')).toBe(
      `attachment; filename="Harbour_day.mkv"; filename*=UTF-8''Harbour_day.mkv`,
    );
    expect(Buffer.from(await response.arrayBuffer())).toEqual(await readFile(inFolder('Harbour_day.mkv')));
  });
});

describe('media', () => {
  test('are listed by pages, filters and order', async () => {
    const { client } = service;
    const page = await client.get<MediaItem[], Record<string, unknown>>('/media?per_page=3');
    operations.listMedia.data.parse(page.data);
    expect(page.data).toHaveLength(3);
    expect(page.meta).toEqual({ total: 4, page: 1, per_page: 3, total_pages: 2, has_more: true });
    expect((await client.get<MediaItem[]>('/media?page=9')).data).toEqual([]);
    const names = async (query: string) =>
      (await client.get<MediaItem[]>(`/media?${query}`)).data.map(({ filename }) => filename);
    expect(await names('type=video')).toEqual(['Harbour_day.mkv']);
    expect(await names('status=error')).toEqual([]);
    expect(await names('q=GRASS')).toEqual(['grass.png']);
    expect(await names('sort=filename')).toEqual(['grass.png', 'Harbour_day.mkv', 'night.webp', 'strawberry.jpg']);
    for (const query of ['per_page=101', 'page=0', 'status=done', 'sort=color']) {
      expect(await client.get(`/media?${query}`)).toMatchObject({ status: 400, error: { code: 'validation_error' } });
    }
  });

  test('of another workspace do not exist', async () => {
    const { client } = await service.addWorkspace('Other');
    expect(await client.get(`/media/${clip.id}`)).toMatchObject({ status: 404, error: { code: 'not_found' } });
    expect(await client.call(`/media/${clip.id}`, { method: 'DELETE' })).toMatchObject({ status: 404 });
    expect((await client.get('/media')).data).toEqual([]);
    expect((await client.search('red lighthouse')).data).toEqual([]);
    expect((await client.get<Workspace>('/workspace')).data.usage.media_items).toBe(0);
    const own = await client.upload(inFolder('grass.png'));
    expect(own.status).toBe(202);
  });

  test('once deleted are gone from everything', async () => {
    const { client } = service;
    await makePhoto(inFolder('purple.png'), plain(128, 0, 128));
    const item = await client.waitUntilIndexed((await client.upload(inFolder('purple.png'))).data.id);
    expect((await client.search('purple')).data[0]?.id).toBe(item.id);
    const gone = await client.call(`/media/${item.id}`, { method: 'DELETE' });
    expect(gone).toMatchObject({ status: 200, data: { id: item.id, deleted: true } });
    expect((await client.search('purple')).data.map(({ id }) => id)).not.toContain(item.id);
    expect((await client.get(`/media/${item.id}`)).status).toBe(404);
    expect((await client.call(`/media/${item.id}`, { method: 'DELETE' })).status).toBe(404);
    for (const url of [item.url, item.thumbnail, item.download_url]) expect((await fetch(url ?? '')).status).toBe(404);
  });
});

describe('every answer', () => {
  test('has the envelope and a request id, also on unknown paths', async () => {
    const cases: [string, RequestInit, number, string][] = [
      ['/media/01a1fbe4-6806-793e-a30f-22b8a44e4f85', {}, 404, 'not_found'],
      ['/media/nonsense', {}, 400, 'validation_error'],
      ['/nowhere', {}, 404, 'not_found'],
      ['/media', { method: 'PUT' }, 405, 'method_not_allowed'],
      ['/media/search', { method: 'DELETE' }, 405, 'method_not_allowed'],
      ['/media', { headers: { Authorization: '' } }, 401, 'missing_api_key'],
      ['/media', { headers: { Authorization: 'Bearer service_wrong' } }, 401, 'invalid_api_key'],
      ['/media', { headers: { Authorization: 'Basic x' } }, 401, 'invalid_api_key'],
    ];
    for (const [address, init, status, code] of cases) {
      const answer = await service.client.call(address, init);
      expect(answer, address).toMatchObject({ status, success: false, error: { code } });
      expect(answer.headers.get('X-Request-Id'), address).toBeTruthy();
      if (status === 401) expect(answer.headers.get('WWW-Authenticate')).toBe('Bearer');
    }
    const { headers } = await service.client.call('/media', { method: 'PUT' });
    expect(headers.get('Allow')).toBe('GET, HEAD');
  });

  test('of the workspace conforms to the contract and counts', async () => {
    const { data } = await service.client.get<Workspace>('/workspace');
    operations.getWorkspace.data.parse(data);
    expect(data.usage).toMatchObject({ media_items: 4, by_type: { video: 1, image: 3, audio: 0 }, chunks: 6 });
    expect(data.usage.indexed_seconds).toBeCloseTo(9, 0);
    expect(data.usage.searches_per_month).toBeGreaterThan(5);
    expect(data.embedder).toMatchObject({ id: 'descriptors@2', kind: 'descriptors' });
    expect(data.text_extraction).toEqual({
      ocr: { state: 'off', pending: 0 },
      speech: { state: 'off', pending: 0, model: null, problem: null },
      meaning: { pending: 0 },
    });
  });

  test('of openapi.json needs no key and no envelope', async () => {
    const response = await fetch(`${service.url}${basePath}/openapi.json`);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ openapi: '3.1.0', servers: [{ url: `${service.url}${basePath}` }] });
  });
});
