import { toUnit } from '@media-search/search-engine/vectors';
import { describe, expect, test } from 'vitest';
import { createRandom, drawVector } from '../../../packages/search-engine/testing/random.ts';
import { postgresBackend } from '../../testing/fresh-catalog.ts';
import { startMemoryRanker } from '../../testing/memory-search.ts';
import { queryEmbedderOf } from '../../testing/query-embedder.ts';
import { searchBackends, setUpSearch } from '../../testing/search-setup.ts';
import { searchOptions } from '../../testing/search-setup.ts';
import { seedChunks } from '../../testing/seed-chunks.ts';
import { createConceptVectors } from '../highlights/concept-vectors.ts';
import { createPostgresRanker } from '../postgres/postgres-ranker.ts';
import { createSearchEngine } from '../search-engine.ts';
import { createChanceSampler } from './sample-chance.ts';

const dimensions = 32;
const seedOf = (text: string): number =>
  Array.from(text).reduce((seed, character) => (seed * 31 + (character.codePointAt(0) ?? 0)) % 1_000_003, 7);
/** A model to which all pictures and texts are much alike, as they are to CLIP; "lighthouse" and the last picture show the same. */
const common = drawVector(createRandom(3), dimensions);
const place = (text: string) =>
  toUnit(drawVector(createRandom(seedOf(text)), dimensions).map((value, i) => value + (common[i] as number)));

let embedded = 0;
const embedder = {
  ...queryEmbedderOf('alike@1', dimensions, (text) => {
    embedded += 1;
    return Promise.resolve({ vector: place(text), unknown: [] });
  }),
  samplesChance: true,
};

// PGlite stands for PostgreSQL where no server is.
describe.each([...new Set([...searchBackends, postgresBackend])])('over %s', (backend) => {
  async function setUp(chunks: number) {
    const t = await setUpSearch(backend);
    const { db, location, folder } = t;
    const workspaceId = await t.addWorkspace('Test');
    await seedChunks(db, workspaceId, embedder.id, { count: chunks, perItem: 1 }, (i) => ({
      vector: place(i === chunks - 1 ? 'lighthouse' : `picture ${i}`),
    }));
    const onProblem = (error: unknown) => expect.unreachable(String(error));
    const getEmbedder = () => Promise.resolve(embedder);
    const ranker =
      backend !== 'sqlite' && backend !== 'followed'
        ? createPostgresRanker(db)
        : startMemoryRanker({ db, location, indexDirectory: folder.file('indexes'), getEmbedder, onProblem });
    const withChance = createChanceSampler({
      db,
      ranker,
      words: createConceptVectors(folder.file('concepts')),
      onProblem,
    });
    const engine = createSearchEngine({ db, ranker, getEmbedder: async (id) => withChance(id, embedder) });
    return {
      workspaceId,
      withChance,
      find: async (query: string) => (await engine.searchByText(workspaceId, query, {}, searchOptions(5))).hits,
      async [Symbol.asyncDispose]() {
        await engine.stop();
        await t[Symbol.asyncDispose]();
      },
    };
  }

  test('what is nowhere is weak once chance was sampled, for a model that nobody measured, and what is there is not', async () => {
    await using t = await setUp(200);
    const missing = Array.from({ length: 24 }, (_, i) => `missing ${i}`);
    const countTold = async () => {
      let told = 0;
      for (const query of missing) if ((await t.find(query)).every(({ weak }) => weak)) told += 1;
      return told;
    };
    // The first search starts it and waits for nothing.
    expect((await t.find('missing 0')).some(({ weak }) => !weak)).toBe(true);
    await expect.poll(() => t.withChance(t.workspaceId, embedder).chance, { timeout: 20_000 }).toBeDefined();
    const told = await countTold();
    expect(told).toBeGreaterThan(6);
    expect(told).toBeLessThan(18);
    expect((await t.find('lighthouse'))[0]).toMatchObject({ weak: false });
  });

  test('in a workspace of a few chunks no words are embedded, and an embedder with measured margins keeps them', async () => {
    await using t = await setUp(19);
    embedded = 0;
    await t.find('lighthouse');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(embedded).toBe(1);
    const measured = { ...embedder, samplesChance: false };
    expect(t.withChance(t.workspaceId, measured)).toBe(measured);
  });
});
