import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SearchHit, SearchMeta } from '../../../contract/search.ts';
import { makePhoto, makeVideo, type Paint, plain } from '../../../packages/media/samples/draw-media.ts';
import { startTestService } from '../../testing/running-service.ts';

/** Searches whose query joins several descriptions: of one moment, and of moments that follow each other. */

let service: Awaited<ReturnType<typeof startTestService>>;
const chunkOf = new Map<string, string>();

const halves =
  (left: Paint, right: Paint): Paint =>
  (x, y, time) =>
    (x < 0.5 ? left : right)(x, y, time);
const colours = {
  red: plain(205, 25, 25),
  green: plain(35, 150, 45),
  blue: plain(25, 45, 205),
  yellow: plain(240, 220, 30),
};
type Colour = keyof typeof colours;

/** Films by the colours of their scenes, of three seconds each. Their names say nothing. */
const films: Record<string, Colour[]> = {
  'one.mkv': ['red', 'green', 'blue'],
  'two.mkv': ['blue', 'green', 'red'],
  'three.mkv': ['red', 'green', 'blue', 'green', 'yellow'],
};

beforeAll(async () => {
  service = await startTestService();
  const { client, folder } = service;
  const uploads: string[] = [];
  const upload = async (name: string, fields: Record<string, string> = {}) =>
    uploads.push((await client.upload(path.join(folder, name), name, fields)).data.id);
  for (const [name, scenes] of Object.entries(films)) {
    await makeVideo(path.join(folder, name), {
      scenes: scenes.map((colour) => ({ paint: colours[colour], seconds: 3 })),
      subtitles: scenes.map((_, i) => ({ start: 3 * i, end: 3 * i + 2, text: i === 1 ? 'a lighthouse' : 'the sea' })),
    });
    await upload(name);
  }
  const photos: Record<string, Paint> = {
    'r.png': colours.red,
    'b.png': colours.blue,
    'rb.png': halves(colours.red, colours.blue),
    'rg.png': halves(colours.red, colours.green),
    'gb.png': halves(colours.green, colours.blue),
    'y.png': colours.yellow,
  };
  for (const [name, paint] of Object.entries(photos)) {
    await makePhoto(path.join(folder, name), paint);
    await upload(name);
  }
  for (const id of uploads) expect((await client.waitUntilIndexed(id)).status).toBe('complete');
  for (const { filename, chunk_id } of (await client.search('red', '&n=100')).data) chunkOf.set(filename, chunk_id);
});

afterAll(() => service[Symbol.asyncDispose]());

const search = (q: string, more = '') => service.client.search(q, more);
const names = (hits: SearchHit[]) => hits.map(({ filename }) => filename);
/** The same whatever time it took, and whatever second its URLs were signed in. */
const essence = ({ data, meta }: { data: SearchHit[]; meta: SearchMeta }) => ({
  hits: data.map(({ url: _url, thumbnail: _thumbnail, thumbnails: _thumbnails, ...hit }) => hit),
  meta: { ...meta, took_ms: 0, query: '' },
});

describe('in one moment', () => {
  test('both have to be there, however much of one there is', async () => {
    for (const [q, more] of [
      ['"red" and "blue"', ''],
      ['red AND blue', ''],
      ['red', '&and=blue'],
    ] as const) {
      const { data, meta } = await search(q, `&type=image&n=6${more}`);
      expect(data[0]?.filename, q).toBe('rb.png');
      expect(data[0]?.score).toBeGreaterThan(2 * (data[1]?.score ?? 0));
      expect(meta.expression).toEqual({ steps: [[['red', 'blue']]] });
    }
  });

  test('either is enough', async () => {
    const { data, meta } = await search('"yellow" or "blue"', '&type=image&n=2');
    expect(names(data).toSorted()).toEqual(['b.png', 'y.png']);
    expect(meta.expression).toEqual({ steps: [[['yellow'], ['blue']]] });
    expect(essence(await search('yellow', '&or=blue&type=image&n=2'))).toEqual(
      essence(await search('"yellow" or "blue"', '&type=image&n=2')),
    );
  });

  test('words in texts and what is shown are joined', async () => {
    const { data } = await search('"lighthouse" and "green"', '&n=3');
    expect(names(data).toSorted()).toEqual(Object.keys(films).toSorted());
    for (const { start, signals } of data) {
      expect(start).toBeCloseTo(3, 0);
      expect(signals).toMatchObject({ terms: expect.arrayContaining(['lighthouse']), visual: expect.any(Number) });
    }
    const { data: none } = await search('"lighthouse" and "yellow"', '&n=3');
    expect(none[0]?.score).toBeLessThan(data[0]?.score ?? 0);
  });

  test('what is not to be there is left out, of each part and by a parameter alike', async () => {
    const { data, meta } = await search('red AND blue', '&type=image&without=blue');
    expect(names(data)).not.toContain('rb.png');
    expect(meta.excluded).toEqual(['blue']);
    expect(essence(await search('red', '&type=image&without=blue'))).toEqual(
      essence(await search('red -blue', '&type=image')),
    );
  });
});

