import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { probeMedia } from '@media-search/media/probe-video';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { MediaExport } from '../../contract/exports.ts';
import type { MediaItem } from '../../contract/media.ts';
import type { SearchHit } from '../../contract/search.ts';
import type { Workspace } from '../../contract/workspace.ts';
import { makePhoto, plain } from '../../packages/media/samples/draw-media.ts';
import { makeRecording } from '../../packages/media/testing/make-recording.ts';
import { placeSounds, speak } from '../../packages/models/testing/speak.ts';
import { startTestService } from '../testing/running-service.ts';

// One service with the real model of speech, for all of this file.
const service = await startTestService({ speech: 'auto', workers: 1 });
const { client } = service;
afterAll(() => service[Symbol.asyncDispose]());

const file = (name: string) => path.join(service.folder, name);

/** From 16,000 samples a second to 48,000. */
const toRate = (samples: Float32Array) =>
  Float32Array.from({ length: 3 * samples.length }, (_, i) => samples[Math.floor(i / 3)] ?? 0);

let memo: MediaItem;
let photo = '';
beforeAll(async () => {
  const { samples } = await speak('Welcome to the museum. Today we will see all the paintings.', {
    voice: 'en-us+f5',
    rate: 150,
  });
  await makeRecording(file('memo.mp3'), {
    samples: toRate(placeSounds(24, [{ at: 13, samples }])),
    tags: { title: 'Guided tour', artist: 'Zephyrine Quill' },
  });
  const { id } = (await client.upload(file('memo.mp3'))).data;
  await makePhoto(file('photo.png'), plain(200, 30, 30));
  photo = (await client.upload(file('photo.png'))).data.id;
  await client.waitUntilIndexed(photo);
  memo = await vi.waitFor(
    async () => {
      const { data } = await client.get<MediaItem>(`/media/${id}`);
      expect(data).toMatchObject({ status: 'complete', speech: { state: 'complete' } });
      return data;
    },
    { timeout: 60_000, interval: 100 },
  );
});

test('the size of its picture is no shape of a recording', async () => {
  const { data: facets } = await client.get<Record<string, unknown[]>>('/media/facets');
  const of = { orientation: 'landscape', resolution: 'sd' };
  for (const [name, value] of Object.entries(of)) expect(facets[name]).toEqual([{ value, count: 1 }]);
  const { data: listed } = await client.get<MediaItem[]>('/media?orientation=landscape&resolution=sd');
  expect(listed.map(({ id }) => id)).toEqual([photo]);
  expect((await client.search('zephyrine', '&orientation=landscape')).data.map(({ id }) => id)).not.toContain(memo.id);
});

test('a recording is an item with a waveform, a picture and its sound', async () => {
  expect(memo).toMatchObject({ type: 'audio', mime_type: 'audio/mpeg', ocr: { state: 'off' }, preview: null });
  expect(memo.details).toMatchObject({ container: 'MP3', title: 'Guided tour', artist: 'Zephyrine Quill' });
  const { peaks } = (await (await fetch(memo.waveform ?? '')).json()) as { peaks: number[] };
  expect(peaks.slice(0, peaks.length / 2).every((peak) => peak < 10)).toBe(true);
  expect(Math.max(...peaks)).toBe(255);
  const picture = await fetch(memo.thumbnail ?? '');
  expect(picture.headers.get('content-type')).toBe('image/webp');
  const sound = await fetch(memo.url ?? '', { headers: { Range: 'bytes=0-99' } });
  expect([sound.status, sound.headers.get('content-type')]).toEqual([206, 'audio/mpeg']);
  const { data } = await client.get<Workspace>('/workspace');
  expect(data.usage.by_type).toEqual({ video: 0, image: 1, audio: 1 });
  expect(data.usage.indexed_seconds).toBeCloseTo(24, 0);
});

