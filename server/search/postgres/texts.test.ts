import { parseTextQuery } from '@media-search/search-engine/text/text-query';
import { allSources, toSourceSet } from '@media-search/search-engine/text/text-sources';
import { expect, test } from 'vitest';
import { createRandom } from '../../../packages/search-engine/testing/random.ts';
import { createMemoryPostings, createPassing } from '../../testing/memory-postings.ts';
import { drawChunks, indexAll, queries } from '../../testing/random-texts.ts';
import { openTextSearch } from './texts.ts';

test('by the postings of its terms alone a query finds what an index of all texts finds, with the same scores', async () => {
  const random = createRandom(18);
  for (let round = 0; round < 12; round++) {
    const chunks = drawChunks(random, 1 + random.below(400));
    const numbers = chunks.map(({ number }) => number);
    const searchAll = indexAll(chunks);
    const openStore = await createMemoryPostings(chunks);
    const some = (share: number) => numbers.filter(() => random.next() < share);
    const passing = new Set(some(random.pick([0.7, 0.1, 0.01])));
    for (const query of queries) {
      const text = parseTextQuery(query);
      for (const sources of [allSources, toSourceSet(['speech', 'ocr'])]) {
        const labelled = text.terms.map(() => (sources === allSources && random.below(6) === 0 ? some(0.1) : []));
        const depth = { count: 30, enough: 20 };
        // All that pass are listed; or the best are looked up, by a share that may be far from the truth.
        const passes = createPassing(passing, random.below(3) === 0, random.pick([0.7, 0.001, 1]));
        const isPassed = random.below(4) > 0;
        const store = openStore({ labelled });
        const search = openTextSearch(store, { text, sources }, Promise.resolve(isPassed ? passes : null));
        const expected = await searchAll(query, {
          ...depth,
          sources,
          labelled,
          passing: isPassed ? passing : new Set(numbers),
        });
        const found = await search.findTexts(depth, []);
        const asked = some(0.3).filter((number) => !isPassed || passing.has(number));
        const matches = await found.matchesOf(asked);
        const covering = found.covering(0.4);
        expect(
          {
            matches: found.matches,
            corrections: found.corrections,
            others: [...matches.values()].toSorted((a, b) => a.slot - b.slot),
            covering: covering.filter((number) => !isPassed || passing.has(number)),
            excluded: [...(await search.findExcluded(asked))].toSorted((a, b) => a - b),
          },
          query,
        ).toEqual({
          matches: expected.matches,
          corrections: expected.corrections,
          others: await expected.matchesOf(asked),
          covering: expected.covering(0.4),
          excluded: await expected.excluded(asked),
        });
      }
    }
  }
});

test('of words in very many chunks only the newest are read, and those that hold a rarer word or were found otherwise', async () => {
  const chunks = Array.from({ length: 20_000 }, (_, i) => ({
    number: i,
    texts: [{ source: 'speech' as const, text: i % 2000 === 7 ? 'the harbour walrus' : 'the harbour' }],
    filename: 'x.mp4',
    tags: '',
  }));
  const openStore = await createMemoryPostings(chunks);
  const find = async (query: string, others: number[] = []) => {
    const store = openStore({ limit: 3000 });
    const asked = { text: parseTextQuery(query), sources: allSources };
    const search = openTextSearch(store, asked, Promise.resolve(null));
    const found = await search.findTexts({ count: 20, enough: 20 }, others);
    return { ...found, read: store.readCount() };
  };
  const all = await indexAll(chunks)('harbour walrus ', {
    sources: allSources,
    count: 10,
    enough: 10,
    passing: new Set(chunks.keys()),
    labelled: [],
  });
  const rare = await find('harbour walrus ');
  // Also the oldest of the ten, with the scores that they have among all.
  expect(rare.matches.slice(0, 10)).toEqual(all.matches);
  const common = await find('harbour ', [3]);
  expect(common.matches.map(({ slot }) => slot)).toEqual(Array.from({ length: 20 }, (_, i) => 19_999 - i));
  expect((await common.matchesOf([3, 4000])).size).toBe(1);
  expect(common.read).toBeLessThan(6000);
  expect(rare.read).toBeLessThan(18_000);
});

test('at any share of chunks that pass, the best few hundred of a common word are looked up, and the same are found', async () => {
  const random = createRandom(52);
  const chunks = Array.from({ length: 30_000 }, (_, number) => ({
    number,
    texts: [
      {
        source: 'speech' as const,
        text: `harbour ${random.below(3) === 0 ? 'night' : ''} ${'x '.repeat(random.below(9))}`,
      },
    ],
    filename: 'x.mp4',
    tags: '',
  }));
  const openStore = await createMemoryPostings(chunks);
  const searchAll = indexAll(chunks);
  const sources = allSources;
  const [depth, labelled] = [{ count: 100, enough: 20 }, [[], []]];
  for (const share of [0.9, 0.5, 0.1, 0.01, 0]) {
    const passing = new Set([...chunks.keys()].filter(() => random.next() < share));
    const passes = createPassing(passing, false, share);
    const search = openTextSearch(
      openStore(),
      { text: parseTextQuery('harbour night '), sources },
      Promise.resolve(passes),
    );
    const expected = await searchAll('harbour night ', { ...depth, sources, labelled, passing });
    const found = await search.findTexts(depth, []);
    expect(found.matches).toEqual(expected.matches);
    if (share >= 0.1) expect(passes.foundCount()).toBeLessThan((2 * depth.count) / share + 50);
  }
});

test('words of another language are found in their other forms and in English, as in an index of all texts', async () => {
  const random = createRandom(34);
  const foreign = { language: 'es' as const, others: { harbours: ['night', 'red car'], sunset: ['run'] }, unseen: [] };
  for (let round = 0; round < 12; round++) {
    const chunks = drawChunks(random, 1 + random.below(400));
    const store = (await createMemoryPostings(chunks))();
    const passing = new Set(chunks.map(({ number }) => number));
    for (const query of ['harbours', 'harbours sunset', 'cart sunset']) {
      const text = { ...parseTextQuery(query), kept: ['harbours', 'sunset'], prefix: null, foreign };
      const depth = { count: 30, enough: 20 };
      const expected = await indexAll(chunks)(text, {
        ...depth,
        sources: allSources,
        labelled: text.terms.map(() => []),
        passing,
      });
      const found = await openTextSearch(store, { text, sources: allSources }, Promise.resolve(null)).findTexts(
        depth,
        [],
      );
      expect(found.matches, query).toEqual(expected.matches);
    }
  }
});
