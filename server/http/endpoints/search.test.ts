import { rename } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Clip, MapPoint } from '../../../contract/highlights.ts';
import type { MediaItem } from '../../../contract/media.ts';
import type { SearchHit } from '../../../contract/search.ts';
import {
  checkers,
  makePhoto,
  makeVideo,
  type Paint,
  plain,
  square,
} from '../../../packages/media/samples/draw-media.ts';
import { startTestService } from '../../testing/running-service.ts';

type HighlightsMeta = { method: string; population: number; neighbors: number; computed_at: string };

let service: Awaited<ReturnType<typeof startTestService>>;
const items = new Map<string, MediaItem>();
const nameOf = (hit: SearchHit) => hit.filename;

/** A red ball on grass that moves slowly. */
const ball: Paint = (x, y, time) =>
  Math.hypot(x - 0.3 - 0.02 * time, (y - 0.5) / 1.8) < 0.15 ? [210, 30, 30] : [50, 140, 60];

/** Sky over water, a red boat that sails to the right, a dark quay. */
const harbour: Paint = (x, y, time) => {
  if (Math.abs(x - 0.2 - 0.03 * time) < 0.1 && Math.abs(y - 0.55) < 0.06) return [190, 40, 40];
  if (x > 0.8 && y > 0.4) return [50, 40, 35];
  return y < 0.5 ? [120, 170 + 40 * y, 235] : [20 + 15 * Math.sin(30 * x + 2 * time), 90, 110];
};

beforeAll(async () => {
  service = await startTestService();
  const { client, folder } = service;
  const inFolder = (name: string) => path.join(folder, name);
  await makeVideo(inFolder('ball.mp4'), { scenes: [{ paint: ball, seconds: 5 }] });
  // The same, smaller and in another coding; and the same event a third time as a still.
  await makeVideo(inFolder('ball-copy.webm'), {
    scenes: [{ paint: ball, seconds: 5 }],
    width: 128,
    height: 72,
    codec: 'vp9',
  });
  await makePhoto(inFolder('dusk.png'), plain(30, 40, 90));
  await makePhoto(inFolder('noon.png'), plain(110, 180, 240));
  await makePhoto(inFolder('noon-small.jpg'), plain(110, 180, 240), { width: 80, height: 50 });
  await makePhoto(inFolder('berry.png'), square([210, 20, 30], [255, 255, 255]));
  await makeVideo(inFolder('boards.mp4'), { scenes: [{ paint: checkers(0.5), seconds: 3 }] });
  const names = ['ball.mp4', 'ball-copy.webm', 'dusk.png', 'noon.png', 'noon-small.jpg', 'berry.png', 'boards.mp4'];
  const ids = [];
  for (const name of names) ids.push((await client.upload(inFolder(name))).data.id);
  for (const id of ids) {
    const item = await client.waitUntilIndexed(id);
    items.set(item.filename, item);
  }
});

afterAll(() => service[Symbol.asyncDispose]());

