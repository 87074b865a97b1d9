import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MediaItem } from '../../../contract/media.ts';
import type { SearchHit } from '../../../contract/search.ts';
import { makePhoto, makeVideo, plain } from '../../../packages/media/samples/draw-media.ts';
import { failExtraction, resetExtractions, settleExtraction } from '../../catalog/texts/text-extractions.ts';
import { addSegments } from '../../catalog/texts/text-segments.ts';
import { startTestService } from '../../testing/running-service.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
const inFolder = (name: string) => path.join(service.folder, name);

beforeAll(async () => {
  service = await startTestService();
});

afterAll(() => service[Symbol.asyncDispose]());

test('an item has an ETag; a client that has it gets 304 until the item changes', async () => {
  const { client } = service;
  await makePhoto(inFolder('tag.png'), plain(90, 90, 200));
  const { id } = await client.waitUntilIndexed((await client.upload(inFolder('tag.png'))).data.id);
  const tag = (await client.get(`/media/${id}`)).headers.get('ETag') ?? '';
  expect(tag).toMatch(/^W\/"[\w-]{22}"$/);
  const ask = (header: string) => client.call(`/media/${id}`, { headers: { 'If-None-Match': header } });
  expect((await ask(tag)).status).toBe(304);
  expect((await ask(`"other", ${tag.replace('W/', '')}`)).status).toBe(304);
  expect((await ask('*')).status).toBe(304);
  expect((await ask('"other"')).status).toBe(200);
  const creator = (await client.post<{ id: string }>('/creators', { name: 'Tagger' })).data;
  await client.patch(`/media/${id}`, { creator_id: creator.id });
  expect((await ask(tag)).status).toBe(200);
});

test('checksums show which files exist already, in the order of the request', async () => {
  const { client } = service;
  await makePhoto(inFolder('here.png'), plain(10, 120, 200));
  const { id } = (await client.upload(inFolder('here.png'))).data;
  const sum = createHash('sha256')
    .update(await readFile(inFolder('here.png')))
    .digest('hex');
  const other = 'f'.repeat(64);
  const { data } = await client.post('/media/check', { sha256: [other, sum, sum] });
  expect(data).toEqual([
    { sha256: other, media_id: null },
    { sha256: sum, media_id: id },
    { sha256: sum, media_id: id },
  ]);
  for (const sha256 of [[], [sum.toUpperCase()], ['x'], Array.from({ length: 1001 }, () => sum), sum]) {
    expect((await client.post('/media/check', { sha256 })).status).toBe(400);
  }
  expect((await client.post('/media/check', { sha256: Array.from({ length: 1000 }, () => sum) })).status).toBe(200);
});

test('the texts of an item are listed in order of time, in pages and by source', async () => {
  const { client, db, workspaceId } = service;
  const scenes = [plain(90, 20, 20), plain(20, 40, 90)].map((paint) => ({ paint, seconds: 2 }));
  const subtitles = [
    { start: 0.5, end: 1.2, text: 'The ferry' },
    { start: 1.8, end: 3, text: 'leaves at noon' },
  ];
  await makeVideo(inFolder('talk.mkv'), { scenes, subtitles });
  const { id, ...item } = await client.waitUntilIndexed((await client.upload(inFolder('talk.mkv'))).data.id);
  const off = { state: 'off', progress: null, language: null, model: null, message: null };
  expect(item).toMatchObject({ ocr: off, speech: off });
  const owner = { workspace_id: workspaceId, id };
  await resetExtractions(db, owner, ['ocr', 'speech']);
  const box = { x: 0.25, y: 0.5, width: 0.5, height: 0.125 };
  await addSegments(db, owner, 'ocr', [{ start: 1, end: 2, text: 'PIER 4', language: null, box, confidence: 0.9 }]);
  const end = { state: 'complete', language: 'en', model: 'test', message: null, warning: null } as const;
  await settleExtraction(db, owner, 'ocr', end);
  await failExtraction(db, owner, 'speech', 'Its sound is damaged.');
  expect((await client.get<MediaItem>(`/media/${id}`)).data).toMatchObject({
    ocr: { state: 'complete', progress: null, language: 'en', model: 'test', message: null },
    speech: { state: 'failed', progress: null, language: null, model: null, message: 'Its sound is damaged.' },
  });

  type Text = { id: string; source: string; start: number; end: number; text: string; box: unknown };
  const page = await client.get<Text[]>(`/media/${id}/texts?per_page=2`);
  expect(page.meta).toEqual({ total: 3, page: 1, per_page: 2, total_pages: 2, has_more: true });
  const texts = [...page.data, ...(await client.get<Text[]>(`/media/${id}/texts?per_page=2&page=2`)).data];
  expect(texts.map(({ source, text }) => [source, text])).toEqual([
    ['subtitle', 'The ferry'],
    ['ocr', 'PIER 4'],
    ['subtitle', 'leaves at noon'],
  ]);
  // Their own times, not those of chunks.
  expect(texts[0]?.start).toBeCloseTo(0.5, 1);
  expect(texts[2]?.end).toBeCloseTo(3, 1);
  expect(texts.map((text) => text.box)).toEqual([null, box, null]);
  expect(new Set(texts.map((text) => text.id)).size).toBe(3);
  const chunks = (await client.get<{ text: string | null }[]>(`/media/${id}/chunks`)).data;
  expect(chunks.map(({ text }) => text)).toEqual(['The ferry\nPIER 4\nleaves at noon', 'leaves at noon']);
  expect((await client.search('pier')).data[0]).toMatchObject({ id, signals: { terms: ['pier'] } });

  expect((await client.get<Text[]>(`/media/${id}/texts?source=ocr`)).data.map(({ text }) => text)).toEqual(['PIER 4']);
  expect((await client.get(`/media/${id}/texts?source=chapter`)).data).toEqual([]);
  expect((await client.get(`/media/${id}/texts?source=filename`)).status).toBe(400);
  // Nothing reads it, so it is not deleted in the hope of something better.
  expect((await client.post(`/media/${id}/retry`, undefined)).error.code).toBe('not_ready');
});

