import { describe, expect, test } from 'vitest';
import type { SegmentSource, TextSource } from '../../../contract/texts.ts';
import { listSlots } from '../index/slot-set.ts';
import { searchNaively } from '../testing/naive-search.ts';
import { Accumulator } from './accumulator.ts';
import { buildTextSegment, runToEnd } from './build-segment.ts';
import { mergeTextSegments } from './merge-segments.ts';
import { createTextReader } from './phrases.ts';
import { searchTexts, type TextSearchOptions } from './search-texts.ts';
import { parseTextQuery } from './text-query.ts';
import type { IndexedTexts, TextSegment } from './text-segment.ts';
import { allSources, toSourceSet } from './text-sources.ts';

const build = (firstSlot: number, texts: IndexedTexts[]): TextSegment => runToEnd(buildTextSegment(firstSlot, texts));

/** A chunk with some text, in a file of an unremarkable name. */
const spoken = (text: string): IndexedTexts => ({ texts: [{ source: 'subtitle', text }], filename: 'x.mp4', tags: '' });

const accumulator = new Accumulator();

function toBits(slots: Iterable<number>, count: number): Uint32Array {
  const bits = new Uint32Array(Math.ceil(count / 32));
  for (const slot of slots) bits[slot >>> 5] = (bits[slot >>> 5] ?? 0) | (1 << (slot & 31));
  return bits;
}

/** Searches texts that were indexed as they are, slot by slot from 0 on. */
function search(texts: IndexedTexts[], query: string, options: Partial<TextSearchOptions> = {}) {
  return searchTexts([build(0, texts)], parseTextQuery(query), {
    selected: toBits(texts.keys(), texts.length),
    sources: allSources,
    labelled: [],
    count: 100,
    enough: 100,
    readTexts: (slots) => slots.map((slot) => texts[slot]),
    accumulator,
    ...options,
  });
}

const slotsOf = async (...args: Parameters<typeof search>): Promise<number[]> =>
  (await search(...args)).matches.map(({ slot }) => slot);

/** Numbers that are the same at each run (mulberry32). */
function createRandom(seed: number) {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return { below, pick: <T>(values: T[]): T => values[below(values.length)] as T };
}

const vocabulary =
  'run runs running runner harbour harbours harbor night nights red car cart carts sunset café 東京 タワー 東京タワー x2 2041 a the of'.split(
    ' ',
  );
const segmentSources: SegmentSource[] = ['subtitle', 'chapter', 'speech', 'ocr'];
const filenames = [
  'IMG_2041.jpg',
  'holidayParis.mov',
  'redCar-02.mp4',
  '東京タワー.mp4',
  'clip.webm',
  'cafe02a1b3.jpg',
];
const queries =
  'run|running car|"red car"|"red car" night|har|harb|harbuor|nihgt red|東京|the|"the harbour" run|img 2041|paris|holidayparis|car cart|zzz|café ca|"night red" "car run"|sunsets'.split(
    '|',
  );

