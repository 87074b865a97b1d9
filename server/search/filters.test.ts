import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MediaFilter } from '../../contract/filters.ts';
import { readFilteredVectors } from '../catalog/chunk-vectors.ts';
import { filterKey, isUnfiltered, passesFilter, pickFilter } from '../catalog/media-filter.ts';
import { listMedia } from '../catalog/media-items.ts';
import { openCatalog } from '../catalog/open-catalog.ts';
import type { Catalog } from '../catalog/schema.ts';
import { createWorkspace } from '../catalog/workspaces.ts';
import { createSecrets } from '../crypto/secrets.ts';
import { createTextEmbedders } from '../embedding/text-embedders.ts';
import { createHighlights } from '../highlights/highlights.ts';
import { rankFiltered } from '../highlights/rank-chunks.ts';
import { descriptorsReference } from '../models/load-embedder.ts';
import { temporaryFolder } from '../testing/running-service.ts';
import { seedChunks } from '../testing/seed-chunks.ts';
import { createSearchEngine } from './search-engine.ts';
import { createStageTimer } from './stage-timer.ts';

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
};
const filters = Object.entries(values).map(([name, value]) => ({ name, filter: { [name]: value } as MediaFilter }));

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let db: Catalog;
let workspaceId = '';
let expected: number[] = [];

beforeAll(async () => {
  folder = await temporaryFolder();
  db = await openCatalog(folder.file('catalog.db'));
  const secrets = createSecrets(new Uint8Array(32));
  ({ id: workspaceId } = await createWorkspace(db, secrets, { workspace: 'Test', owner: 'Tester' }));
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
  const first = db
    .selectFrom('chunks')
    .select('media_id')
    .where('number', '=', numbers[0] as number);
  await db.updateTable('media_items').set(values).where('id', '=', first).execute();
}, 60_000);

afterAll(async () => {
  await db.destroy();
  await folder[Symbol.asyncDispose]();
});

const engine = () =>
  createSearchEngine({
    db,
    catalogFile: folder.file('catalog.db'),
    indexDirectory: folder.file('indexes'),
    onProblem: (error) => expect.unreachable(error.message),
    getEmbedder: () => Promise.resolve(embedder),
  });
const options = { count: 20, dedupe: false };
const sorted = (hits: { chunk: { number: number } }[] | null) =>
  hits?.map(({ chunk }) => chunk.number).toSorted((a, b) => a - b);

test.each(filters)('$name: a text search finds everything that passes, however low its rank', async ({ filter }) => {
  const { hits } = await engine().searchByText(workspaceId, 'harbour', filter, {
    ...options,
    timer: createStageTimer(),
  });
  expect(sorted(hits)).toEqual(expected);
});

test.each(filters)('$name: a vector search finds everything that passes, however far it is', async ({ filter }) => {
  const query = { vector: unitVector(0), embedder };
  const hits = await engine().searchByVector(workspaceId, query, filter, { ...options, timer: createStageTimer() });
  expect(sorted(hits)).toEqual(expected);
});

test.each(filters)(
  '$name: highlights and the map compare only chunks that pass, and all of them',
  async ({ filter }) => {
    const highlights = createHighlights({
      db,
      search: engine(),
      directory: folder.file('indexes'),
      updateRankings: () => Promise.reject(new Error('Nothing is large enough to be cached.')),
      computeOutliers: (id, embedderId, given, method) => rankFiltered(db, id, embedderId, given, method),
      async computeMap(id, embedderId, given, layout) {
        const rows = await readFilteredVectors(db, id, embedderId, given, count);
        return { layout, points: rows.map(({ number }) => ({ number, x: 0, y: 0 })) };
      },
    });
    const never = new AbortController().signal;
    const highlightOptions = { ...options, perItem };
    // Results without a filter are cached first.
    await highlights.find(workspaceId, 'centroid', {}, highlightOptions, never);
    const found = await highlights.find(workspaceId, 'centroid', filter, highlightOptions, never);
    expect(found.population).toBe(passing);
    expect(sorted(found.hits)).toEqual(expected);
    const { points } = await highlights.map(workspaceId, 'centroid', 'pca', filter, never);
    expect(points).toHaveLength(passing);
  },
);

test.each(filters)('$name filters the list of items', async ({ filter }) => {
  const page = { page: 1, per_page: 20, sort: '-created_at' as const };
  expect(await listMedia(db, workspaceId, { ...page, ...filter })).toMatchObject({ total: 1, rows: [values] });
});

test.each(filters)('$name decides which items pass, and has a cache key of its own', ({ name, filter }) => {
  const other = { ...values, [name]: name === 'type' ? ('video' as const) : randomUUID() };
  expect(passesFilter(values, filter)).toBe(true);
  expect(passesFilter(other, filter)).toBe(false);
  expect(isUnfiltered(filter)).toBe(false);
  expect(new Set([{}, filter, { [name]: other[name as keyof MediaFilter] }].map(filterKey)).size).toBe(3);
  // Other parameters and their order make no difference.
  expect(pickFilter({ n: 20, [name]: undefined, ...filter } as MediaFilter)).toEqual(filter);
  expect(filterKey(Object.fromEntries(Object.entries(other).toReversed()))).toBe(filterKey(other));
});
