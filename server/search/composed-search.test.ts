import { toExpression } from '@media-search/search-engine/text/expression';
import { meanDirection } from '@media-search/search-engine/vectors';
import { describe, expect, test } from 'vitest';
import { createRandom, drawVector } from '../../packages/search-engine/testing/random.ts';
import { type Backend, postgresBackend } from '../testing/fresh-catalog.ts';
import { searchOptions, setUpSearch, textEmbedder } from '../testing/search-setup.ts';
import { seedChunks } from '../testing/seed-chunks.ts';

/** Expressions over vectors whose meaning is known, in memory and in PostgreSQL alike. */

/** A text is the mean of its words. */
const embedder = {
  ...textEmbedder,
  hasMeasuredThresholds: true,
  async embedText(text: string) {
    const words = await Promise.all(text.split(' ').map((word) => textEmbedder.embedText(word)));
    return { vector: meanDirection(words.map(({ vector }) => vector as Float32Array)), unknown: [] };
  },
};
const perItem = 10;
const count = 400;

const vectorOf = async (text: string) => (await embedder.embedText(text)).vector;

/**
 * Chunks of a second, ten an item, that show anything; but of item 2 the third a dog and the eighth a man, of item 5 the second a man and the fourth a dog, of item 7
 * the first both; of item 9 all say something.
 */
async function open(backend: Backend) {
  const t = await setUpSearch(backend);
  const workspaceId = await t.addWorkspace('Test');
  const [dog, man] = [await vectorOf('dog'), await vectorOf('man')];
  const special = new Map([
    [22, dog],
    [27, man],
    [51, man],
    [53, dog],
    [70, meanDirection([dog, man])],
  ]);
  const random = createRandom(4);
  const numbers = await seedChunks(t.db, workspaceId, embedder.id, { count, perItem }, (place) => ({
    vector: special.get(place) ?? drawVector(random, embedder.dimensions),
    text: place >= 90 && place < 100 ? 'harbour' : '',
  }));
  const engine = t.startEngine(() => embedder);
  return {
    async search(query: string, filter = {}, hits = 3) {
      const asked = { expression: toExpression(query), like: null };
      const found = await engine.searchByExpression(workspaceId, asked, filter, searchOptions(hits));
      return found.hits.map(({ chunk, steps, score }) => ({
        place: numbers.indexOf(chunk.number),
        steps: steps?.map((step) => numbers.indexOf(step.chunk.number)),
        score,
      }));
    },
    async like(query: string, place: number) {
      const vector = special.get(place) as Float32Array;
      const like = { vectors: [vector], embedderId: embedder.id, leftOut: [numbers[place] as number] };
      const asked = { expression: toExpression(query), like };
      const { hits } = await engine.searchByExpression(workspaceId, asked, {}, searchOptions(3));
      return hits.map(({ chunk }) => numbers.indexOf(chunk.number));
    },
    [Symbol.asyncDispose]: () => t[Symbol.asyncDispose](),
  };
}

describe.each<Backend>(['sqlite', postgresBackend])('over %s', (backend) => {
  test('both in one moment, either, one after the other within some seconds', async () => {
    await using t = await open(backend);
    expect((await t.search('"dog" and "man"'))[0]?.place).toBe(70);
    expect((await t.search('"dog" or "man"', {}, 4)).map(({ place }) => place).toSorted((a, b) => a - b)).toEqual([
      22, 27, 51, 53,
    ]);
    expect((await t.search('"dog" then "man"'))[0]).toMatchObject({ place: 22, steps: [22, 27] });
    expect((await t.search('"man" then "dog"'))[0]).toMatchObject({ place: 51, steps: [51, 53] });
    const near = await t.search('"dog" then "man" within 3 s', {}, 10);
    expect(near.find(({ steps }) => steps?.[0] === 22 && steps[1] === 27)).toBeUndefined();
  });

  test('what is said counts as what is shown, and a filter holds for each step', async () => {
    await using t = await open(backend);
    const said = await t.search('"harbour" then "harbour"');
    expect(said[0]?.steps?.every((place) => place >= 90 && place < 100)).toBe(true);
    expect(await t.search('"dog" then "man"', { type: 'image' })).toEqual([]);
  });

  test('a chunk that hits are to be like is none of them', async () => {
    await using t = await open(backend);
    expect((await t.like('man', 22))[0]).toBe(70);
    expect(await t.like('dog', 22)).not.toContain(22);
  });
});

test('both backends rank alike', async () => {
  await using memory = await open('sqlite');
  await using database = await open(postgresBackend);
  for (const query of ['"dog" and "man"', '"dog" then "man" or "harbour" then "dog"', 'dog AND "a man -harbour"']) {
    const [one, other] = [await memory.search(query, {}, 10), await database.search(query, {}, 10)];
    expect(other.map(({ place }) => place)).toEqual(one.map(({ place }) => place));
    for (const [i, { score }] of one.entries()) expect(Math.abs((other[i]?.score ?? 0) - score)).toBeLessThan(0.003);
  }
});