test.each(Array.from({ length: 60 }, (_, seed) => seed))(
  'finds what a naive search finds (random texts %i)',
  async (seed) => {
    const { below, pick } = createRandom(seed);
    const words = () => Array.from({ length: below(7) }, () => pick(vocabulary)).join(' ');
    const count = 1 + below(120);
    const texts = Array.from({ length: count }, () => ({
      texts: Array.from({ length: below(4) }, () => ({ source: pick(segmentSources), text: words() })),
      filename: pick(filenames),
      tags: below(4) === 0 ? words() : '',
    }));
    const borders = [...new Set([0, below(count), below(count), count])].toSorted((a, b) => a - b);
    const cut = borders.slice(1).map((end, i) => ({ first: borders[i] ?? 0, end }));
    let segments = cut.map(({ first, end }) => build(first, texts.slice(first, end)));
    const deleted = new Set([...texts.keys()].filter(() => below(5) === 0));
    const isMerged = below(2) === 0;
    if (isMerged) segments = [runToEnd(mergeTextSegments(segments, (slot) => deleted.has(slot)))];
    const documents = texts.map((text, slot) => ({ ...text, isIndexed: !isMerged || !deleted.has(slot) }));
    const passes = below(2) === 0 ? () => true : () => below(3) > 0;
    const selected = [...texts.keys()].filter((slot) => !deleted.has(slot) && passes());
    for (const query of queries) {
      const parsed = parseTextQuery(query);
      const labelled = parsed.terms.map(() => (below(4) === 0 ? selected.filter(() => below(6) === 0) : []));
      const sources = below(2) === 0 ? allSources : below(allSources + 1);
      const options = { sources, labelled, count: pick([5, 200]), enough: pick([0, 5, 200]) };
      const found = await searchTexts(segments, parsed, {
        ...options,
        selected: toBits(selected, count),
        readTexts: createTextReader((slots) => slots.map((slot) => texts[slot]), sources),
        accumulator,
      });
      const expected = searchNaively(documents, parsed, { ...options, selected: new Set(selected) });
      expect({ query, corrections: found.corrections }).toEqual({ query, corrections: expected.corrections });
      expect(found.matches.map(({ slot, terms }) => ({ slot, terms }))).toEqual(
        expected.matches.map(({ slot, terms }) => ({ slot, terms })),
      );
      for (const [i, match] of found.matches.entries()) {
        expect(match.relevance).toBeCloseTo(expected.matches[i]?.relevance ?? NaN, 4);
        expect(match.coverage).toBeCloseTo(expected.matches[i]?.coverage ?? NaN, 6);
      }
    }
  },
);

test('among many texts with a common word, over several windows and segments, the best are those of a naive search', async () => {
  const { below } = createRandom(5);
  // Shares of texts that hold a word; the last is held by none.
  const shares = { sea: 0.6, boat: 0.05, gull: 0.004, buoy: 0.0006, reef: 0 };
  const texts = Array.from({ length: 40_000 }, () => {
    const words = Object.entries(shares).flatMap(([word, share]) =>
      Array.from({ length: 2 }, () => word).filter(() => below(1_000_000) < 500_000 * share),
    );
    return spoken([...words, ...Array.from({ length: below(4) }, () => 'wave')].join(' '));
  });
  const segments = [build(0, texts.slice(0, 23_456)), build(23_456, texts.slice(23_456))];
  const selected = [...texts.keys()].filter(() => below(10) > 0);
  const documents = texts.map((text) => ({ ...text, isIndexed: true }));
  for (const query of ['sea boat gull ', 'sea buoy ', 'gull ', 'sea ', 'sea boat gull buoy reef ']) {
    const parsed = parseTextQuery(query);
    const options = { sources: allSources, labelled: parsed.terms.map(() => []), enough: 0 };
    const find = (count: number) =>
      searchTexts(segments, parsed, {
        ...options,
        count,
        selected: toBits(selected, texts.length),
        readTexts: () => [],
        accumulator,
      });
    const all = searchNaively(documents, parsed, { ...options, count: texts.length, selected: new Set(selected) });
    const found = await find(50);
    expect(found.matches.map(({ slot, terms }) => ({ slot, terms }))).toEqual(
      all.matches.slice(0, 50).map(({ slot, terms }) => ({ slot, terms })),
    );
    // Another search in between must not change what this one says.
    await searchTexts(segments, parseTextQuery('wave '), {
      ...options,
      labelled: [],
      count: 5,
      selected: toBits(selected, texts.length),
      readTexts: () => [],
      accumulator,
    });
    const levels = found.levels(1e-6);
    expect(levels.reduce((sum, { size }) => sum + size, 0)).toBe(all.matches.length);
    let before = Infinity;
    for (const { least, most, size } of levels) {
      expect(most).toBeLessThan(before);
      const among = found.covering(least, before);
      const expected = all.matches.filter(({ coverage }) => Math.abs(coverage - least) < 1e-6);
      expect([among.size, [...listSlots(among, 0)]]).toEqual([
        size,
        expected.map(({ slot }) => slot).toSorted((a, b) => a - b),
      ]);
      before = least;
    }
    expect(found.levels(1)).toEqual([{ least: levels.at(-1)?.least, most: levels[0]?.most, size: all.matches.length }]);
  }
});

