import { Accumulator } from '@media-search/search-engine/text/accumulator';
import { buildTextSegment, runToEnd } from '@media-search/search-engine/text/build-segment';
import { findExcluded } from '@media-search/search-engine/text/find-excluded';
import { createTextLoader } from '@media-search/search-engine/text/phrases';
import { searchTexts, type TextSearchOptions } from '@media-search/search-engine/text/search-texts';
import { parseTextQuery, type TextQuery } from '@media-search/search-engine/text/text-query';
import type { TextSegment } from '@media-search/search-engine/text/text-segment';
import type { Random } from '../../packages/search-engine/testing/random.ts';
import type { ChunkWithTexts } from '../catalog/postgres/write-texts.ts';

/** Material to compare text search over a database with the engine over all texts. For tests. */

const words = (
  'run runs running runner harbour harbours harbor night nights red car cart carts sunset café 東京 タワー 東京タワー x2 2041 a the of ' +
  Array.from(
    { length: 200 },
    (_, i) =>
      `word${String.fromCodePoint(97 + (i % 26))}${'q'.repeat(1 + (i % 3))}${String.fromCodePoint(97 + ((i * 7) % 26))}`,
  ).join(' ')
).split(' ');
const sources = ['subtitle', 'chapter', 'speech', 'ocr'] as const;
const filenames = ['IMG_2041.jpg', 'holidayParis.mov', 'redCar-02.mp4', '東京タワー.mp4', 'clip.webm'];

/** Words in several forms and scripts, phrases, prefixes, typing errors and exclusions. */
export const queries =
  'run|running car|"red car"|"red car" night|har|harb|harbuor|nihgt red|東京|the|"the harbour" run|img 2041|paris|holidayparis|car cart|zzz|café ca|"night red" "car run"|sunsets|wordaqh wordb|worda|red -car|harbour -"red car"|night -wordaqa -the'.split(
    '|',
  );

/** Chunks with a few texts each; their numbers have gaps. */
export function drawChunks(random: Random, count: number): ChunkWithTexts[] {
  const text = () => Array.from({ length: random.below(9) }, () => random.pick(words)).join(' ');
  let number = random.below(5000);
  return Array.from({ length: count }, () => ({
    number: (number += 1 + random.below(20)),
    texts: Array.from({ length: random.below(4) }, () => ({ source: random.pick(sources), text: text() })),
    filename: random.pick(filenames),
    tags: random.below(4) === 0 ? text() : '',
  }));
}

const accumulator = new Accumulator();

/** All texts, indexed, and what the engine finds in them by the numbers of chunks. */
export const indexAll = (chunks: ChunkWithTexts[]) => {
  const segment = runToEnd(buildTextSegment(0, chunks));
  return (query: string | TextQuery, options: Parameters<typeof searchAll>[3]) =>
    searchAll(chunks, segment, query, options);
};

async function searchAll(
  chunks: ChunkWithTexts[],
  segment: TextSegment,
  query: string | TextQuery,
  options: Pick<TextSearchOptions, 'sources' | 'count' | 'enough'> & { passing: Set<number>; labelled: number[][] },
) {
  const selected = new Uint32Array(Math.ceil(chunks.length / 32));
  for (const [slot, { number }] of chunks.entries()) {
    if (options.passing.has(number)) selected[slot >>> 5] = (selected[slot >>> 5] as number) | (1 << (slot & 31));
  }
  const places = new Map(chunks.map(({ number }, slot) => [number, slot]));
  const slotOf = (number: number) => places.get(number) as number;
  const numberOf = (slot: number) => (chunks[slot] as ChunkWithTexts).number;
  const text = typeof query === 'string' ? parseTextQuery(query) : query;
  const readTexts = createTextLoader((slots) => slots.map((slot) => chunks[slot]), options.sources);
  const labelled = options.labelled.map((numbers) => numbers.map(slotOf));
  const found = await searchTexts([segment], text, { ...options, labelled, selected, readTexts, accumulator });
  const toMatch = <Match extends { slot: number }>(match: Match): Match => ({ ...match, slot: numberOf(match.slot) });
  return {
    matches: found.matches.map(toMatch),
    corrections: found.corrections,
    matchesOf: async (numbers: number[]) =>
      [...(await found.matchesOf(numbers.map(slotOf))).values()].map(toMatch).toSorted((a, b) => a.slot - b.slot),
    covering: (least: number) => {
      const { words: bits } = found.covering(least);
      return chunks.flatMap(({ number }, slot) => (((bits[slot >>> 5] as number) >>> (slot & 31)) & 1 ? [number] : []));
    },
    excluded: async (numbers: number[]) =>
      [...(await findExcluded([segment], text.excluded, numbers.map(slotOf), readTexts, options.sources))]
        .map(numberOf)
        .toSorted((a, b) => a - b),
  };
}
