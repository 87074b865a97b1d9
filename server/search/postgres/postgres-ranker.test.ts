import { toUnit } from '@media-search/search-engine/vectors';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { MediaFilter } from '../../../contract/filters.ts';
import { createRandom, drawClusters, drawVector, type Random } from '../../../packages/search-engine/testing/random.ts';
import { dialectOf } from '../../catalog/dialect/dialect.ts';
import { findChunks } from '../../catalog/media/chunks.ts';
import { type Backend, postgresBackend } from '../../testing/fresh-catalog.ts';
import { queryEmbedderOf } from '../../testing/query-embedder.ts';
import { searchOptions, setUpSearch, textEmbedder } from '../../testing/search-setup.ts';
import { seedChunks } from '../../testing/seed-chunks.ts';
import { needsServer } from '../../testing/temporary-database.ts';
import type { QueryEmbedder } from '../embedding/text-embedders.ts';
import type { Limits } from './search-scope.ts';

/** What half precision may change of a score, where similarities have a deviation of a tenth and more. */
const bound = 0.001;

/** Thresholds that are calibrated differ a little: each kind of sample takes other chunks of an item. */
const embedder = { ...textEmbedder, hasMeasuredThresholds: true };

const vocabulary = 'run running harbour harbours night red car carts sunset café 東京 boat boats the of quay'.split(
  ' ',
);

type Material = { vector: Float32Array; text: string }[];

/** Chunks with vectors in clusters and texts of some words; no more than a background is measured by. */
function drawMaterial(random: Random, count: number): Material {
  const vectors = drawClusters(random, { count, clusters: 12, dimensions: embedder.dimensions });
  return vectors.map((vector) => ({
    vector,
    text: Array.from({ length: random.below(7) }, () => random.pick(vocabulary)).join(' '),
  }));
}

/** The material in a workspace of a new catalog, as searches see it. */
async function openMaterial(backend: Backend, material: Material, limits?: Limits) {
  const t = await setUpSearch(backend);
  const workspaceId = await t.addWorkspace('Test');
  const perItem = 5;
  const numbers = await seedChunks(t.db, workspaceId, embedder.id, { count: material.length, perItem }, (place) => ({
    ...(material[place] as Material[number]),
  }));
  const chunks = await findChunks(t.db, workspaceId, numbers);
  const placeOf = new Map(numbers.map((number, place) => [number, place]));
  const items = new Map(
    chunks.map(({ number, media_id }) => [Math.floor((placeOf.get(number) ?? 0) / perItem), media_id]),
  );
  const of = (from: number, step: number) => [...items].flatMap(([item, id]) => (item % step === from ? [id] : []));
  await t.db.updateTable('media_items').set({ type: 'image' }).where('id', 'in', of(1, 3)).execute();
  await t.db
    .updateTable('media_items')
    .set({ trashed_at: '2026-11-01T00:00:00.000Z' })
    .where('id', 'in', of(2, 7))
    .execute();
  const engine = t.startEngine(() => embedder, limits);
  type Hit = { chunk: { number: number }; score: number; weak: boolean; duplicates?: { number: number }[] };
  const toRanked = (hits: Hit[]) =>
    hits.map(({ chunk, score, weak, duplicates }) => ({
      place: placeOf.get(chunk.number) as number,
      score,
      weak,
      duplicates: duplicates?.map(({ number }) => placeOf.get(number) as number).toSorted((a, b) => a - b),
    }));
  return {
    itemOf: (place: number) => items.get(Math.floor(place / perItem)) as string,
    async text(query: string, filter: MediaFilter, options: { count: number; dedupe: boolean; item?: number }) {
      const found = await engine.searchByText(workspaceId, query, filter, {
        ...searchOptions(options.count, options.dedupe),
        mediaId: options.item === undefined ? undefined : items.get(options.item),
      });
      return { corrections: found.corrections, hits: toRanked(found.hits) };
    },
    async vector(vector: Float32Array, filter: MediaFilter, options: { count: number; dedupe: boolean }) {
      const query = { vector, embedder };
      const hits = await engine.searchByVector(
        workspaceId,
        query,
        filter,
        searchOptions(options.count, options.dedupe),
      );
      return { corrections: [], hits: toRanked(hits ?? []) };
    },
    relevanceOf: (vector: Float32Array) => engine.relevanceOf(workspaceId, vector),
    [Symbol.asyncDispose]: () => t[Symbol.asyncDispose](),
  };
}

type Found = Awaited<ReturnType<Awaited<ReturnType<typeof openMaterial>>['text']>>;

const unit = (dimensions: number): Float32Array =>
  Float32Array.from({ length: dimensions }, (_, i) => (i === 0 ? 1 : 0));

const pickRest = ({ weak, duplicates }: Found['hits'][number]) => ({ weak, duplicates });

/** The same hits with the same scores; where two scores are closer than the bound, they may have changed places. */
function expectSame(postgres: Found, embedded: Found): void {
  expect(postgres.corrections).toEqual(embedded.corrections);
  expect(postgres.hits).toHaveLength(embedded.hits.length);
  const scores = new Map(embedded.hits.map(({ place, score }) => [place, score]));
  const last = embedded.hits.at(-1)?.score ?? 0;
  for (const [i, { place, score, weak, duplicates }] of postgres.hits.entries()) {
    expect(Math.abs(score - (embedded.hits[i]?.score ?? 0))).toBeLessThan(bound);
    expect(Math.abs(score - (scores.get(place) ?? last))).toBeLessThan(bound);
    if (place === embedded.hits[i]?.place) expect({ weak, duplicates }).toEqual(pickRest(embedded.hits[i]));
  }
}

