import { expect, test } from 'vitest';
import { Accumulator } from './accumulator.ts';
import { buildTextSegment, runToEnd } from './build-segment.ts';
import { createTextLoader } from './phrases.ts';
import { searchTexts } from './search-texts.ts';
import { parseTextQuery } from './text-query.ts';
import { allSources } from './text-sources.ts';

const texts = [
  'the dog sleeps',
  'Hunde bellen laut',
  'der Hund bellt',
  'ein Hundert ist viel',
  'the wedding was near the cake shop',
  'a wedding without one',
].map((text) => ({ texts: [{ source: 'subtitle' as const, text }], filename: 'x.mp4', tags: '' }));

/** The places of the texts that are found, the best first. */
async function search(query: string, others: Record<string, string[]>, labelled: Uint32Array[] = []) {
  const text = { ...parseTextQuery(query), kept: Object.keys(others), prefix: null };
  const { matches } = await searchTexts(
    [runToEnd(buildTextSegment(0, texts))],
    { ...text, foreign: { language: 'de', others, unseen: [] } },
    {
      selected: Uint32Array.of(2 ** texts.length - 1),
      sources: allSources,
      labelled,
      count: 10,
      enough: 10,
      readTexts: createTextLoader((slots) => slots.map((slot) => texts[slot]), allSources),
      accumulator: new Accumulator(),
    },
  );
  return matches.map(({ slot }) => slot);
}

test('a term is found as it is written, in other forms of its language, and as English words, in this order', async () => {
  const found = await search('Hund', { Hund: ['dog'] });
  expect(new Set(found)).toEqual(new Set([0, 1, 2]));
  expect(found[0]).toBe(2);
  expect(found.at(-1)).toBe(0);
});

test('English words of several parts are found where a text holds all of them', async () => {
  expect(await search('Hochzeitstorte', { Hochzeitstorte: ['wedding cake'] })).toEqual([4]);
});

test('a term that is none of the language has its English forms alone', async () => {
  expect(await search('Hund', {})).toEqual([2, 1]);
});

test('a name that a label has is not looked for in English', async () => {
  expect(await search('dog', { dog: ['wedding'] }, [Uint32Array.of(3)])).toEqual(expect.not.arrayContaining([4, 5]));
});
