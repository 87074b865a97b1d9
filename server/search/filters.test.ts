import { randomUUID } from 'node:crypto';
import { descriptorsReference } from '@media-search/models/load-embedder';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MediaFilter } from '../../contract/filters.ts';
import { changeMembers, createGroup } from '../catalog/labels/item-groups.ts';
import { findChunksWithTexts } from '../catalog/media/chunks.ts';
import { filterKey, isUnfiltered, pickFilter } from '../catalog/media/media-filter.ts';
import { listMedia } from '../catalog/media/media-items.ts';
import type { Catalog } from '../catalog/schema.ts';
import { createStageTimer } from '../platform/metrics/stage-timer.ts';
import { searchBackends, setUpSearch } from '../testing/search-setup.ts';
import { seedChunks } from '../testing/seed-chunks.ts';
import { createTextEmbedders } from './embedding/text-embedders.ts';
import { createConceptVectors } from './highlights/concept-vectors.ts';
import { createHighlights } from './highlights/highlights.ts';
import { layOutChunks } from './highlights/lay-out-chunks.ts';
import { rankFiltered } from './highlights/rank-chunks.ts';
import type { SearchEngine } from './search-engine.ts';

const embedder = createTextEmbedders().createQueryEmbedder(descriptorsReference);

/** More chunks than a search or the highlights read without a filter; those that pass come last in each order. */
const count = 1500;
const perItem = 3;
/** Chunks of the one item that a filter lets through. */
const passing = perItem;

const unitVector = (angle: number) =>
  Float32Array.from({ length: embedder.dimensions }, (_, axis) => [Math.cos(angle), Math.sin(angle)][axis] ?? 0);
/** The first item is opposite to the query and in the middle of all others: the last hit of a search, and the least unusual item. */
const vectorAt = (place: number) =>
  unitVector(place < passing ? Math.PI : Math.PI + (place % 2 === 0 ? 1 : -1) * (0.9 + (0.1 * place) / count));

/** A value of each filter, which the first item alone has. */
const values: { [Key in keyof MediaFilter]-?: NonNullable<MediaFilter[Key]> } = {
  creator_id: randomUUID(),
  category_id: randomUUID(),
  type: 'image',
  collection_id: '',
  tag_id: '',
  taken_after: '2026-07-14',
  taken_before: '2026-07-16',
  rating_min: 4,
  rating_max: 4,
  review: 'approved',
  duration_min: 10.5,
  duration_max: 10.5,
  orientation: 'portrait',
  camera: 'pro',
  place: 'lisbon',
  source_id: randomUUID(),
  folder: '2026/berlin',
  lens: '24-70',
  codec: 'hevc',
  frame_rate_min: 59.94,
  frame_rate_max: 59.94,
  sound: 'yes',
  resolution: '1080p',
  near: '38.7223,-9.1393,5',
  box: '38,-10,39,-9',
};
/** Read when a test runs: collections and tags get their identifiers before. */
const filterOf = (name: string): MediaFilter => {
  const { rating_min, rating_max, duration_min, duration_max, frame_rate_min, frame_rate_max } = values;
  // Half of the other items have fewer stars and seconds, half have more: each bound leaves some of them out.
  if (name.startsWith('frame_rate_')) return { frame_rate_min, frame_rate_max };
  if (name.startsWith('duration_')) return { duration_min, duration_max };
  return name.startsWith('rating_') ? { rating_min, rating_max } : { [name]: values[name as keyof MediaFilter] };
};
const names = Object.keys(values);