describe('dedupe', () => {
  test('returns each event once, lists the hits it stands for, and fills the list', async () => {
    const { client } = service;
    const all = (await client.search('red and green', '&n=4')).data.map(nameOf);
    expect(all.slice(0, 2).toSorted()).toEqual(['ball-copy.webm', 'ball.mp4']);
    const { data } = await client.search('red and green', '&n=4&dedupe=1');
    expect(data).toHaveLength(4);
    const names = data.map(nameOf);
    expect(names.filter((name) => name.startsWith('ball'))).toHaveLength(1);
    expect(names.filter((name) => name.startsWith('noon')).length).toBeLessThanOrEqual(1);
    const [first] = data;
    const copy = items.get(first?.filename === 'ball.mp4' ? 'ball-copy.webm' : 'ball.mp4');
    expect(first?.duplicates).toEqual([
      { id: copy?.id, chunk_id: expect.any(String), start: 0, end: expect.closeTo(5, 0) },
    ]);
  });

  test('drops copies that were re-encoded, scaled, cropped or trimmed; a similar event stays', async () => {
    const { client } = await service.addWorkspace('Copies');
    const cropped: Paint = (x, y, time) => harbour(0.05 + 0.9 * x, 0.05 + 0.9 * y, time);
    const trimmed: Paint = (x, y, time) => harbour(x, y, time + 1);
    // The same quay on a dull day, without the boat.
    const other: Paint = (x, y, time) => (y < 0.5 && x <= 0.8 ? [150, 160, 172] : harbour(x, y, time + 30));
    const uploads: [name: string, options: Parameters<typeof makeVideo>[1]][] = [
      ['original.mp4', { scenes: [{ paint: harbour, seconds: 5 }] }],
      ['coarse.mp4', { scenes: [{ paint: harbour, seconds: 5 }], bitrate: '0.05M' }],
      ['small.webm', { scenes: [{ paint: harbour, seconds: 5 }], width: 96, height: 54, codec: 'vp9' }],
      ['cropped.mp4', { scenes: [{ paint: cropped, seconds: 5 }] }],
      ['trimmed.mp4', { scenes: [{ paint: trimmed, seconds: 4 }] }],
      ['other.mp4', { scenes: [{ paint: other, seconds: 5 }] }],
    ];
    for (const [name, options] of uploads) {
      const file = path.join(service.folder, name);
      await makeVideo(file, options);
      await client.waitUntilIndexed((await client.upload(file)).data.id);
    }
    const { data } = await client.search('water', '&dedupe=1');
    expect(data.map(nameOf).filter((name) => name === 'other.mp4')).toHaveLength(1);
    expect(data).toHaveLength(2);
    expect(data.find((hit) => hit.filename !== 'other.mp4')?.duplicates).toHaveLength(4);
  });

  test('works for image searches and highlights too', async () => {
    const { client } = service;
    const body = { media_id: items.get('noon.png')?.id, dedupe: true, n: 3 };
    const similar = await client.post<SearchHit[]>('/media/search/image', body);
    expect(similar.data[0]?.duplicates).toHaveLength(1);
    expect(similar.data).toHaveLength(3);
    const unusual = (await client.get<SearchHit[]>('/media/highlights?dedupe=true')).data;
    expect(unusual).toHaveLength(5);
  });

  test.each(['0', 'false'])('%s leaves everything in', async (value) => {
    const { data } = await service.client.search('blue', `&dedupe=${value}`);
    expect(data).toHaveLength(7);
    expect(data.some((hit) => 'duplicates' in hit)).toBe(false);
  });
});

describe('rerank', () => {
  test('judges the best hits again and returns the verdict as a signal', async () => {
    const { data, meta } = await service.client.search('red on white', '&rerank=1');
    expect(meta).toMatchObject({ reranked: true, query: 'red on white' });
    expect(meta.notice).toBeUndefined();
    expect(nameOf(data[0] as SearchHit)).toBe('berry.png');
    const verdicts = data.map(({ signals }) => signals.rerank ?? Number.NaN);
    expect(verdicts).toEqual(verdicts.toSorted((a, b) => b - a));
    for (const verdict of verdicts) expect(verdict).toBeGreaterThanOrEqual(0);
    const scores = data.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  });

  test('returns a notice when it is not possible, and the hits unchanged', async () => {
    const { data, meta, status } = await service.client.search('boards', '&rerank=true');
    expect(status).toBe(200);
    expect(data.map(nameOf)).toContain('boards.mp4');
    expect(meta.reranked).toBe(false);
    expect(meta.notice).toMatch(/Not reranked: the model understands no word/);
  });

  test('uses the stored views: it needs no file', async () => {
    // Beside the folder of the workspace the service writes now and then.
    const assets = path.join(service.folder, 'data', 'assets', service.workspaceId);
    const before = await service.client.search('red on white', '&rerank=1');
    await rename(assets, `${assets}-away`);
    const { data, meta } = await service.client.search('red on white', '&rerank=1');
    await rename(`${assets}-away`, assets);
    expect(meta.reranked).toBe(true);
    expect(meta.notice).toBeUndefined();
    expect(data.map(({ signals }) => signals.rerank)).toEqual(before.data.map(({ signals }) => signals.rerank));
  });

  test('reads the media of chunks without views; an unreadable one keeps its position, with a notice', async () => {
    const { client, folder, workspaceId, db } = service;
    const plainly = (await client.search('red on white', '&type=image')).data.map(nameOf);
    const stored = (await client.search('red on white', '&rerank=1')).data;
    const kept = await db.selectFrom('chunk_views').selectAll().execute();
    await using restored = new AsyncDisposableStack();
    restored.defer(async () => void (await db.insertInto('chunk_views').values(kept).execute()));
    await db.deleteFrom('chunk_views').execute();
    const read = await client.search('red on white', '&rerank=1');
    expect(read.meta).toMatchObject({ reranked: true });
    expect(read.meta.notice).toBeUndefined();
    // A photograph's parts are the same ones that indexing sees.
    const verdictOf = (hits: SearchHit[], name: string) =>
      hits.find((hit) => hit.filename === name)?.signals.rerank ?? -1;
    expect(verdictOf(read.data, 'berry.png')).toBeCloseTo(verdictOf(stored, 'berry.png'), 2);

    const gone = path.join(folder, 'data', 'assets', workspaceId, items.get('dusk.png')?.id ?? '');
    await rename(gone, `${gone}-away`);
    const partly = await client.search('red on white', '&rerank=1&type=image');
    await rename(`${gone}-away`, gone);
    expect(partly.meta.reranked).toBe(true);
    expect(partly.meta.notice).toBe('Only 3 of the best 4 results could be reranked; the others keep their places.');
    expect(partly.data.map(nameOf).indexOf('dusk.png')).toBe(plainly.indexOf('dusk.png'));
    expect(verdictOf(partly.data, 'dusk.png')).toBe(-1);
  });

  test('is off unless asked for', async () => {
    const { meta, data } = await service.client.search('red', '&rerank=0');
    expect(meta.reranked).toBe(false);
    expect(data.some(({ signals }) => 'rerank' in signals)).toBe(false);
  });
});

