import { rm } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { afterAll, describe, expect, test, vi } from 'vitest';
import type { FoundConcept } from '../../../contract/concepts.ts';
import type { MapLabel, MapPoint } from '../../../contract/highlights.ts';
import { makePhoto, plain } from '../../../packages/media/samples/draw-media.ts';
import { descriptorsEmbedder } from '../../../packages/models/descriptors/descriptors-embedder.ts';
import { toUnit } from '../../../packages/search-engine/vectors.ts';
import { startServiceOn, startTestService } from '../../testing/running-service.ts';
import { seedChunks } from '../../testing/seed-chunks.ts';

type MapMeta = { complete: boolean; layout: string; labels: MapLabel[]; population: number };
type ConceptsMeta = { population: number; reason: string | null };

/** Three heaps of chunks far from each other. */
const heapedVector = (place: number): Float32Array =>
  toUnit(
    Float32Array.from(
      { length: descriptorsEmbedder.dimensions },
      (_, axis) => (axis === place % 3 ? 4 : 0) + Math.sin(place * 7.3 + axis * 1.7),
    ),
  );

describe('the map of all chunks', () => {
  test('shows a first layout at once, is whole later, is kept over a restart, and moves nothing for one more chunk', async () => {
    await using service = await startTestService({ workers: 0 });
    const { db, workspaceId, client } = service;
    const add = (count: number) =>
      seedChunks(db, workspaceId, descriptorsEmbedder.id, { count, perItem: 1 }, (place) => ({
        vector: heapedVector(place),
      }));
    await add(90);
    const ask = () => client.get<MapPoint[], MapMeta>('/media/highlights/map?layout=umap&partial=1');

    const first = await ask();
    expect(first.meta).toMatchObject({ complete: false, layout: 'pca', labels: [], population: 90 });
    await vi.waitFor(async () => expect((await ask()).meta.complete).toBe(true), 20_000);
    const whole = await ask();
    expect(whole.meta).toMatchObject({ layout: 'umap', population: 90 });
    expect(await client.get('/media/highlights/map?layout=umap')).toMatchObject({ data: whole.data });

    const placeOf = (points: MapPoint[]) => new Map(points.map(({ chunk_id: id, x, y }) => [id, `${x} ${y}`]));
    const places = placeOf(whole.data);
    await add(1);
    const more = (await client.get<MapPoint[], MapMeta>('/media/highlights/map?layout=umap')).data;
    expect(more).toHaveLength(91);
    const moved = more.filter(({ chunk_id: id, x, y }) => places.has(id) && places.get(id) !== `${x} ${y}`);
    expect(moved).toEqual([]);
    // The new one is the first of the first heap again: it lies beside it.
    const fresh = more.find(({ chunk_id: id }) => !places.has(id));
    const rows = await db.selectFrom('chunks').select('id').orderBy('number').execute();
    const heapOf = new Map(rows.map(({ id }, place) => [id, place % 3]));
    const gap = ({ x, y }: MapPoint) => Math.hypot(x - fresh!.x, y - fresh!.y);
    const nearest = more.toSorted((a, b) => gap(a) - gap(b)).slice(0, 5);
    expect(nearest.map(({ chunk_id: id }) => heapOf.get(id))).toEqual([0, 0, 0, 0, 0]);

    await service.stop();
    await using again = await startServiceOn(path.join(service.folder, 'data'));
    const kept = await again.client.get<MapPoint[], MapMeta>('/media/highlights/map?layout=umap&partial=1');
    expect(kept.meta.complete).toBe(true);
    expect(placeOf(kept.data)).toEqual(placeOf(more));
  });
});

