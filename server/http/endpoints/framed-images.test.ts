import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SearchHit } from '../../../contract/search.ts';
import { drawImage, makePhoto, makeVideo, type Paint, plain } from '../../../packages/media/samples/draw-media.ts';
import { drawText } from '../../../packages/media/testing/draw-text.ts';
import { composeJpeg, type Place, scene } from '../../../packages/media/testing/framed-images.ts';
import { startTestService } from '../../testing/running-service.ts';

/** A scene between black bars above and below. */
const barred =
  (seed: number): Paint =>
  (x, y, time) =>
    y < 0.2 || y > 0.8 ? [0, 0, 0] : scene(seed)(x, (y - 0.2) / 0.6, time);

const width = 480;
const height = 270;

let service: Awaited<ReturnType<typeof startTestService>>;
/** Identifiers of items by what they show. */
const items: Record<string, string> = {};

const inFolder = (name: string) => path.join(service.folder, name);

/** A page with a text and one or two of the scenes. */
async function drawPage(...seeds: [number, number?]): Promise<Buffer> {
  const page = await drawText(drawImage(plain(255, 255, 255), 800, 600), [
    { text: 'Ten miles to the coast', left: 60, top: 24, size: 32 },
    { text: 'The road goes on for another ten miles before it reaches it.', left: 60, top: 480, size: 16 },
    { text: 'Nobody takes it in winter.', left: 60, top: 510, size: 16 },
  ]);
  const places = [
    { left: 60, top: 100, width: 360, height: 203 },
    { left: 480, top: 100, width: 240, height: 135 },
  ];
  const pictures = seeds.map((seed = 0, i) => {
    const place = places[i] as Place;
    return { image: drawImage(scene(seed), place.width, place.height), place };
  });
  return composeJpeg(page, pictures);
}

const search = async (image: Buffer, options: object = {}): Promise<SearchHit[]> =>
  (await service.client.post<SearchHit[]>('/media/search/image', { image: image.toString('base64'), ...options })).data;

const draw = (paint: Paint): Promise<Buffer> => composeJpeg(drawImage(paint, width, height), []);

async function add(name: string, file: string): Promise<void> {
  items[name] = (await service.client.upload(inFolder(file))).data.id;
  await service.client.waitUntilIndexed(items[name]);
}

beforeAll(async () => {
  service = await startTestService();
  for (const seed of [1, 2, 3, 4]) {
    await writeFile(inFolder(`${seed}.jpg`), await draw(scene(seed)));
    await add(`scene ${seed}`, `${seed}.jpg`);
  }
  await writeFile(inFolder('bars.jpg'), await draw(barred(5)));
  await add('scene 5 with bars', 'bars.jpg');
  await makeVideo(inFolder('film.mp4'), {
    scenes: [
      { paint: barred(6), seconds: 2 },
      { paint: plain(3, 3, 3), seconds: 2 },
    ],
    width,
    height,
  });
  await add('film of scene 6 with bars', 'film.mp4');
  await writeFile(inFolder('page.jpg'), await drawPage(6));
  await add('page with scene 6', 'page.jpg');
  // Another photograph that has as much white.
  await makePhoto(inFolder('white.png'), (x, y) => (x < 0.4 && y < 0.4 ? [200, 190, 180] : [255, 255, 255]));
  await add('white', 'white.png');
});

afterAll(() => service[Symbol.asyncDispose]());

describe('an image with bars', () => {
  test('finds the plain one, as certainly as a copy', async () => {
    for (const seed of [1, 2, 3, 4]) {
      const [first] = await search(await draw(barred(seed)));
      expect(first).toMatchObject({ id: items[`scene ${seed}`], weak: false });
      expect(first?.signals.visual).toBeGreaterThan(0.9);
    }
  });

  test('is found by the plain one', async () => {
    const [first] = await search(await draw(scene(5)));
    expect(first).toMatchObject({ id: items['scene 5 with bars'] });
    expect(first?.signals.visual).toBeGreaterThan(0.9);
  });

  test('is found in a video, beside a dark scene, and the moment finds it back', async () => {
    const [first] = await search(await draw(scene(6)));
    expect(first).toMatchObject({ id: items['film of scene 6 with bars'], start: 0 });
    expect(first?.signals.visual).toBeGreaterThan(0.9);
    const { data } = await service.client.post<SearchHit[]>('/media/search/image', {
      media_id: items['film of scene 6 with bars'],
      at: 1,
    });
    expect(data[0]).toMatchObject({ id: items['film of scene 6 with bars'], start: 0 });
  });
});

describe('a screenshot', () => {
  test.each([{}, { dedupe: true }, { rerank: true }])('finds the pictures inside, each once: %j', async (options) => {
    const hits = await search(await drawPage(1, 2), { ...options, n: 6 });
    expect(hits.slice(0, 2).map(({ id }) => id)).toEqual(
      expect.arrayContaining([items['scene 1'] as string, items['scene 2'] as string]),
    );
    const chunks = hits.flatMap(({ chunk_id: id, duplicates }) => [
      id,
      ...(duplicates ?? []).map((duplicate) => duplicate.chunk_id),
    ]);
    expect(new Set(chunks).size).toBe(chunks.length);
    expect(hits.length).toBeLessThanOrEqual(6);
    const scores = hits.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect((await search(await drawPage(1, 2), { ...options, n: 1 })).length).toBe(1);
  });

  test('is found by the picture inside, as one item with one chunk', async () => {
    const hits = (await search(await draw(scene(6)))).filter(({ id }) => id === items['page with scene 6']);
    expect(hits).toMatchObject([{ start: 0, end: 0 }]);
    // As a whole it is like any white page: 0.3.
    expect(hits[0]?.signals.visual).toBeGreaterThan(0.7);
    expect((await service.client.get<unknown[]>(`/media/${items['page with scene 6']}/chunks`)).data).toHaveLength(1);
  });
});