describe('the map', () => {
  type MapMeta = HighlightsMeta & { layout: string };

  test.each(['pca', 'umap'])('by %s has a point for each chunk, copies side by side', async (layout) => {
    const { client } = service;
    const { data, meta } = await client.get<MapPoint[], MapMeta>(`/media/highlights/map?layout=${layout}`);
    expect(meta).toMatchObject({ method: 'knn', layout, population: 7, neighbors: 5 });
    expect(data).toHaveLength(7);
    const scores = data.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    const highlights = await client.get<SearchHit[]>('/media/highlights');
    expect(data.map(({ chunk_id: id }) => id)).toEqual(highlights.data.map(({ chunk_id: id }) => id));
    const pointOf = (name: string) => data.find(({ id }) => id === items.get(name)?.id) as MapPoint;
    const gap = (a: string, b: string) => Math.hypot(pointOf(a).x - pointOf(b).x, pointOf(a).y - pointOf(b).y);
    expect(gap('ball.mp4', 'ball-copy.webm')).toBeLessThan(gap('ball.mp4', 'boards.mp4'));
    expect(gap('noon.png', 'noon-small.jpg')).toBeLessThan(gap('noon.png', 'berry.png'));
  });

  test('respects the filters and the method; an empty workspace has no points', async () => {
    const { client } = service;
    const videos = await client.get<MapPoint[], MapMeta>('/media/highlights/map?type=video&method=lof');
    expect(videos.meta).toMatchObject({ method: 'lof', population: 3 });
    expect(new Set(videos.data.map(({ id }) => id))).toEqual(
      new Set(['ball.mp4', 'ball-copy.webm', 'boards.mp4'].map((name) => items.get(name)?.id)),
    );
    const none = await (await service.addWorkspace('No map')).client.get('/media/highlights/map');
    expect(none).toMatchObject({ status: 200, data: [] });
    expect((await client.get('/media/highlights/map?layout=globe')).status).toBe(400);
  });

  test('clips describe the points, in the requested order', async () => {
    const { client } = service;
    const { data: hits } = await client.get<SearchHit[]>('/media/highlights');
    const asked = hits.map(({ chunk_id: id }) => id).toReversed();
    const { data } = await client.get<Clip[]>(`/media/clips?ids=${asked.join(',')}`);
    expect(data.map(({ chunk_id: id }) => id)).toEqual(asked);
    expect(data.map(({ filename }) => filename)).toEqual(hits.map(nameOf).toReversed());
    expect((await fetch(data[0]?.thumbnail ?? '')).status).toBe(200);
    const unknown = '01a1fbe4-6806-793e-a30f-22b8a44e4f85';
    expect((await client.get<Clip[]>(`/media/clips?ids=${unknown},${asked[0]}`)).data).toHaveLength(1);
    for (const ids of ['', 'x', `${asked[0]},`, Array(101).fill(unknown).join(',')]) {
      expect((await client.get(`/media/clips?ids=${ids}`)).status).toBe(400);
    }
    expect((await client.get('/media/clips')).status).toBe(400);
  });
});