test('the chunks of an item are listed in order of time, in pages, with thumbnails', async () => {
  const { client } = service;
  const scenes = [plain(200, 20, 20), plain(20, 40, 200), plain(30, 150, 40)].map((paint) => ({ paint, seconds: 2 }));
  await makeVideo(inFolder('scenes.mkv'), { scenes, subtitles: [{ start: 2.2, end: 3.5, text: 'Now it is blue' }] });
  const item = await client.waitUntilIndexed((await client.upload(inFolder('scenes.mkv'))).data.id);
  type Chunk = { id: string; start: number; end: number; thumbnail: string; text: string | null };
  const page = await client.get<Chunk[]>(`/media/${item.id}/chunks?per_page=2`);
  expect(page.meta).toEqual({ total: 3, page: 1, per_page: 2, total_pages: 2, has_more: true });
  const rest = await client.get<Chunk[]>(`/media/${item.id}/chunks?per_page=2&page=2`);
  const chunks = [...page.data, ...rest.data];
  for (const [i, { start, end }] of chunks.entries()) {
    expect(start).toBeCloseTo(2 * i, 1);
    expect(end).toBeCloseTo(2 * i + 2, 1);
  }
  expect(chunks.map(({ text }) => text)).toEqual([null, 'Now it is blue', null]);
  const picture = await fetch(chunks[1]?.thumbnail ?? '');
  expect(picture.headers.get('Content-Type')).toBe('image/webp');
  expect(picture.headers.get('Access-Control-Allow-Origin')).toBe('*');
  // The identifiers are those of hits.
  const hit = (await client.search('blue')).data[0];
  expect(chunks[1]?.id).toBe(hit?.chunk_id);
});

test('a new name is found by the next search, also inside the item', async () => {
  const { client } = service;
  const scenes = [plain(230, 20, 120), plain(20, 90, 90), plain(90, 80, 10)].map((paint) => ({ paint, seconds: 1 }));
  const subtitles = [{ start: 1.1, end: 1.9, text: 'The ferryman waits' }];
  await makeVideo(inFolder('DSC01234.mkv'), { scenes, subtitles });
  await makePhoto(inFolder('other.png'), plain(225, 25, 118));
  const { id } = await client.waitUntilIndexed((await client.upload(inFolder('DSC01234.mkv'))).data.id);
  await client.waitUntilIndexed((await client.upload(inFolder('other.png'))).data.id);
  expect((await client.search('zeppelin')).data.filter(({ signals }) => signals.text)).toEqual([]);

  const renamed = await client.patch<MediaItem>(`/media/${id}`, { filename: '  Zeppelin over Köln.mkv ' });
  expect(renamed).toMatchObject({ status: 200, data: { filename: 'Zeppelin over Köln.mkv', creator_id: null } });
  const found = (await client.search('zeppelin')).data.filter(({ signals }) => signals.text);
  expect(found.map((hit) => [hit.id, hit.filename])).toEqual(found.map(() => [id, 'Zeppelin over Köln.mkv']));
  expect(found).toHaveLength(3);

  // All of its chunks and no others, with the scores that they have among all.
  const inside = (q: string, n = 100) =>
    client.get<SearchHit[]>(`/media/search?q=${encodeURIComponent(q)}&n=${n}&media_id=${id}`);
  const everywhere = (await client.search('pink')).data;
  expect(everywhere.some((hit) => hit.id !== id)).toBe(true);
  const { data: pink } = await inside('pink');
  expect(pink.map((hit) => hit.id)).toEqual([id, id, id]);
  expect(pink[0]).toMatchObject({ start: 0, score: everywhere.find((hit) => hit.id === id)?.score });
  expect((await inside('ferryman')).data[0]?.start).toBeCloseTo(1, 1);
  expect((await inside('pink', 1)).data).toHaveLength(1);
  expect((await client.get(`/media/search?q=pink&media_id=${crypto.randomUUID()}`)).data).toEqual([]);
  expect((await client.get(`/media/search?q=pink&media_id=7`)).status).toBe(400);
});

