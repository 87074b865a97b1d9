import path from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SearchHit } from '../../../contract/search.ts';
import { makePhoto, makeVideo, plain } from '../../../packages/media/samples/draw-media.ts';
import { startTestService } from '../../testing/running-service.ts';

/** A sentence with conditions, from the request to the hits. */

let service: Awaited<ReturnType<typeof startTestService>>;
let ana: string;
let ben: string;
let red: string;

beforeAll(async () => {
  service = await startTestService();
  const { client, folder } = service;
  ana = (await client.post<{ id: string }>('/creators', { name: 'Ana Passer' })).data.id;
  ben = (await client.post<{ id: string }>('/creators', { name: 'Ben Okafor' })).data.id;
  red = (await client.post<{ id: string }>('/tags', { name: 'red' })).data.id;
  const add = async (
    name: string,
    colour: [number, number, number],
    creator: string,
    size = { width: 320, height: 240 },
  ) => {
    const file = path.join(folder, name);
    await makePhoto(file, plain(...colour), size);
    return (await client.waitUntilIndexed((await client.upload(file, name, { creator_id: creator })).data.id)).id;
  };
  await add('harbour one.png', [200, 30, 30], ana);
  await add('harbour two.png', [30, 160, 60], ben, { width: 240, height: 320 });
  const tagged = await add('car.png', [200, 30, 40], ben);
  await client.post(`/tags/${red}/items`, { add: [tagged] });
  const recorded = path.join(folder, 'waves.jpg');
  await sharp({ create: { width: 300, height: 300, channels: 3, background: '#204080' } })
    .withExif({ IFD0: { Make: 'GoPro', Model: 'HERO11 Black' } })
    .toFile(recorded);
  await client.waitUntilIndexed((await client.upload(recorded, 'waves.jpg', { creator_id: ben })).data.id);
  const film = path.join(folder, 'film.mkv');
  await makeVideo(film, {
    scenes: [{ paint: plain(30, 40, 200), seconds: 4 }],
    subtitles: [{ start: 0, end: 3, text: 'The harbour is closed' }],
  });
  await client.waitUntilIndexed((await client.upload(film, 'film.mkv', { creator_id: ana })).data.id);
});

afterAll(() => service[Symbol.asyncDispose]());

const search = (q: string, more = '') =>
  service.client.get<SearchHit[], Record<string, unknown>>(`/media/search?q=${encodeURIComponent(q)}${more}`);
const namesOf = (hits: SearchHit[]) => hits.map(({ filename }) => filename).toSorted();

test('what is certain is a filter, and is no part of what is searched for', async () => {
  const { data, meta } = await search('harbour photos by Ana');
  expect(namesOf(data)).toEqual(['harbour one.png']);
  expect(data[0]?.signals.terms).toEqual(['harbour']);
  expect(meta['query']).toBe('harbour photos by Ana');
  expect(meta['conditions']).toEqual([
    { text: 'photos', start: 8, end: 14, field: 'type', parameters: { type: 'image' }, certain: true },
    { text: 'by Ana', start: 15, end: 21, field: 'creator_id', parameters: { creator_id: ana }, certain: true },
  ]);
});

test('as written nothing is a condition, and named fields are none', async () => {
  const written = await search('harbour photos by Ana', '&as_written=1');
  expect(written.meta).not.toHaveProperty('conditions');
  expect(namesOf(written.data)).toContain('harbour two.png');
  const words = await search('harbour photos by Ana', '&as_words=creator_id');
  expect(words.meta['conditions']).toMatchObject([{ field: 'type' }]);
  expect(namesOf(words.data)).toEqual(['harbour one.png', 'harbour two.png']);
  expect((await search('harbour', '&as_words=size')).status).toBe(400);
});

test('a filter of the request wins over the condition of its field', async () => {
  const { data, meta } = await search('harbour photos by Ana', `&creator_id=${ben}`);
  expect(namesOf(data)).toEqual(['harbour two.png']);
  expect(meta['conditions']).toMatchObject([{ field: 'type' }]);
});

test('nothing but conditions lists what they let pass', async () => {
  const { data } = await search('vertical photos');
  expect(namesOf(data)).toEqual(['harbour two.png']);
  expect(data[0]).toMatchObject({ score: 1, weak: false });
  expect(namesOf((await search('videos by Ana Passer')).data)).toEqual(['film.mkv']);
  expect((await search('videos from 1999')).data).toEqual([]);
});

test('cameras are those of the library, and a square is a shape', async () => {
  const { data, meta } = await search('shot on a GoPro');
  expect(namesOf(data)).toEqual(['waves.jpg']);
  const [condition] = meta['conditions'] as { field: string; parameters: { camera: string } }[];
  expect(condition?.parameters.camera).toContain('HERO11');
  expect(namesOf((await search('square photos')).data)).toEqual(['waves.jpg']);
  // Nobody here has one, so it is no condition.
  expect((await search('shot on a Hasselblad')).meta).not.toHaveProperty('conditions');
});

test('what may be a description is preferred: it comes first among equals, and leaves nothing out', async () => {
  const preferred = await search('red harbour car', '&in=filename');
  expect(preferred.meta['conditions']).toMatchObject([
    { text: 'red', field: 'tag_ids', parameters: { tag_id: red }, certain: false },
  ]);
  const plainly = await search('red harbour car', '&in=filename&as_words=tag_ids');
  expect(namesOf(preferred.data)).toEqual(namesOf(plainly.data));
  const scoreOf = (hits: SearchHit[], name: string) => hits.find(({ filename }) => filename === name)?.score ?? 0;
  expect(scoreOf(preferred.data, 'car.png')).toBeGreaterThan(scoreOf(plainly.data, 'car.png'));
  expect(scoreOf(preferred.data, 'harbour one.png')).toBe(scoreOf(plainly.data, 'harbour one.png'));
  const scores = preferred.data.map(({ score }) => score);
  expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  // Chosen as a filter it is no word any more.
  const chosen = await search('red car', `&tag_id=${red}`);
  expect(chosen.data.map(({ signals }) => signals.terms)).toEqual([['car']]);
  expect(chosen.meta).not.toHaveProperty('conditions');
});

test('what is said is looked for in speech and subtitles alone', async () => {
  const { data, meta } = await search('someone says harbour');
  expect(meta['conditions']).toMatchObject([{ field: 'said', parameters: { in: 'speech', words: 'harbour' } }]);
  // The names of files are nothing that somebody says.
  expect(namesOf(data)).toEqual(['film.mkv']);
});

test('what is said is looked for where the request says, and is no leave to list everything', async () => {
  const { data, meta } = await search('someone says harbour', '&in=filename');
  expect(meta).not.toHaveProperty('conditions');
  expect(data.filter(({ signals }) => signals.terms?.includes('harbour')).length).toBe(2);
  expect(namesOf((await search('someone says harbour', '&in=subtitle')).data)).toContain('film.mkv');
});

test('a name that is given after a search is known to the next one', async () => {
  expect((await search('harbour by Ana Lima')).meta['conditions']).not.toMatchObject([{ text: 'by Ana Lima' }]);
  const { data } = await service.client.post<{ id: string }>('/creators', { name: 'Ana Lima' });
  expect((await search('harbour by Ana Lima')).meta['conditions']).toMatchObject([
    { text: 'by Ana Lima', parameters: { creator_id: data.id }, certain: true },
  ]);
});

test('a time zone is the name of one', async () => {
  expect((await search('today', '&time_zone=Europe/Berlin')).status).toBe(200);
  expect((await search('today', '&time_zone=Mars/Olympus')).status).toBe(400);
});
