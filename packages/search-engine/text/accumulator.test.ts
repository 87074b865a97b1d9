import { expect, test } from 'vitest';
import { addRange, listSlots } from '../index/slot-set.ts';
import { Accumulator } from './accumulator.ts';
import { buildTextSegment, runToEnd } from './build-segment.ts';
import { searchTexts } from './search-texts.ts';
import { parseTextQuery } from './text-query.ts';
import { allSources } from './text-sources.ts';

/** The slots of each level of coverage, most of a query first, once all texts were read. */
async function findCovering(said: string[], query: string): Promise<number[][]> {
  const texts = said.map((text) => ({
    texts: [{ source: 'subtitle' as const, text }],
    filename: 'x.mp4',
    tags: '',
  }));
  const selected = new Uint32Array(1);
  addRange(selected, 0, texts.length);
  const found = await searchTexts([runToEnd(buildTextSegment(0, texts))], parseTextQuery(query), {
    selected,
    sources: allSources,
    labelled: [],
    count: 100,
    enough: 100,
    readTexts: (slots) => slots.map((slot) => texts[slot]),
    accumulator: new Accumulator(),
  });
  await found.matchesOf([...texts.keys()]);
  return found.levels(1e-6).map(({ least, most }) => [...listSlots(found.covering(least, most + 1e-9), 0)]);
}

test('of texts that hold the words of a phrase only those that hold it cover it', async () => {
  const levels = await findCovering(['red car', 'car red', 'red', 'car red night'], '"red car" night');
  expect(levels.flat().toSorted((a, b) => a - b)).toEqual([0, 3]);
});

test.each([3, 7, 8, 9, 20])('of %d words each level has the texts that hold as much', async (count) => {
  const words = Array.from({ length: count }, (_, i) => `word${String.fromCharCode(97 + i).repeat(3)}`);
  const levels = await findCovering(
    words.map((_, i) => words.slice(0, i + 1).join(' ')),
    words.join(' '),
  );
  expect(levels).toEqual(words.map((_, i) => [count - 1 - i]));
});