describe('small pictures of chunks', () => {
  test('lie on one sheet in the order asked for; of what is not there the square is empty', async () => {
    await using service = await startTestService();
    const { client, folder, url, key } = service;
    const colours = [
      [220, 30, 30],
      [30, 200, 40],
    ] as const;
    const chunks: string[] = [];
    for (const [i, colour] of colours.entries()) {
      const file = path.join(folder, `${i}.png`);
      await makePhoto(file, plain(colour[0], colour[1], colour[2]), { width: 300, height: 120 });
      const { id } = await client.waitUntilIndexed((await client.upload(file)).data.id);
      chunks.push((await client.get<{ id: string }[]>(`/media/${id}/chunks`)).data[0]!.id);
    }
    const read = async (ids: string[], of = key) => {
      const answer = await fetch(`${url}/api/v1/media/clips/sheet?ids=${ids.join(',')}`, {
        headers: { Authorization: `Bearer ${of}` },
      });
      expect(answer.status).toBe(200);
      const { data, info } = await sharp(Buffer.from(await answer.arrayBuffer()))
        .ensureAlpha()
        .raw()
        .toBuffer({ resolveWithObject: true });
      const middleOf = (place: number) => {
        const at = 4 * ((32 + 64 * Math.floor(place / 10)) * info.width + 32 + 64 * (place % 10));
        return [...data.subarray(at, at + 4)];
      };
      return { answer, info, middleOf };
    };
    const gone = '01a1fbe4-6806-793e-a30f-22b8a44e4f85';
    const both = await read([chunks[1]!, chunks[0]!]);
    expect(both.info).toMatchObject({ width: 128, height: 64 });
    expect(both.answer.headers.get('Cache-Control')).toContain('immutable');
    for (const [place, colour] of [colours[1], colours[0]].entries()) {
      for (const [i, value] of colour.entries()) expect(Math.abs(both.middleOf(place)[i]! - value)).toBeLessThan(25);
    }
    // Eleven squares have two rows.
    const many = await read([chunks[0]!, ...Array.from({ length: 9 }, () => gone), chunks[1]!]);
    expect(many.info).toMatchObject({ width: 640, height: 128 });
    expect(many.middleOf(3)[3]).toBe(0);
    expect(many.middleOf(10)[1]).toBeGreaterThan(150);
    expect(many.answer.headers.get('Cache-Control')).toBe('no-store');

    // Another workspace sees none of them, and neither does this one once the item is in the trash.
    const other = await service.addWorkspace('Other');
    expect((await read([chunks[0]!], other.key)).middleOf(0)[3]).toBe(0);
    const { data } = await client.get<{ id: string }[]>(`/media/clips?ids=${chunks[0]}`);
    await client.post('/trash', { ids: data.map(({ id }) => id) });
    expect((await read([chunks[1]!, chunks[0]!])).middleOf(1)[3]).toBe(0);
  });

  test('whose files are lost are empty squares too', async () => {
    await using service = await startTestService();
    const { client, folder, url, key, workspaceId } = service;
    const file = path.join(folder, 'photo.png');
    await makePhoto(file, plain(10, 20, 200));
    const { id } = await client.waitUntilIndexed((await client.upload(file)).data.id);
    const [chunk] = (await client.get<{ id: string }[]>(`/media/${id}/chunks`)).data;
    await rm(path.join(folder, 'data', 'assets', workspaceId, id, 'renditions'), { recursive: true });
    const answer = await fetch(`${url}/api/v1/media/clips/sheet?ids=${chunk!.id}`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('Cache-Control')).toBe('no-store');
    const { channels } = await sharp(Buffer.from(await answer.arrayBuffer())).stats();
    expect(channels[3]?.max).toBe(0);
  });
});

describe('concepts', () => {
  const started = startTestService({ embedder: 'builtin' });
  afterAll(async () => (await started)[Symbol.asyncDispose]());

  test('are what photographs clearly show, each with the moment that shows it best', { timeout: 240_000 }, async () => {
    const { client } = await started;
    const pictures = ['cat', 'clownfish', 'windmills', 'giraffes', 'duck', 'orchestra', 'great-wall'];
    const names = new Map<string, string>();
    for (const name of pictures) {
      const file = path.join(import.meta.dirname, '../../../e2e/pictures', `${name}.jpg`);
      const { data } = await client.upload(file, `${names.size}.jpg`);
      names.set(data.id, name);
    }
    for (const id of names.keys()) await client.waitUntilIndexed(id);
    const { data, meta } = await client.get<FoundConcept[], ConceptsMeta>('/media/concepts?n=50');
    expect(meta).toEqual({ population: pictures.length, reason: null });
    const shownBy = new Map(data.map(({ name, clip }) => [name, names.get(clip.id)]));
    expect(shownBy.get('cat')).toBe('cat');
    expect(shownBy.get('goose') ?? shownBy.get('duck') ?? shownBy.get('bird')).toBe('duck');
    expect((await client.get<FoundConcept[]>('/media/concepts?n=1')).data).toEqual([
      expect.objectContaining({ name: data[0]?.name }),
    ]);
    // What is deleted is not found any more.
    const [id] = [...names].find(([, name]) => name === 'cat') as [string, string];
    await client.delete(`/media/${id}`);
    const after = (await client.get<FoundConcept[]>('/media/concepts?n=50')).data;
    expect(after.map(({ clip }) => clip.id)).not.toContain(id);
    expect(after.map(({ name }) => name)).not.toContain('cat');
  });

  test('are none, with the reason, where the embedder cannot describe pictures', async () => {
    await using service = await startTestService({ workers: 0 });
    const { data, meta } = await service.client.get<FoundConcept[], ConceptsMeta>('/media/concepts');
    expect(data).toEqual([]);
    expect(meta.reason).toMatch(/^The embedder at work reads only words for colours/);
  });
});
