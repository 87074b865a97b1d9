import { dot } from '@media-search/search-engine/vectors';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createRandom, drawClusters, drawVector, type Random } from '../../../packages/search-engine/testing/random.ts';
import { createWorkspace } from '../../catalog/accounts/workspaces.ts';
import {
  type ChunkScope,
  chooseScan,
  compareChunks,
  maxCompared,
  readChunkCounts,
  type VectorSpace,
} from '../../catalog/postgres/near-chunks.ts';
import {
  countVectorIndexes,
  hasVectorIndex,
  indexName,
  keepVectorIndexes,
} from '../../catalog/postgres/vector-indexes.ts';
import { readSample, sampleSize } from '../../catalog/postgres/vector-sample.ts';
import type { Catalog } from '../../catalog/schema.ts';
import { createSecrets } from '../../platform/crypto/secrets.ts';
import { openFresh } from '../../testing/fresh-catalog.ts';
import { seedChunks } from '../../testing/seed-chunks.ts';
import { needsServer, testDatabaseUrl } from '../../testing/temporary-database.ts';
import { SearchScope } from './search-scope.ts';

const embedderId = 'test@1';
const unaborted = new AbortController().signal;

/** What rounding to float16 may change of a cosine; see `halfvec.ts`. */
const bound = 2 ** -9;

test('a count decides between comparing all and an index', () => {
  expect(chooseScan(20_000, 512)).toBe('exact');
  expect(chooseScan(20_001, 512)).toBe('index');
  // There can be no index of so many dimensions.
  expect(chooseScan(1_000_000, 4096)).toBe('exact');
});

async function setUp({ count, dimensions, perItem = 10 }: { count: number; dimensions: number; perItem?: number }) {
  const catalog = await openFresh('postgres');
  const { db } = catalog;
  const secrets = createSecrets(new Uint8Array(32));
  const { id: workspaceId } = await createWorkspace(db, secrets, { workspace: 'Test', owner: 'Tester' });
  const random = createRandom(count);
  const vectors = drawClusters(random, { count, clusters: 40, dimensions });
  const numbers = await seedChunks(db, workspaceId, embedderId, { count, perItem }, (place) => ({
    vector: vectors[place] as Float32Array,
  }));
  const reference = JSON.stringify({ kind: 'descriptors', id: embedderId, dimensions });
  await db.insertInto('embedders').values({ id: embedderId, reference }).execute();
  await db.updateTable('workspaces').set({ embedder_id: embedderId }).execute();
  const space = { workspaceId, embedderId, dimensions };
  return { ...catalog, space, numbers, vectors, random, [Symbol.asyncDispose]: () => catalog[Symbol.asyncDispose]() };
}

type Asked = {
  query: Float32Array;
  among: Omit<ChunkScope, 'counts'>;
  count: number;
  some?: number[] | undefined;
  most?: number;
  withoutIndex?: number;
};

/** The scope of one search, as the ranker opens it. */
async function openScope(
  db: Catalog,
  space: VectorSpace,
  { query, among, most = maxCompared, withoutIndex = 200_000 }: Omit<Asked, 'count' | 'some'>,
) {
  const counts = await readChunkCounts(db, space.workspaceId);
  return new SearchScope({
    db,
    space,
    query,
    limits: { compared: most, withoutIndex },
    among: { ...among, counts },
    readShare: async (estimate) => estimate((await readSample(db, space, counts)).map(({ media_id }) => media_id)),
    isIndexed: () => hasVectorIndex(db, space),
  });
}

/** The nearest chunks, the nearest first. */
async function findNear(db: Catalog, space: VectorSpace, { count, some, ...asked }: Asked) {
  const scope = await openScope(db, space, asked);
  const found = await (some ? scope.findNearAmong(count, some) : scope.findNear(count));
  return [...found]
    .map(([number, similarity]) => ({ number, similarity }))
    .toSorted((a, b) => b.similarity - a.similarity);
}

/** The items of a catalog with the places of their chunks. */
async function listItems(db: Catalog, numbers: number[]): Promise<Map<string, number[]>> {
  const rows = await db.selectFrom('chunks').select(['media_id', 'number']).orderBy('number').execute();
  const grouped = Map.groupBy(rows, ({ media_id }) => media_id);
  return new Map([...grouped].map(([id, chunks]) => [id, chunks.map(({ number }) => numbers.indexOf(number))]));
}