describe('highlights', () => {
  test.each([
    ['centroid', 0],
    ['knn', 5],
    ['lof', 6],
  ])('by %s come by falling outlier score, with what was compared', async (method, neighbors) => {
    const answer = await service.client.get<SearchHit[], HighlightsMeta>(`/media/highlights?method=${method}`);
    expect(answer.meta).toMatchObject({ method, population: 7, neighbors });
    expect(Date.parse(answer.meta.computed_at)).toBeLessThanOrEqual(Date.now());
    const outliers = answer.data.map(({ signals }) => signals.outlier ?? Number.NaN);
    expect(outliers).toHaveLength(7);
    expect(outliers).toEqual(outliers.toSorted((a, b) => b - a));
    const scores = answer.data.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    for (const score of scores) expect(score >= 0 && score <= 1).toBe(true);
  });

  test('use knn by default, respect n, the type and the filters', async () => {
    const { client } = service;
    expect((await client.get<SearchHit[], HighlightsMeta>('/media/highlights')).meta.method).toBe('knn');
    expect((await client.get<SearchHit[]>('/media/highlights?n=2')).data).toHaveLength(2);
    const videos = await client.get<SearchHit[], HighlightsMeta>('/media/highlights?type=video');
    expect(videos.meta.population).toBe(3);
    expect(new Set(videos.data.map(({ type }) => type))).toEqual(new Set(['video']));
    // The checkerboard has no like; the ball has a copy.
    expect(videos.data[0]?.filename).toBe('boards.mp4');
    for (const query of ['method=magic', 'n=0', 'n=101', 'type=x', 'creator_id=1']) {
      expect((await client.get(`/media/highlights?${query}`)).status).toBe(400);
    }
  });

  test('rank copies after all other clips', async () => {
    const few = (await service.client.get<SearchHit[]>('/media/highlights?n=5')).data;
    const names = few.map(nameOf);
    expect(names.filter((name) => name.startsWith('ball'))).toHaveLength(1);
    expect(names.filter((name) => name.startsWith('noon'))).toHaveLength(1);
    expect(names).toEqual(expect.arrayContaining(['dusk.png', 'berry.png', 'boards.mp4']));
    expect(few.some((hit) => 'duplicates' in hit)).toBe(false);
    // Of six there is room for one.
    const outliers = (await service.client.get<SearchHit[]>('/media/highlights?n=6')).data.map(
      ({ signals }) => signals.outlier,
    );
    expect(outliers).toHaveLength(6);
    expect(outliers).toEqual(outliers.toSorted((a, b) => (b ?? 0) - (a ?? 0)));
  });

  test('are at most two of an item by default, and never black', async () => {
    const { client } = await service.addWorkspace('One film');
    const colours = [plain(200, 30, 30), plain(0, 0, 0), plain(30, 150, 40), plain(20, 40, 200), plain(230, 220, 40)];
    const film = path.join(service.folder, 'film.mp4');
    await makeVideo(film, { scenes: colours.map((paint) => ({ paint, seconds: 2 })) });
    const { id } = await client.waitUntilIndexed((await client.upload(film)).data.id);
    const two = await client.get<SearchHit[], HighlightsMeta>('/media/highlights');
    expect(two.data).toHaveLength(2);
    expect(two.meta.population).toBe(4);
    const all = await client.get<SearchHit[]>('/media/highlights?per_item=100');
    expect(all.data.map(({ start }) => Math.round(start)).toSorted((a, b) => a - b)).toEqual([0, 4, 6, 8]);
    // The share of chunks that are less unusual, with half of the chunk itself included.
    expect(all.data.map(({ score }) => score)).toEqual([0.875, 0.625, 0.375, 0.125]);
    expect((await client.get<MapPoint[]>('/media/highlights/map')).data).toHaveLength(4);
    expect((await client.get<unknown[]>(`/media/${id}/chunks`)).data).toHaveLength(5);
    expect((await client.get('/media/highlights?per_item=0')).status).toBe(400);
  });

  test('are empty without items, and the only item if there is one; a new upload counts at once', async () => {
    const { client } = await service.addWorkspace('Empty');
    for (const method of ['centroid', 'knn', 'lof']) {
      const none = await client.get<SearchHit[], HighlightsMeta>(`/media/highlights?method=${method}`);
      expect(none).toMatchObject({ status: 200, data: [], meta: { population: 0, neighbors: 0 } });
    }
    await client.waitUntilIndexed((await client.upload(path.join(service.folder, 'berry.png'))).data.id);
    for (const [method, outlier] of [
      ['centroid', 0],
      ['knn', 0],
      ['lof', 1],
    ]) {
      const one = await client.get<SearchHit[], HighlightsMeta>(`/media/highlights?method=${method}`);
      expect(one.data).toHaveLength(1);
      expect(one.data[0]?.signals.outlier).toBeCloseTo(Number(outlier), 6);
      expect(one.meta).toMatchObject({ population: 1, neighbors: 0 });
    }
  });
});