test('merging segments keeps matches and scores', async () => {
  const { below, pick } = createRandom(1);
  const texts = Array.from({ length: 300 }, () => ({
    texts: Array.from({ length: below(3) }, () => ({
      source: pick(segmentSources),
      text: Array.from({ length: below(5) }, () => pick(vocabulary)).join(' '),
    })),
    filename: pick(filenames),
    tags: '',
  }));
  const segments = [0, 100, 200].map((first) => build(first, texts.slice(first, first + 100)));
  const merged = runToEnd(mergeTextSegments(segments, () => false));
  expect(merged).toEqual(build(0, texts));
  for (const query of queries) {
    const options = {
      selected: toBits(texts.keys(), 300),
      sources: allSources,
      labelled: [],
      count: 300,
      enough: 300,
      readTexts: (slots: number[]) => slots.map((slot) => texts[slot]),
      accumulator,
    };
    const parsed = parseTextQuery(query);
    expect((await searchTexts([merged], parsed, options)).matches).toEqual(
      (await searchTexts(segments, parsed, options)).matches,
    );
  }
});

describe('a search', () => {
  test('puts texts that hold more of the query first, then the more relevant, then the newest', async () => {
    const texts = ['red', 'red car', 'car', 'blue sky over the sea', 'red car', 'red car in the street'].map(spoken);
    expect(await slotsOf(texts, 'red car')).toEqual([4, 1, 5, 2, 0]);
  });

  test('finds all forms of a word, the one that was asked for first', async () => {
    const texts = ['he is running', 'he ran', 'he often runs', 'a runner'].map(spoken);
    expect(await slotsOf(texts, 'running ')).toEqual([0, 2]);
  });

  test('counts words of file names and tags double', async () => {
    const texts = [spoken('harbour'), { ...spoken('day'), filename: 'harbour.mp4' }, spoken('harbour')];
    expect(await slotsOf(texts, 'harbour ')).toEqual([1, 2, 0]);
  });

  test('finds a phrase only where its words follow each other in one text', async () => {
    const texts = [
      spoken('good morning harbour'),
      spoken('morning is good'),
      { ...spoken('good'), filename: 'morning.mp4' },
      { texts: [], filename: 'GoodMorning.mp4', tags: '' },
      { texts: [], filename: 'x.mp4', tags: 'all good mornings' },
    ];
    expect(new Set(await slotsOf(texts, '"good morning"'))).toEqual(new Set([0, 3, 4]));
    const { matchesOf } = await search(texts, 'harbour "good morning"', { count: 1 });
    expect([...(await matchesOf([0, 1, 2])).values()].map(({ terms }) => terms)).toEqual([['good morning', 'harbour']]);
  });

  test('reads few texts for a phrase that many hold', async () => {
    const texts = Array.from({ length: 2000 }, () => spoken('good morning'));
    let read = 0;
    const readTexts = (slots: number[]) => {
      read += slots.length;
      return slots.map((slot) => texts[slot]);
    };
    expect(await slotsOf(texts, '"good morning"', { count: 10, readTexts })).toHaveLength(10);
    expect(read).toBe(10);
  });

  test('finds the one that holds a phrase among many with its words, and gives up after thousands', async () => {
    const texts = Array.from({ length: 6000 }, (_, i) => spoken(i === 77 ? 'good morning' : 'morning good'));
    expect(await slotsOf(texts, '"good morning"', { count: 10 })).toEqual([77]);
    const more = [...texts, ...Array.from({ length: 12_000 }, () => spoken('morning good'))];
    expect(await slotsOf(more, '"good morning"', { count: 10 })).toEqual([]);
  });

  test('finds Chinese words in whichever characters they are written', async () => {
    const texts = [spoken('我們在東京的圖書館'), spoken('我们在东京的图书馆'), spoken('東京の図書館'), spoken('北京')];
    for (const query of ['東京', '东京', '圖書館', '图书馆', '図書館', '"東京的圖書館" 东京']) {
      const held = query.startsWith('"') ? [0, 1] : [0, 1, 2];
      expect((await slotsOf(texts, query)).toSorted((a, b) => a - b).slice(0, held.length)).toEqual(held);
    }
    expect(await slotsOf(texts, '东京')).not.toContain(3);
  });

  test('what a program named is found as it is written, by its beginning, and by no fragment of it', async () => {
    const named = (filename: string): IndexedTexts => ({ texts: [], filename, tags: '' });
    const texts = [named('2752da3a0f.jpg'), named('bad0c4f19e.jpg'), named('badger.jpg'), named('x.jpg')];
    expect(await slotsOf(texts, 'Was ist das?')).toEqual([]);
    expect(await slotsOf(texts, 'da')).toEqual([]);
    // A word that they begin with by chance, as nobody would begin to type them.
    expect(await slotsOf(texts, 'bad')).toEqual([2]);
    expect(await slotsOf(texts, '2752da')).toEqual([0]);
    expect(await slotsOf(texts, 'bad0')).toEqual([1]);
    expect(await slotsOf(texts, '2752DA3A0F.jpg')).toEqual([0]);
    expect(await slotsOf(texts, 'bad0c4f19e red')).toEqual([1]);
  });

  test('takes the last word as a prefix for half, if complete words do not fill the list', async () => {
    const texts = ['boards', 'boar', 'red boards', 'a board', 'red'].map(spoken);
    expect(await slotsOf(texts, 'red boa')).toEqual([2, 1, 0, 3, 4]);
    expect((await search(texts, 'boar')).matches).toMatchObject([
      { slot: 1, coverage: 1, terms: ['boar'] },
      { slot: 0, coverage: 0.5, terms: ['boar'] },
      { slot: 3, coverage: 0.5, terms: ['boar'] },
      { slot: 2, coverage: 0.5, terms: ['boar'] },
    ]);
    expect(await slotsOf(texts, 'boar', { enough: 1 })).toEqual([1]);
  });

  test.each(['harbuor', 'harbou', 'harboour', 'harbxur'])('forgives one typing error: %s', async (word) => {
    const texts = ['the harbour', 'harbour', 'hardcore'].map(spoken);
    const { matches, corrections } = await search(texts, `${word} `);
    expect(corrections).toEqual([{ from: word, to: 'harbour' }]);
    expect(matches).toMatchObject([
      { slot: 1, coverage: 0.5, terms: [word] },
      { slot: 0, coverage: 0.5 },
    ]);
  });

  test.each(['hxrbxur', 'xarbour', 'hardcore', 'hardcored', 'nigt', 'harbou'])('does not correct %s', async (word) => {
    const texts = ['the harbour', 'hardcore', 'night'].map(spoken);
    expect((await search(texts, word)).corrections).toEqual([]);
  });

  test('corrects only to a word that something selected holds, the most frequent', async () => {
    const texts = ['house', 'house', 'horse', 'mouse'].map(spoken);
    expect((await search(texts, 'hoise ')).corrections).toEqual([{ from: 'hoise', to: 'house' }]);
    expect((await search(texts, 'hoise ', { selected: toBits([2, 3], 4) })).corrections).toEqual([
      { from: 'hoise', to: 'horse' },
    ]);
    expect((await search(texts, 'hoise ', { selected: toBits([3], 4) })).corrections).toEqual([]);
    expect(await search(texts, 'house ', { selected: toBits([2], 4) })).toMatchObject({ matches: [], corrections: [] });
  });

  test('looks only in texts of the sources that are asked for', async () => {
    const texts: IndexedTexts[] = [
      { texts: [{ source: 'speech', text: 'red boards' }], filename: 'harbour.mp4', tags: '' },
      { texts: [{ source: 'ocr', text: 'red harbour' }], filename: 'x.mp4', tags: 'car' },
      { texts: [], filename: 'boards.mp4', tags: 'harbor red car' },
    ];
    const slots = async (query: string, ...sources: TextSource[]) =>
      (await slotsOf(texts, query, { sources: toSourceSet(sources) })).toSorted((a, b) => a - b);
    expect(await slots('red ', 'speech', 'ocr')).toEqual([0, 1]);
    expect(await slots('harbour ', 'filename', 'tag')).toEqual([0]);
    // A prefix, a typing error and its correction.
    expect(await slots('boa', 'speech')).toEqual([0]);
    expect(await slots('boa', 'filename')).toEqual([2]);
    expect(await search(texts, 'harbou ', { sources: toSourceSet(['ocr']) })).toMatchObject({
      matches: [{ slot: 1 }],
      corrections: [{ from: 'harbou', to: 'harbour' }],
    });
    expect((await search(texts, 'harbou ', { sources: toSourceSet(['tag']) })).corrections).toEqual([
      { from: 'harbou', to: 'harbor' },
    ]);
    expect(await search(texts, 'harbou ', { sources: toSourceSet(['speech']) })).toMatchObject({
      matches: [],
      corrections: [],
    });
    expect(await slots('red ')).toEqual([]);
  });

  test('a rare word weighs by how rare it is where it is looked for', async () => {
    const heard = Array.from({ length: 50 }, () => spoken('ferry'));
    const texts: IndexedTexts[] = [
      ...heard,
      { texts: [{ source: 'ocr', text: 'ferry' }], filename: 'x.mp4', tags: '' },
      { texts: [{ source: 'ocr', text: 'car' }], filename: 'x.mp4', tags: '' },
      { texts: [{ source: 'ocr', text: 'car' }], filename: 'x.mp4', tags: '' },
    ];
    expect(await slotsOf(texts, 'ferry car ', { count: 1 })).toEqual([52]);
    expect(await slotsOf(texts, 'ferry car ', { count: 1, sources: toSourceSet(['ocr']) })).toEqual([50]);
  });

  test('labels hold a word with relevance 1; such a word is not corrected', async () => {
    const texts = ['linda', 'red', 'red'].map(spoken);
    const { matches, corrections } = await search(texts, 'limda ', { labelled: [[1, 2]] });
    expect(corrections).toEqual([]);
    expect(matches).toMatchObject([
      { slot: 2, relevance: 1, coverage: 1, terms: ['limda'] },
      { slot: 1, relevance: 1, coverage: 1 },
    ]);
  });

  test('matches of the search before do not remain', async () => {
    const texts = ['red', 'blue'].map(spoken);
    await search(texts, 'red');
    expect([...(await (await search(texts, 'blue')).matchesOf([0, 1])).keys()]).toEqual([1]);
  });

  test('takes 32 terms', async () => {
    const words = Array.from({ length: 32 }, (_, i) => `w${i}`);
    const texts = [words.join(' '), 'w0', 'w31'].map(spoken);
    const { matches } = await search(texts, words.join(' '));
    expect(matches.map(({ slot, terms }) => [slot, terms.length])).toEqual([
      [0, 32],
      [2, 1],
      [1, 1],
    ]);
  });

  test('finds nothing in nothing', async () => {
    expect(await search([], 'red')).toMatchObject({ matches: [], corrections: [] });
    expect(
      (
        await searchTexts([], parseTextQuery('red "a b"'), {
          selected: new Uint32Array(),
          sources: allSources,
          labelled: [],
          count: 10,
          enough: 10,
          readTexts: () => [],
          accumulator,
        })
      ).matches,
    ).toEqual([]);
    expect((await search([spoken('red')], '')).matches).toEqual([]);
  });
});