describe('searches in PostgreSQL find what the embedded engine finds', () => {
  // Behind a filter that few chunks pass all that do are read; of many the best are looked up.
  test.each([
    [1, undefined],
    [2, { compared: 20, withoutIndex: 1000 }],
  ])('the same hits and scores over random material %i', async (seed, limits) => {
    const random = createRandom(seed);
    const material = drawMaterial(random, 300);
    await using embedded = await openMaterial('sqlite', material);
    await using postgres = await openMaterial(postgresBackend, material, limits);
    const filters: MediaFilter[] = [{}, { type: 'image' }, { creator_id: 'nobody' }];
    const queries = [
      ...Array.from({ length: 8 }, () =>
        Array.from({ length: 1 + random.below(3) }, () => random.pick(vocabulary)).join(' '),
      ),
      '"red car"',
      'harbour -night',
      'habrour',
      'sun',
    ];
    for (const [i, query] of queries.entries()) {
      const filter = filters[i % filters.length] as MediaFilter;
      const options = { count: 1 + random.below(30), dedupe: i % 2 === 1, ...(i % 5 === 4 ? { item: 6 } : {}) };
      expectSame(await postgres.text(query, filter, options), await embedded.text(query, filter, options));
    }
    for (const dedupe of [false, true]) {
      const vector = toUnit(random.pick(material).vector.map((value) => value + 0.05 * random.next()));
      const options = { count: 20, dedupe };
      expectSame(await postgres.vector(vector, {}, options), await embedded.vector(vector, {}, options));
      const [mine, theirs] = [await postgres.relevanceOf(vector), await embedded.relevanceOf(vector)];
      for (const similarity of [-0.5, 0, 0.5, 1]) expect(mine(similarity)).toBeCloseTo(theirs(similarity), 2);
    }
  });

  test('when another embedder becomes active, its vectors answer at once', async () => {
    await using t = await setUpSearch(postgresBackend);
    const workspaceId = await t.addWorkspace('Test');
    const random = createRandom(5);
    const other = queryEmbedderOf('other@1', 8, () => Promise.resolve({ vector: unit(8), unknown: [] }));
    const [vector, near] = [drawVector(random, embedder.dimensions), unit(8)];
    const numbers = await seedChunks(t.db, workspaceId, embedder.id, { count: 40, perItem: 1 }, () => ({ vector }));
    for (const [place, chunk_number] of numbers.entries()) {
      const stored = dialectOf(t.db).vector(place === 7 ? near : near.map((value) => -value));
      const row = { workspace_id: workspaceId, chunk_number, embedder_id: other.id, vector: stored };
      await t.db.insertInto('chunk_vectors').values(row).execute();
    }
    const activate = (id: string) => t.db.updateTable('workspaces').set({ embedder_id: id }).execute();
    await activate(embedder.id);
    let active: QueryEmbedder = embedder;
    const engine = t.startEngine(() => active);
    const options = searchOptions(10);
    expect(await engine.searchByVector(workspaceId, { vector, embedder }, {}, options)).toHaveLength(10);
    await activate(other.id);
    await t.db.deleteFrom('chunk_vectors').where('embedder_id', '=', embedder.id).execute();
    // A process that has not heard of it yet finds no vectors of the embedder that it still takes for the active one, and says so.
    expect(await engine.searchByVector(workspaceId, { vector, embedder }, {}, options)).toBeNull();
    active = other;
    const { hits } = await engine.searchByText(workspaceId, 'anything', {}, options);
    expect(hits[0]?.chunk.number).toBe(numbers[7]);
  });

  test('an answer for which not all vectors were compared says so', async () => {
    await using t = await setUpSearch(postgresBackend);
    const workspaceId = await t.addWorkspace('Test');
    const vectors = drawClusters(createRandom(9), { count: 300, clusters: 5, dimensions: embedder.dimensions });
    await seedChunks(t.db, workspaceId, embedder.id, { count: 300, perItem: 3 }, (place) => ({
      vector: vectors[place] as Float32Array,
    }));
    for (const withoutIndex of [300, 200]) {
      let isPartial = false;
      const engine = t.startEngine(() => embedder, { compared: 100, withoutIndex });
      const options = { ...searchOptions(10), onPartial: () => void (isPartial = true) };
      expect((await engine.searchByText(workspaceId, 'red', {}, options)).hits).toHaveLength(10);
      expect(isPartial).toBe(withoutIndex === 200);
    }
  });

  test('what a person takes back is no longer worked on', async () => {
    await using t = await setUpSearch(postgresBackend);
    const workspaceId = await t.addWorkspace('Test');
    const engine = t.startEngine();
    const options = { ...searchOptions(10), signal: AbortSignal.abort() };
    await expect(engine.searchByText(workspaceId, 'red', {}, options)).rejects.toThrow(/abort/i);
  });

  test('a search fails as a whole where the database fails: no part of it is left that nobody waits for', async (context) => {
    context.skip(postgresBackend !== 'postgres', needsServer);
    await using t = await setUpSearch(postgresBackend);
    const workspaceId = await t.addWorkspace('Test');
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', note);
    onTestFinished(() => void process.off('unhandledRejection', note));
    const rename = (from: string, to: string) =>
      sql`alter table ${sql.table(from)} rename to ${sql.table(to)}`.execute(t.db);
    const find = () => t.startEngine().searchByText(workspaceId, 'red', {}, searchOptions(10));
    // The first statement fails, that which reads postings, or both.
    for (const tables of [['media_totals'], ['text_totals'], ['media_totals', 'text_totals']]) {
      for (const table of tables) await rename(table, `gone_${table}`);
      await expect(find()).rejects.toThrow('_totals" does not exist');
      await new Promise((resolve) => setTimeout(resolve, 100));
      for (const table of tables) await rename(`gone_${table}`, table);
    }
    await find();
    expect(unhandled).toEqual([]);
  });
});
