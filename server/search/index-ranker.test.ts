import type { KyselyPlugin } from 'kysely';
import { describe, expect, test } from 'vitest';
import { createRandom, drawVector } from '../../packages/search-engine/testing/random.ts';
import { searchBackends, searchOptions, setUpSearch, textEmbedder } from '../testing/search-setup.ts';
import { seedChunks } from '../testing/seed-chunks.ts';
import { createIndexRanker } from './index-ranker.ts';
import { createSearchEngine } from './search-engine.ts';

const random = createRandom(51);

/** Notes the statements that pass. */
function createStatementLog() {
  let count = 0;
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      count += 1;
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  };
  return { plugin, take: () => [count, (count = 0)][0] };
}

describe.each(searchBackends.filter((backend) => backend !== 'postgres'))('over %s', (backend) => {
  async function setUp(maxBytes = Infinity) {
    const t = await setUpSearch(backend);
    const workspaceId = await t.addWorkspace('Mine');
    const store = (text: string, workspace = workspaceId) =>
      seedChunks(t.db, workspace, textEmbedder.id, { count: 1, perItem: 1 }, () => ({
        vector: drawVector(random, textEmbedder.dimensions),
        text,
      }));
    await store('harbour');
    const log = createStatementLog();
    const db = t.db.withPlugin(log.plugin);
    const getEmbedder = () => Promise.resolve(textEmbedder);
    const ranker = createIndexRanker({
      db,
      location: t.location,
      indexDirectory: t.folder.file('indexes'),
      storage: null,
      maxBytes,
      other: null,
      getEmbedder,
      onProblem: (error) => expect.unreachable(String(error)),
    });
    const engine = createSearchEngine({ db, ranker, getEmbedder });
    const find = async (words: string, workspace = workspaceId) =>
      (await engine.searchByText(workspace, words, {}, searchOptions(10))).hits.length;
    return {
      store,
      find,
      addWorkspace: (name: string) => t.addWorkspace(name),
      statements: log.take,
      rankings: () => ranker.report().ranked.memory,
      async [Symbol.asyncDispose]() {
        await engine.stop();
        await t[Symbol.asyncDispose]();
      },
    };
  }

  test('a search of a workspace that does not change asks for its hits and nothing else', async () => {
    await using t = await setUp();
    await t.find('harbour');
    await t.find('harbour');
    const before = t.rankings();
    t.statements();
    expect(await t.find('harbour')).toBe(1);
    // The chunks and the state, then the lines of their texts.
    expect(t.statements()).toBe(2);
    expect(t.rankings() - before).toBe(1);
    // Without hits the state is read alone.
    expect(await t.find('"harbour boat"')).toBe(0);
    expect(t.statements()).toBe(1);
  });

  test('a workspace that changes before each search is ranked once for each but the first', async () => {
    await using t = await setUp();
    await t.find('harbour');
    await t.find('harbour');
    const before = t.rankings();
    for (let i = 2; i < 12; i++) {
      await t.store('harbour');
      expect(await t.find('harbour')).toBe(Math.min(10, i));
    }
    expect(t.rankings() - before).toBe(11);
  });

  test('without any memory for indexes each search is answered, also those of many workspaces at once', async () => {
    await using t = await setUp(0);
    const ids: string[] = [];
    for (let i = 0; i < 4; i++) {
      const id = await t.addWorkspace(`Other ${i}`);
      ids.push(id);
      for (let stored = 0; stored <= i; stored++) await t.store('harbour', id);
    }
    for (let round = 0; round < 5; round++) {
      expect(await Promise.all(ids.map((id) => t.find('harbour', id)))).toEqual([1, 2, 3, 4]);
    }
  });
});
