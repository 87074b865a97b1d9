import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MediaItem } from '../../../contract/media.ts';
import type { SearchHit } from '../../../contract/search.ts';
import { makePhoto, makeVideo, plain } from '../../../packages/media/samples/draw-media.ts';
import { startTestService } from '../../testing/running-service.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
/** Items with 0 to 3 stars. */
const ids: string[] = [];

beforeAll(async () => {
  service = await startTestService();
  const { client } = service;
  for (const stars of [0, 1, 2, 3]) {
    const file = path.join(service.folder, `harbour-${stars}.png`);
    await makePhoto(file, plain(40 * stars, 90, 200));
    const { id } = await client.waitUntilIndexed((await client.upload(file)).data.id);
    ids.push(id);
    if (stars > 0) await client.patch(`/media/${id}`, { rating: stars });
  }
});

afterAll(() => service[Symbol.asyncDispose]());

test('an item has no rating until it is rated, and 0 takes the rating away', async () => {
  const { client } = service;
  const rate = (rating: unknown) => client.patch<MediaItem>(`/media/${ids[0]}`, { rating });
  expect((await client.get<MediaItem>(`/media/${ids[0]}`)).data.rating).toBe(0);
  expect((await rate(5)).data.rating).toBe(5);
  expect((await rate(0)).data.rating).toBe(0);
  for (const wrong of [-1, 6, 2.5, '3', null]) {
    expect(await rate(wrong)).toMatchObject({ status: 400, error: { code: 'validation_error' } });
  }
});

test('ratings limit and order the list', async () => {
  const { client } = service;
  const list = async (query: string) =>
    (await client.get<MediaItem[]>(`/media?${query}`)).data.map(({ rating }) => rating);
  expect(await list('rating_min=2&sort=-rating')).toEqual([3, 2]);
  expect(await list('rating_max=1&sort=rating')).toEqual([0, 1]);
  expect(await list('rating_min=1&rating_max=2&sort=-rating')).toEqual([2, 1]);
  expect(await list('rating_max=0')).toEqual([0]);
  for (const wrong of ['rating_min=6', 'rating_min=1.5', 'rating_max=-1', 'rating_min=a', 'rating_min=']) {
    expect((await client.get(`/media?${wrong}`)).status).toBe(400);
  }
});

test('ratings limit searches, image searches, highlights and the map, also after they change', async () => {
  const { client } = service;
  const answers = async (filter: string) => {
    const found = await Promise.all([
      client.get<SearchHit[]>(`/media/search?q=harbour&${filter}`),
      client.post<SearchHit[]>(`/media/search/image?${filter}`, { media_id: ids[3] }),
      client.get<SearchHit[]>(`/media/highlights?${filter}`),
      client.get<{ id: string }[]>(`/media/highlights/map?${filter}`),
    ]);
    return found.map(({ data }) => data.map(({ id }) => ids.indexOf(id)).toSorted((a, b) => a - b));
  };
  expect(await answers('rating_min=2')).toEqual(Array.from({ length: 4 }, () => [2, 3]));
  expect(await answers('rating_max=0')).toEqual(Array.from({ length: 4 }, () => [0]));
  await client.patch(`/media/${ids[0]}`, { rating: 2 });
  expect(await answers('rating_min=2&rating_max=2')).toEqual(Array.from({ length: 4 }, () => [0, 2]));
  const inBody = { media_id: ids[3], rating_min: 3 };
  expect((await client.post<SearchHit[]>('/media/search/image', inBody)).data.map(({ id }) => id)).toEqual([ids[3]]);
  const wrong = await client.post('/media/search/image', { ...inBody, rating_min: 9 });
  expect(wrong).toMatchObject({ status: 400 });
});

test('lengths limit lists and searches to videos, in seconds with fractions', async () => {
  const { client } = service;
  const file = path.join(service.folder, 'two-seconds.mp4');
  await makeVideo(file, { scenes: [{ paint: plain(20, 60, 200), seconds: 2 }] });
  const { id } = await client.waitUntilIndexed((await client.upload(file)).data.id);
  const found = async (filter: string) =>
    (await client.get<MediaItem[]>(`/media?${filter}`)).data.map((each) => each.id);
  expect(await found('duration_min=1.5&duration_max=2.5')).toEqual([id]);
  expect(await found('duration_max=1000')).toEqual([id]);
  expect(await found('duration_min=2.5')).toEqual([]);
  const { data } = await client.get<SearchHit[]>('/media/search?q=blue&duration_min=1');
  expect(new Set(data.map((hit) => hit.id))).toEqual(new Set([id]));
  expect((await client.get('/media?duration_min=1e3')).status).toBe(400);
});