describe('one after the other', () => {
  test('a hit spans both, in that order only, and has each', async () => {
    const { data, meta } = await search('"red" then "blue"');
    expect(names(data)[0]).toMatch(/^(?:one|three)/);
    const hit = data.find(({ filename }) => filename === 'one.mkv') as SearchHit;
    expect(hit).toMatchObject({ start: expect.closeTo(0, 1), end: expect.closeTo(9, 0), weak: false });
    expect(hit.steps).toEqual([
      { start: hit.start, end: expect.closeTo(3, 0), chunk_id: hit.chunk_id, score: expect.any(Number) },
      { start: expect.closeTo(6, 0), end: hit.end, chunk_id: expect.any(String), score: expect.any(Number) },
    ]);
    const backwards = data.find(({ filename }) => filename === 'two.mkv');
    expect(backwards === undefined || backwards.score < hit.score / 2).toBe(true);
    // Photographs have no time.
    expect(data.every(({ type }) => type === 'video')).toBe(true);
    expect(meta.expression).toEqual({ steps: [[['red']], [['blue']]], within: 30 });
  });

  test('no more seconds lie between them than are asked for', async () => {
    const far = (data: SearchHit[]) => data.find(({ filename, weak }) => filename === 'three.mkv' && !weak);
    const wide = await search('"red" then "yellow" within 10 s');
    expect(far(wide.data)?.steps?.at(-1)?.start).toBeCloseTo(12, 0);
    expect(far((await search('"red" then "yellow" within 8 s')).data)).toBeUndefined();
    expect(essence(await search('red', '&then=yellow&within=10'))).toEqual(essence(wide));
  });

  test('three steps too, and steps of alternatives', async () => {
    const { data } = await search('red THEN "green" THEN "yellow" or "blue"');
    expect(data[0]).toMatchObject({ filename: expect.stringMatching(/^(?:one|three)/), steps: [{}, {}, {}] });
    const order = data[0]?.steps?.map(({ start }) => start) ?? [];
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  });

  test('near-duplicates are dropped, and each film is there once where its sequences overlap', async () => {
    const { data } = await search('"red" then "green"', '&dedupe=1');
    const clear = data.filter(({ weak }) => !weak);
    expect(names(clear).filter((name) => name !== 'two.mkv')).toHaveLength(1);
  });
});

describe('like a picture', () => {
  test('a chunk and words are joined, and the chunk itself is no hit', async () => {
    const like = chunkOf.get('r.png');
    const { data } = await search('blue', `&like=${like}&type=image`);
    expect(data[0]?.filename).toBe('rb.png');
    expect(names(data)).not.toContain('r.png');
  });

  test('an image that is sent and words are', async () => {
    const { data: found } = await search('red', '&n=100');
    const { id, chunk_id } = found.find(({ filename }) => filename === 'r.png') as SearchHit;
    const { status, data, meta } = await service.client.post<SearchHit[], SearchMeta & { source: string }>(
      '/media/search/image?type=image',
      { media_id: id, chunk_id, q: 'blue' },
    );
    expect(status).toBe(200);
    expect(names(data)[0]).toBe('rb.png');
    expect(meta).toMatchObject({ query: 'blue', source: 'media' });
  });

  test('beside conditions alone it is all that is looked for, with what must not be there and what follows', async () => {
    const like = chunkOf.get('r.png');
    const { data, meta } = await search('photos', `&like=${like}`);
    expect(meta.conditions).toMatchObject([{ parameters: { type: 'image' } }]);
    expect(data.length).toBeGreaterThan(1);
    expect(data.every(({ type }) => type === 'image')).toBe(true);
    expect(names(data)).not.toContain('r.png');
    const without = await search('photos', `&like=${like}&without=blue`);
    expect(without.meta.excluded).toEqual(['blue']);
    expect(names(without.data)).not.toContain('rb.png');
    const then = await search('videos', `&like=${like}&then=blue`);
    expect(then.data[0]?.steps).toHaveLength(2);
  });

  test('a chunk that is not there is named', async () => {
    const { status, error } = await search('blue', '&like=01a1fbe4-6806-793e-a30f-22b8a44e4f85');
    expect([status, error.details?.[0]?.path]).toEqual([400, 'query.like']);
  });
});

test('parameters join and exclude beside conditions alone, and what only excludes is no description', async () => {
  const found = async (q: string, more = '') => names((await search(q, more)).data.filter(({ weak }) => !weak));
  expect(await found('photos', '&and=red&and=blue')).toEqual(await found('"red" and "blue"', '&type=image'));
  expect(await found('photos', '&without=blue')).toEqual(await found('photos without blue'));
  expect(await found('photos', '&without=blue')).not.toContain('rb.png');
  expect(await found('red AND -blue')).toEqual(await found('red -blue'));
});

test('as it is written a query is no expression', async () => {
  const { meta, data } = await search('"red" and "blue"', '&as_written=1');
  expect(meta.expression).toBeUndefined();
  expect(data).toEqual([]);
});

test.each([
  ['then=a&then=b&then=c', 'query.then', 'must be given at most 2 times'],
  ['within=0', 'query.within', 'must be at least 1'],
  ['and=', 'query.and.0', 'must not be empty'],
  ['like=x', 'query.like', 'must be an identifier (UUID)'],
  ['q=b', 'query.q', 'was given more than once'],
])('what is wrong is named: %s', async (more, at, message) => {
  const { status, error } = await search('red', `&${more}`);
  expect([status, error.details]).toEqual([400, [{ path: at, message }]]);
});