test('it is found at the second by what is said, by what it says of itself, and by its type', async () => {
  const { data: hits } = await client.search('museum');
  expect(hits[0]).toMatchObject({ id: memo.id, type: 'audio', url: expect.stringContaining('/original') as string });
  expect(hits[0]?.start).toBeLessThanOrEqual(13.5);
  expect(hits[0]?.end).toBeGreaterThan(13.5);
  expect((hits[0]?.end ?? 99) - (hits[0]?.start ?? 0)).toBeLessThanOrEqual(10);
  expect(hits[0]?.signals.matches?.[0]).toMatchObject({ source: 'speech' });
  expect((await client.search('zephyrine')).data.map(({ id }) => id)).toContain(memo.id);
  const of = async (type: string) => (await client.search('museum', `&type=${type}`)).data.map(({ id }) => id);
  expect(new Set(await of('audio'))).toEqual(new Set([memo.id]));
  expect(await of('video')).toEqual([]);
  expect((await client.get<MediaItem[]>('/media?type=audio')).data.map(({ id }) => id)).toEqual([memo.id]);
});

test('what compares pictures leaves it out, and says so where it is asked for', async () => {
  const image = (await makePhotoBytes()).toString('base64');
  const { data: alike } = await client.post<SearchHit[]>('/media/search/image', { image });
  expect(alike.map(({ id }) => id)).toEqual([photo]);
  const like = await client.post('/media/search/image', { media_id: memo.id });
  expect([like.status, like.error?.code]).toEqual([422, 'unreadable_media']);
  const { data: unusual } = await client.get<SearchHit[]>('/media/highlights');
  expect(unusual.map(({ id }) => id)).not.toContain(memo.id);
  const { data: judged } = await client.search('museum', '&rerank=1');
  expect(judged[0]?.id).toBe(memo.id);
});

async function makePhotoBytes(): Promise<Buffer> {
  await makePhoto(file('query.png'), plain(210, 40, 30));
  return readFile(file('query.png'));
}

test('a clip of it is sound; a still, an animation and a cut list say that it has no pictures', async () => {
  const moments = [{ media_id: memo.id, start: 13, end: 15.5 }];
  const { data } = await client.post<MediaExport>('/exports', { format: 'mp4', moments });
  expect(data.filename).toMatch(/^memo .*\.m4a$/);
  const answer = await fetch(data.url);
  expect(answer.headers.get('content-type')).toBe('audio/mp4');
  await writeFile(file('clip.m4a'), Buffer.from(await answer.arrayBuffer()));
  await using clip = await probeMedia(file('clip.m4a'), new AbortController().signal);
  expect([clip.video, clip.audioCodec]).toEqual([undefined, 'aac']);
  expect(clip.duration).toBeGreaterThan(2.4);
  expect(clip.duration).toBeLessThan(2.6);
  for (const format of ['jpeg', 'gif']) {
    const refused = await client.post('/exports', { format, moments });
    expect([refused.status, refused.error?.details?.[0]?.message]).toEqual([
      400,
      'must not name a recording for this format, because it has no pictures; `mp4` gives its sound',
    ]);
  }
  const list = await client.post<MediaExport>('/exports', { format: 'edl', moments });
  expect(await (await fetch(list.data.url)).text()).toContain('it has no pictures');
  const frame = await fetch(`${service.url}/api/v1/media/${memo.id}/frame?at=3`, {
    headers: { Authorization: `Bearer ${service.key}` },
  });
  expect([frame.status, frame.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
});

test('a link to a moment of it gives the sound of that moment alone', async () => {
  const { data } = await client.post<{ url: string }>('/shares', {
    media_id: memo.id,
    start: 13,
    end: 15,
    expires_in_hours: 1,
  });
  const page = await (await fetch(data.url)).text();
  expect(page).toContain('Shared recording');
  expect(page).toContain('<video src=');
  const sound = await fetch(`${data.url}/media`);
  expect([sound.status, sound.headers.get('content-type')]).toEqual([200, 'audio/mp4']);
  expect((await fetch(`${data.url}/thumbnail`)).status).toBe(200);
});
