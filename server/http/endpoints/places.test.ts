import path from 'node:path';
import sharp, { type Exif } from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SearchHit } from '../../../contract/search.ts';
import { makePhoto, plain } from '../../../packages/media/samples/draw-media.ts';
import { startTestService } from '../../testing/running-service.ts';

let service: Awaited<ReturnType<typeof startTestService>>;
const names = ['hamburg', 'suva', 'anywhere'];
const ids: string[] = [];

const degrees = (value: number) => {
  const minutes = Math.abs(value) * 60;
  return `${Math.floor(minutes / 60)}/1 ${Math.round((minutes % 60) * 1000)}/1000 0/1`;
};
const positionOf = (latitude: number, longitude: number) => ({
  GPSLatitudeRef: latitude < 0 ? 'S' : 'N',
  GPSLatitude: degrees(latitude),
  GPSLongitudeRef: longitude < 0 ? 'W' : 'E',
  GPSLongitude: degrees(longitude),
});

beforeAll(async () => {
  service = await startTestService();
  const { client, folder } = service;
  const exif = [
    {
      IFD0: { Make: 'Canon', Model: 'Canon EOS R5' },
      IFD2: { LensModel: 'RF50mm F1.8' },
      IFD3: positionOf(53.5459, 9.9695),
    },
    { IFD0: { Make: 'Apple', Model: 'iPhone 15' }, IFD3: positionOf(-18.14, 178.44) },
    { IFD0: { Make: 'Apple', Model: 'iPhone 15' } },
  ];
  for (const [i, name] of names.entries()) {
    await makePhoto(path.join(folder, 'plain.png'), plain(80 * i, 90, 200));
    const file = path.join(folder, `${name} beach.jpg`);
    await sharp(path.join(folder, 'plain.png'))
      .withExif(exif[i] as unknown as Exif)
      .toFile(file);
    ids.push((await client.waitUntilIndexed((await client.upload(file)).data.id)).id);
  }
});

afterAll(() => service[Symbol.asyncDispose]());

test('positions limit lists, searches, image searches and highlights, across the date line too', async () => {
  const { client } = service;
  const found = async (filter: string) => {
    const answers = await Promise.all([
      client.get<{ id: string }[]>(`/media?${filter}`),
      client.get<SearchHit[]>(`/media/search?q=beach&as_written=1&${filter}`),
      client.post<SearchHit[]>(`/media/search/image?${filter}`, { media_id: ids[2] }),
      client.get<SearchHit[]>(`/media/highlights?${filter}`),
    ]);
    return answers.map(({ data }) => data.map(({ id }) => names[ids.indexOf(id)]));
  };
  const everywhere = (expected: string[]) => Array.from({ length: 4 }, () => expected);
  expect(await found('near=53.55,9.99,5')).toEqual(everywhere(['hamburg']));
  expect(await found('near=53.55,9.99,1')).toEqual(everywhere([]));
  expect(await found('near=-18,-179.9,200')).toEqual(everywhere(['suva']));
  expect(await found('box=-30,170,0,-170')).toEqual(everywhere(['suva']));
  expect(await found('box=53,9,54,10')).toEqual(everywhere(['hamburg']));
});

test('a place is found by its city and by its country', async () => {
  const { client } = service;
  const found = async (filter: string) =>
    (await client.get<{ id: string }[]>(`/media?${filter}`)).data.map(({ id }) => names[ids.indexOf(id)]);
  for (const place of ['hamburg', 'Germany', 'GERM']) expect(await found(`place=${place}`)).toEqual(['hamburg']);
  for (const place of ['Suva', 'Fiji']) expect(await found(`place=${place}`), place).toEqual(['suva']);
  expect(await found('lens=rf50')).toEqual(['hamburg']);
});

test('values are counted under the filters of the other fields', async () => {
  const { client } = service;
  const { data } = await client.get<Record<string, { value: string; count: number }[]>>('/media/facets?camera=iphone');
  expect(data['camera']).toEqual([
    { value: 'Apple iPhone 15', count: 2 },
    { value: 'Canon EOS R5', count: 1 },
  ]);
  expect(data['place']).toEqual([{ value: expect.stringContaining('Fiji') as string, count: 1 }]);
  expect(data['lens']).toEqual([]);
  expect(data['type']).toEqual([{ value: 'image', count: 2 }]);
});

test('places come in groups with a picture of what was recorded last, and say how many items have a position', async () => {
  const { client } = service;
  type Group = { media_id: string; count: number; place: string; thumbnail: string };
  const { data, meta } = await client.get<Group[]>('/media/places?zoom=3');
  expect(new Set(data.map(({ media_id }) => names[ids.indexOf(media_id)]))).toEqual(new Set(['hamburg', 'suva']));
  expect(meta).toMatchObject({
    located: 2,
    box: { south: expect.closeTo(-18.14, 3) as number, north: expect.closeTo(53.5459, 3) as number },
  });
  for (const { thumbnail } of data) expect((await fetch(thumbnail)).headers.get('Content-Type')).toBe('image/webp');
  const seen = await client.get<Group[]>('/media/places?zoom=3&view=50,0,60,20');
  expect(seen.data.map(({ place }) => place)).toEqual(['Hamburg, Germany']);
  expect(seen.meta).toEqual(meta);
  expect((await client.get('/media/places?camera=none')).meta).toEqual({ located: 0, box: null, tiles: null });
});

test('what is no area is refused, with the parameter and an example', async () => {
  const { client } = service;
  for (const [path, name] of [
    ['/media?near=Hamburg', 'near'],
    ['/media/search?q=beach&near=91,0,5', 'near'],
    ['/media/facets?box=1,2,3', 'box'],
    ['/media/places?view=54,9,53,10', 'view'],
    ['/media/places?zoom=21', 'zoom'],
  ] as const) {
    expect(await client.get(path)).toMatchObject({ status: 400, error: { details: [{ path: `query.${name}` }] } });
  }
});