const pickSome = <Value>(random: Random, values: Value[], share: number): Value[] =>
  values.filter(() => random.next() < share);

test.runIf(testDatabaseUrl)(
  `the nearest chunks behind any filter are those of a comparison of all (${needsServer})`,
  async () => {
    await using t = await setUp({ count: 1500, dimensions: 32 });
    const { db, space, numbers, vectors, random } = t;
    const items = await listItems(db, numbers);
    const [images, trashed] = [pickSome(random, [...items.keys()], 0.1), pickSome(random, [...items.keys()], 0.2)];
    await db.updateTable('media_items').set({ type: 'image' }).where('id', 'in', images).execute();
    await db
      .updateTable('media_items')
      .set({ trashed_at: '2026-11-01T00:00:00.000Z' })
      .where('id', 'in', trashed)
      .execute();
    expect(await readChunkCounts(db, space.workspaceId)).toMatchObject({ all: 1500, trashed: 10 * trashed.length });
    const live = new Set([...items].flatMap(([id, places]) => (trashed.includes(id) ? [] : places)));
    const chosen = pickSome(random, [...numbers.keys()], 0.3);
    const toAmong = (places: number[]) => places.map((place) => numbers[place] as number);
    const inside = [...items.keys()].find((id) => !trashed.includes(id)) ?? '';
    const cases = [
      { among: { filter: {} }, passing: [...numbers.keys()] },
      { among: { filter: { type: 'image' as const } }, passing: images.flatMap((id) => items.get(id) ?? []) },
      { among: { filter: {}, mediaId: inside }, passing: items.get(inside) ?? [] },
      { among: { filter: {} }, some: toAmong(chosen), passing: chosen },
      {
        among: { filter: { type: 'image' as const } },
        some: toAmong(chosen),
        passing: chosen.filter((place) => images.some((id) => items.get(id)?.includes(place))),
      },
      { among: { filter: { creator_id: 'nobody' } }, passing: [] },
    ];
    for (const [{ among, some, passing }, most] of cases.flatMap((one) =>
      [20_000, 50].map((most) => [one, most] as const),
    )) {
      const query = drawVector(random, 32, random.pick(vectors));
      const expected = passing
        .filter((place) => live.has(place))
        .map((place) => ({ number: numbers[place] as number, similarity: dot(query, vectors[place] as Float32Array) }))
        .toSorted((a, b) => b.similarity - a.similarity)
        .slice(0, 50);
      const found = await findNear(db, space, { query, among, some, count: 50, most });
      expect(found).toHaveLength(expected.length);
      const exact = new Map(numbers.map((number, place) => [number, dot(query, vectors[place] as Float32Array)]));
      for (const [i, { number, similarity }] of found.entries()) {
        expect(passing.some((place) => numbers[place] === number && live.has(place))).toBe(true);
        expect(Math.abs(similarity - (exact.get(number) as number))).toBeLessThan(bound);
        // Another one at the same place, where both are about as near.
        expect(Math.abs(similarity - (expected[i]?.similarity as number))).toBeLessThan(bound);
      }
      const compared = await compareChunks(db, space, query, numbers);
      expect(compared.size).toBe(1500);
      for (const [number, cosine] of compared) {
        expect(Math.abs(cosine - (exact.get(number) as number))).toBeLessThan(bound);
      }
    }
  },
);

test.runIf(testDatabaseUrl)(
  `the sample is the same wherever it is read, and changes by few when chunks come and go (${needsServer})`,
  async () => {
    await using t = await setUp({ count: 3000, dimensions: 4, perItem: 1 });
    const { db, space, numbers } = t;
    const read = async () =>
      (await readSample(db, space, await readChunkCounts(db, space.workspaceId))).map(({ number }) => number);
    const first = await read();
    expect(first).toHaveLength(sampleSize);
    expect(await read()).toEqual(first);
    // Spread over all: of each third about a third.
    for (const part of [0, 1, 2]) {
      const held = first.filter((number) => Math.floor((3 * numbers.indexOf(number)) / 3000) === part);
      expect(Math.abs(held.length - sampleSize / 3)).toBeLessThan(50);
    }
    const gone = first.slice(0, 5);
    await db.deleteFrom('chunks').where('number', 'in', gone).execute();
    const after = await read();
    expect(after).toHaveLength(sampleSize);
    expect(after.filter((number) => !first.includes(number))).toHaveLength(5);
  },
);