test('responses report the time of each stage', async () => {
  const { client } = service;
  const stagesOf = ({ headers }: { headers: Headers }) =>
    [...(headers.get('Server-Timing') ?? '').matchAll(/(\w+);dur=\d+\.\d\d/g)].map(([, stage]) => stage);
  expect(stagesOf(await client.search('red'))).toEqual(['embed', 'vector', 'text', 'fuse', 'hydrate']);
  const all = stagesOf(await client.search('red', '&dedupe=1&rerank=1'));
  expect(all).toEqual(['embed', 'vector', 'text', 'fuse', 'dedupe', 'hydrate', 'rerank']);
  expect((await client.search('red')).headers.get('Server-Timing')).toMatch(/, ranked;desc="(memory|database)"$/);
  const body = { media_id: items.get('noon.png')?.id };
  expect(stagesOf(await client.post('/media/search/image', body))).toEqual([
    'embed',
    'vector',
    'text',
    'fuse',
    'hydrate',
  ]);
});

describe('words', () => {
  const found = async (query: string) => (await service.client.search(query)).data;

  test('after a hyphen exclude hits that contain or show them', async () => {
    expect((await found('noon')).slice(0, 2).map(nameOf).toSorted()).toEqual(['noon-small.jpg', 'noon.png']);
    for (const query of ['noon -small', 'noon -"noon small"']) {
      const names = (await found(query)).map(nameOf);
      expect(names[0]).toBe('noon.png');
      expect(names).not.toContain('noon-small.jpg');
    }
    const withoutRed = (await found('blue -red')).map(nameOf);
    expect(withoutRed[0]).toMatch(/noon|dusk/);
    expect(withoutRed).not.toContain('ball.mp4');
    expect((await found('-noon')).map(nameOf).toSorted()[0]).toMatch(/^ball/);
  });

  test('in quotation marks match as a phrase', async () => {
    const [first, second] = await found('"noon small" picture');
    expect(first).toMatchObject({ filename: 'noon-small.jpg', signals: { terms: ['noon small'] } });
    // Alike as a picture at most.
    expect(second?.signals.terms).toBeUndefined();
  });

  test('that are incomplete match as a prefix, ranked after complete words', async () => {
    const [first] = await found('boar');
    expect(first).toMatchObject({ filename: 'boards.mp4', signals: { terms: ['boar'] } });
    expect(first?.signals.excerpt).toEqual([
      { text: 'boards', matched: true },
      { text: '.mp4', matched: false },
    ]);
    const whole = (await found('boards'))[0]?.score ?? 0;
    expect(first?.score).toBeLessThan(whole);
  });

  test('of creators and categories find their items', async () => {
    const { client } = service;
    const creator = (await client.post<{ id: string }>('/creators', { name: 'Ana Líma %' })).data.id;
    await client.patch(`/media/${items.get('dusk.png')?.id}`, { creator_id: creator });
    for (const query of ['Ana', 'líma']) {
      const hits = await found(query);
      expect(hits.map(nameOf), query).toEqual(['dusk.png']);
      expect(hits[0]?.signals.terms).toEqual([query]);
    }
    await client.patch(`/media/${items.get('dusk.png')?.id}`, { creator_id: null });
    expect(await found('Ana')).toEqual([]);
  });
});

test('the eight fields of a hit, and the echoed query, are those of the specification', async () => {
  const { data, meta } = await service.client.search('Red & Green?');
  const [hit] = data;
  expect(hit).toMatchObject({
    id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
    filename: expect.any(String),
    score: expect.any(Number),
    start: expect.any(Number),
    end: expect.any(Number),
    url: expect.stringMatching(/^http/),
    thumbnail: expect.stringMatching(/^http/),
    type: expect.stringMatching(/^(video|image)$/),
  });
  const fields = Object.keys(hit ?? {}).slice(0, 8);
  expect(fields).toEqual('id filename score start end url thumbnail type'.split(' '));
  expect(meta.query).toBe('Red & Green?');
});