describe.each(searchBackends)('over %s', (backend) => {
  let t: Awaited<ReturnType<typeof setUpSearch>>;
  let engine: SearchEngine;
  let db: Catalog;
  let workspaceId = '';
  let expected: number[] = [];
  let passingItem = '';

  beforeAll(async () => {
    t = await setUpSearch(backend);
    ({ db } = t);
    engine = t.startEngine(() => embedder);
    workspaceId = await t.addWorkspace('Test');
    const numbers = await seedChunks(db, workspaceId, embedder.id, { count, perItem }, (place) => ({
      vector: vectorAt(place),
      text: 'harbour',
    }));
    expected = numbers.slice(0, passing);
    const label = {
      workspace_id: workspaceId,
      name: 'Label',
      folded_name: 'label',
      created_at: new Date().toISOString(),
    };
    await db
      .insertInto('creators')
      .values({ ...label, id: values.creator_id })
      .execute();
    await db
      .insertInto('categories')
      .values({ ...label, id: values.category_id, description: '' })
      .execute();
    ({ media_id: passingItem } = await db
      .selectFrom('chunks')
      .select('media_id')
      .where('number', '=', numbers[0] as number)
      .executeTakeFirstOrThrow());
    const { creator_id, category_id, type, review, rating_min: rating, duration_min: duration } = values;
    await db
      .updateTable('media_items')
      .set({ rating: 5, duration: 12, frame_rate: 120, latitude: 38.9, longitude: -8.9 })
      .execute();
    await db
      .updateTable('media_items')
      .set({ rating: 3, duration: 9.75, frame_rate: 25, latitude: null, longitude: null })
      .where('id', '<', passingItem)
      .execute();
    await db
      .updateTable('media_items')
      .set({
        creator_id,
        category_id,
        type,
        review,
        rating,
        duration,
        taken_at: '2026-07-15T10:00:00.000Z',
        taken_zone: '+02:00',
        source_id: values.source_id,
        folder: `${values.folder}/day 1`,
        width: 1080,
        height: 1920,
        camera: 'GoPro HERO11',
        place: 'Lisbón, Portugal',
        lens: 'EF24-70mm f/2.8L',
        codec: 'hevc',
        frame_rate: 59.94,
        sound: 'yes',
        latitude: 38.7,
        longitude: -9.14,
      })
      .where('id', '=', passingItem)
      .execute();
    for (const [kind, name] of [
      ['collections', 'collection_id'],
      ['tags', 'tag_id'],
    ] as const) {
      const group = await createGroup(db, kind, workspaceId, 'Sea');
      values[name] = (group as { id: string }).id;
      await changeMembers(db, kind, workspaceId, values[name], { add: [passingItem] });
    }
  });

  afterAll(() => t[Symbol.asyncDispose]());

  const options = { count: 20, dedupe: false };
  const sorted = (hits: { chunk: { number: number } }[] | null) =>
    hits?.map(({ chunk }) => chunk.number).toSorted((a, b) => a - b);

  test.each(names)('%s: a text search finds everything that passes, however low its rank', async (name) => {
    const filter = filterOf(name);
    const { hits } = await engine.searchByText(workspaceId, 'harbour', filter, {
      ...options,
      timer: createStageTimer(),
    });
    expect(sorted(hits)).toEqual(expected);
  });

  test.each(names)('%s: a vector search finds everything that passes, however far it is', async (name) => {
    const filter = filterOf(name);
    const query = { vector: unitVector(0), embedder };
    const hits = await engine.searchByVector(workspaceId, query, filter, { ...options, timer: createStageTimer() });
    expect(sorted(hits)).toEqual(expected);
  });

  test.each(names)('%s: highlights and the map compare only chunks that pass, and all of them', async (name) => {
    const filter = filterOf(name);
    const highlights = createHighlights({
      db,
      search: engine,
      directory: t.folder.file('indexes'),
      updateRankings: () => Promise.reject(new Error('Nothing is large enough to be cached.')),
      computeOutliers: (id, embedderId, given, method) => rankFiltered(db, id, embedderId, given, method),
      conceptVectors: createConceptVectors(t.folder.file('concepts')),
      computeMap: (task) => layOutChunks(db, task),
      computeMapAhead: (task) => layOutChunks(db, task),
      computeConcepts: () => Promise.reject(new Error('No concepts are asked for.')),
      onProblem: (error) => {
        throw error;
      },
    });
    const never = new AbortController().signal;
    const highlightOptions = { ...options, perItem };
    // Results without a filter are cached first.
    await highlights.find(workspaceId, 'centroid', {}, highlightOptions, never);
    const found = await highlights.find(workspaceId, 'centroid', filter, highlightOptions, never);
    expect(found.population).toBe(passing);
    expect(sorted(found.hits)).toEqual(expected);
    const { points } = await highlights.map(workspaceId, 'centroid', { layout: 'pca', partial: false }, filter, never);
    expect(points).toHaveLength(passing);
  });

  test.each(names)('%s filters the list of items', async (name) => {
    const page = { page: 1, per_page: 20, sort: '-created_at' as const };
    expect(await listMedia(db, workspaceId, { ...page, ...filterOf(name) })).toMatchObject({
      total: 1,
      rows: [{ id: passingItem }],
    });
  });

  test.each(names)('%s is a filter with a cache key of its own', (name) => {
    const filter = filterOf(name);
    const other = { ...values, [name]: name === 'type' ? ('video' as const) : randomUUID() };
    expect(isUnfiltered(filter)).toBe(false);
    expect(new Set([{}, filter, { [name]: other[name as keyof MediaFilter] }].map(filterKey)).size).toBe(3);
    // Other parameters and their order make no difference.
    expect(pickFilter({ n: 20, [name]: undefined, ...filter } as MediaFilter)).toEqual(filter);
    expect(filterKey(Object.fromEntries(Object.entries(other).toReversed()))).toBe(filterKey(other));
  });

  test('what leaves a collection while a search reads its hits is not among them', async () => {
    const { collection_id } = values;
    const found = (filter: MediaFilter) =>
      findChunksWithTexts(db, workspaceId, expected, filter).then(({ found }) => sorted(found));
    expect(await found({ collection_id })).toEqual(expected.toSorted((a, b) => a - b));
    expect(await found({ collection_id: randomUUID() })).toEqual([]);
    expect(await found({ type: 'video' })).toEqual([]);
    expect(await found({ taken_before: '2026-07-15T10:00:00Z' })).toEqual([]);
  });
});
