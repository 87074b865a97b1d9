import { dot } from '@media-search/search-engine/vectors';
import { expect, test } from 'vitest';
import { createRandom, drawClusters } from '../../packages/search-engine/testing/random.ts';
import { postgresBackend } from '../testing/fresh-catalog.ts';
import { queryEmbedderOf } from '../testing/query-embedder.ts';
import { searchBackends, setUpSearch, textEmbedder } from '../testing/search-setup.ts';
import { seedChunks } from '../testing/seed-chunks.ts';

test.each([...new Set([...searchBackends, postgresBackend])])(
  'over %s, the nearest to many vectors are those of the workspace that are wanted, and none in the trash',
  async (backend) => {
    await using t = await setUpSearch(backend);
    const random = createRandom(3);
    const [count, perItem] = [300, 5];
    const vectors = drawClusters(random, { count, clusters: 8, dimensions: textEmbedder.dimensions });
    const [mine, other] = [await t.addWorkspace('Mine'), await t.addWorkspace('Other')];
    const seed = (workspaceId: string) =>
      seedChunks(t.db, workspaceId, textEmbedder.id, { count, perItem }, (i) => ({
        vector: vectors[i] as Float32Array,
      }));
    await seed(other);
    const numbers = await seed(mine);
    const trashed = await t.db
      .selectFrom('chunks')
      .select('media_id')
      .where('number', 'in', [numbers[10] as number, numbers[100] as number])
      .execute();
    await t.db
      .updateTable('media_items')
      .set({ trashed_at: '2026-11-01T00:00:00.000Z' })
      .where(
        'id',
        'in',
        trashed.map(({ media_id }) => media_id),
      )
      .execute();
    const isTrashed = (place: number) => (place >= 10 && place < 15) || (place >= 100 && place < 105);

    const engine = t.startEngine();
    const leftOut = [0, 1, 2, 3, 4];
    const options = { count: 12, least: 0.6, leftOut: leftOut.map((place) => numbers[place] as number) };
    const asked = [0, 3, 11, 200].map((place) => vectors[place] as Float32Array);
    const lists = await engine.findNearest(mine, textEmbedder, asked, options);
    expect(lists).toHaveLength(asked.length);
    for (const [i, vector] of asked.entries()) {
      const similarities = [...vectors.keys()]
        .filter((place) => !leftOut.includes(place) && !isTrashed(place))
        .map((place) => dot(vectors[place] as Float32Array, vector))
        .filter((similarity) => similarity >= options.least)
        .toSorted((a, b) => b - a)
        .slice(0, options.count);
      const found = lists?.[i] ?? [];
      expect(found.length).toBeGreaterThan(0);
      for (const { number, similarity } of found) {
        const place = numbers.indexOf(number);
        expect(place).toBeGreaterThanOrEqual(leftOut.length);
        expect(isTrashed(place)).toBe(false);
        expect(similarity).toBeCloseTo(dot(vectors[place] as Float32Array, vector), 2);
      }
      expect(found).toHaveLength(similarities.length);
      for (const [rank, { similarity }] of found.entries()) expect(similarity).toBeCloseTo(similarities[rank] ?? 0, 2);
    }
    expect(await engine.findNearest(mine, textEmbedder, [], options)).toEqual([]);
    // Vectors of another model cannot be compared with those that are stored.
    await t.db.updateTable('workspaces').set({ embedder_id: textEmbedder.id }).where('id', '=', mine).execute();
    const stranger = queryEmbedderOf('stranger@1', textEmbedder.dimensions);
    expect(await engine.findNearest(mine, stranger, asked, options)).toBeNull();
    expect(t.problems).toEqual([]);
  },
);