test.runIf(testDatabaseUrl)(
  `a large workspace gets an index that finds what is near, also behind a filter, and loses it again (${needsServer})`,
  async () => {
    await using t = await setUp({ count: 3000, dimensions: 16, perItem: 30 });
    const { db, space, numbers, vectors, random } = t;
    const most = 1000;
    const name = indexName(space);
    const findIndex = async () =>
      (
        await sql<{ valid: boolean }>`
        select indisvalid as valid from pg_index where indexrelid = to_regclass(${name})
      `.execute(db)
      ).rows[0];
    expect(await keepVectorIndexes(db, unaborted)).toEqual([]);
    expect(await countVectorIndexes(db, most)).toEqual({ waiting: 1, building: 0, ready: 0 });
    expect(await hasVectorIndex(db, space)).toBe(false);
    expect(await keepVectorIndexes(db, unaborted, most)).toEqual([name]);
    expect(await hasVectorIndex(db, space)).toBe(true);
    expect(await keepVectorIndexes(db, unaborted, most)).toEqual([]);
    const items = await listItems(db, numbers);
    const images = [...items.keys()].slice(0, 60);
    await db.updateTable('media_items').set({ type: 'image' }).where('id', 'in', images).execute();
    await sql`analyze`.execute(db);
    const passing = new Set(images.flatMap((id) => items.get(id) ?? []));
    let held = 0;
    const asked = { among: { filter: { type: 'image' as const } }, count: 20, most };
    for (let i = 0; i < 10; i++) {
      const query = drawVector(random, 16, random.pick(vectors));
      const nearest = [...passing]
        .map((place) => ({ number: numbers[place], similarity: dot(query, vectors[place] as Float32Array) }))
        .toSorted((a, b) => b.similarity - a.similarity)
        .slice(0, 20);
      const found = await findNear(db, space, { query, ...asked });
      expect(found).toHaveLength(20);
      held += found.filter(({ number }) => nearest.some((one) => one.number === number)).length;
    }
    expect(held / 200).toBeGreaterThan(0.9);
    // More than an index may be asked for: all that pass are compared.
    expect(await countVectorIndexes(db, most)).toEqual({ waiting: 0, building: 0, ready: 1 });
    const query = drawVector(random, 16);
    const all = await findNear(db, space, { query, ...asked, count: 5000 });
    expect(all).toHaveLength(passing.size);

    // As after a build that was killed.
    await sql`update pg_index set indisvalid = false where indexrelid = to_regclass(${name})`.execute(db);
    expect(await keepVectorIndexes(db, unaborted, most)).toEqual([name]);
    expect(await findIndex()).toMatchObject({ valid: true });
    await db
      .deleteFrom('media_items')
      .where('id', 'in', [...items.keys()].slice(0, 90))
      .execute();
    expect(await keepVectorIndexes(db, unaborted, most)).toEqual([]);
    expect(await findIndex()).toBeUndefined();
    expect(await countVectorIndexes(db, most)).toEqual({ waiting: 0, building: 0, ready: 0 });
  },
);

test.runIf(testDatabaseUrl)(
  `until there is an index, the newest are compared, and the search says so (${needsServer})`,
  async () => {
    await using t = await setUp({ count: 1500, dimensions: 16 });
    const { db, space, numbers, vectors, random } = t;
    const items = await listItems(db, numbers);
    const images = pickSome(random, [...items.keys()], 0.5);
    await db.updateTable('media_items').set({ type: 'image' }).where('id', 'in', images).execute();
    const ofImages = images.flatMap((id) => items.get(id) ?? []);
    for (const [filter, passing] of [
      [{}, [...numbers.keys()]],
      [{ type: 'image' as const }, ofImages],
    ] as const) {
      const query = drawVector(random, 16, random.pick(vectors));
      const nearestOf = (places: number[]) =>
        places
          .toSorted((a, b) => dot(query, vectors[b] as Float32Array) - dot(query, vectors[a] as Float32Array))
          .slice(0, 5)
          .map((place) => numbers[place]);
      const inOrder = passing.toSorted((a, b) => b - a);
      for (const [withoutIndex, isCut] of [
        [inOrder.length, false],
        [300, true],
      ] as const) {
        const scope = await openScope(db, space, { query, among: { filter }, most: 100, withoutIndex });
        const found = await scope.findNear(5);
        expect([...found.keys()]).toEqual(nearestOf(inOrder.slice(0, withoutIndex)));
        expect(scope.isCut).toBe(isCut);
      }
    }
  },
);