test('a name that is empty, too long, a path or deceptive is refused', async () => {
  const { client } = service;
  await makePhoto(inFolder('name.png'), plain(12, 13, 14));
  const { id } = (await client.upload(inFolder('name.png'))).data;
  const rename = (filename: unknown) => client.patch<MediaItem>(`/media/${id}`, { filename });
  for (const name of [
    '',
    '  ',
    'a/b.png',
    'a\\b.png',
    '..',
    'a\nb',
    'a\u202Egnp.exe',
    'a\u200Bb',
    'x'.repeat(256),
    null,
    7,
  ]) {
    expect(await rename(name), JSON.stringify(name)).toMatchObject({
      status: 400,
      error: { details: [{ path: 'body.filename' }] },
    });
  }
  expect((await client.get<MediaItem>(`/media/${id}`)).data.filename).toBe('name.png');
  expect((await rename('🚲'.repeat(255))).status).toBe(200);
});

test('only an item in error can be retried', async () => {
  const { client, workspaceId } = service;
  await makePhoto(inFolder('lost.png'), plain(77, 66, 55));
  await writeFile(inFolder('bad.png'), (await readFile(inFolder('lost.png'))).subarray(0, 60));
  const bad = await client.waitUntilIndexed((await client.upload(inFolder('bad.png'))).data.id);
  expect(bad.status).toBe('error');
  const original = path.join(service.folder, 'data', 'assets', workspaceId, bad.id, 'original');
  // As if the cause had been fixed: a full disk, a missing decoder.
  await rm(original);
  await writeFile(original, await readFile(inFolder('lost.png')));
  const again = await client.post<MediaItem>(`/media/${bad.id}/retry`, undefined);
  expect(again).toMatchObject({ status: 202, data: { status: 'pending', error: null, progress: { stage: 'queued' } } });
  expect(again.headers.get('Location')).toBe(`/api/v1/media/${bad.id}`);
  const mended = await client.waitUntilIndexed(bad.id);
  expect(mended).toMatchObject({ status: 'complete', error: null, chunk_count: 1 });
  expect(await client.post(`/media/${bad.id}/retry`, undefined)).toMatchObject({
    status: 409,
    error: { code: 'not_ready' },
  });
});

test('a list of identifiers gives the state of those items, in the order of the list', async () => {
  const { client } = service;
  const ids: string[] = [];
  for (const shade of [31, 32, 33]) {
    await makePhoto(inFolder(`${shade}.png`), plain(shade, 5, 5));
    ids.push((await client.upload(inFolder(`${shade}.png`))).data.id);
  }
  const [first, second, third] = ids as [string, string, string];
  const unknown = '01a1fbe4-6806-793e-a30f-22b8a44e4f85';
  const idsOf = async (query: string) => (await client.get<MediaItem[]>(`/media?${query}`)).data.map(({ id }) => id);
  expect(await idsOf(`ids=${first},${unknown},${third}`)).toEqual([third, first]);
  expect(await idsOf(`ids=${third},${first},${second}&sort=created_at&per_page=2`)).toEqual([first, second]);
  expect(await idsOf(`ids=${first},${third}&q=33`)).toEqual([third]);
  expect(await idsOf(`ids=${unknown}`)).toEqual([]);
  expect((await client.get(`/media?ids=${Array.from({ length: 100 }, () => first).join(',')}`)).status).toBe(200);
  for (const wrong of ['x', `${first},`, Array.from({ length: 101 }, () => first).join(',')]) {
    expect((await client.get(`/media?ids=${wrong}`)).status, wrong).toBe(400);
  }
});

test('a well-formed filter with an unknown identifier finds nothing', async () => {
  const nothing = '01a1fbe4-6806-793e-a30f-22b8a44e4f85';
  for (const filter of [`creator_id=${nothing}`, `category_id=${nothing}`]) {
    expect(await service.client.get(`/media?${filter}`)).toMatchObject({ status: 200, data: [], meta: { total: 0 } });
    expect(await service.client.get(`/media/highlights?${filter}`)).toMatchObject({ status: 200, data: [] });
  }
});
