import type { FoundTexts, TextMatch } from '../text/search-texts.ts';
import type { Correction } from '../text/text-query.ts';
import type { IndexedTexts } from '../text/text-segment.ts';
import type { Background } from './calibration.ts';
import { type Comparable, findDistinct } from './deduplicate.ts';
import { scoreCandidates, type ScoredSlot, toHit, weighExcluded } from './score-candidates.ts';
import type { RankedHit, RankingResult, SearchTask, StageTimes } from './search-tasks.ts';
import { compareSpokenLines, maySay } from './spoken-lines.ts';

/** Additional hits, in case the catalog says that some were just deleted. */
const spareHits = 10;
/** The search for distinct hits ends at this depth: deeper candidates are not relevant. */
const maxDepth = 5000;

type Awaitable<Value> = Value | Promise<Value>;

/**
 * An index as one search sees it, in memory or in a database. Chunks go by keys: their slots, or their numbers. `Among`: a set of chunks in the form of
 * the index. A method may return a promise where its answer has to be waited for.
 */
export type SearchIndex<Among> = {
  /** Whether the name of a creator, category, collection or tag holds a term of the query. */
  isLabelled: boolean;
  numberOf(key: number): number;
  /** How similar chunks are to a unit vector in general. */
  measure(vector: Float32Array): Awaitable<Background>;
  /** The chunks that pass the filter and are nearest to the query with their cosines, of all chunks or of some. */
  findNear(count: number, among?: Among): Awaitable<Map<number, number>>;
  /** The cosines of a unit vector and some chunks; none for those without a vector. */
  compare(vector: Float32Array, keys: number[]): Awaitable<Map<number, number>>;
  /**
   * Finds the chunks whose texts hold some terms of the query. Words that begin with the last one are looked for where fewer than `enough` match.
   * @param others chunks that were found otherwise, whose texts count as well
   */
  findTexts(depth: { count: number; enough: number }, others: Iterable<number>): Awaitable<FoundTexts<Among>>;
  /** The chunks among some whose texts hold what the query excludes. */
  findExcluded(keys: number[]): Awaitable<Iterable<number>>;
  /** Returns the function that gives the texts of some chunks, of the wanted sources only; undefined for a chunk that is gone. */
  openTexts(keys: number[]): Awaitable<(key: number) => IndexedTexts | undefined>;
  /** What finds near-duplicates among some chunks. */
  openComparable(keys: number[]): Awaitable<Comparable>;
};

type Query = Pick<SearchTask, 'vector' | 'excludedVectors' | 'text' | 'options' | 'traits'>;

type Search<Among> = { index: SearchIndex<Among>; query: Query; background: Background | null; times: StageTimes };

/** How many candidates are read of each part. */
type Depth = { visual: number; text: number };

/**
 * Ranks the chunks of an index by a query: nearest vectors and full text, fused.
 * @param times what each stage has taken until now; what it takes here is added
 */
export async function runSearch<Among>(
  index: SearchIndex<Among>,
  query: Query,
  times: StageTimes,
): Promise<RankingResult['search']> {
  const { options, vector } = query;
  const background = vector && (await timed(times, 'vector', () => index.measure(vector)));
  const search: Search<Among> = { index, query, background, times };
  for (let depth = firstDepth(query); ;) {
    const { scored, isComplete, corrections, unheld } = await rank(search, depth);
    const hits = options.dedupe
      ? await timed(times, 'dedupe', () => keepDistinct(search, scored, corrections))
      : scored.slice(0, options.count + spareHits).map((candidate) => toHit(index.numberOf(candidate.slot), candidate));
    if (hits.length >= options.count || isComplete || depth.visual > maxDepth) {
      return { hits, corrections, unheld, isLabelled: index.isLabelled, times };
    }
    depth = { visual: 4 * depth.visual, text: 4 * depth.text };
  }
}

/** The candidates of which a search takes its hits at first. */
function firstDepth({ options: { count, dedupe }, text }: Query): Depth {
  const ofTexts = Math.max(100, 5 * count);
  // Some of the candidates will be dropped, or hold a part of the words. Otherwise what has no text is among the hits only if it is among the nearest
  // so many.
  const isMany = dedupe || text.excluded.length > 0 || text.terms.length > 1;
  return { visual: isMany ? ofTexts : count + spareHits, text: ofTexts };
}

/** The candidates of both parts by falling score, without what the query excludes; and whether there are no others. */
async function rank<Among>(
  search: Search<Among>,
  depth: Depth,
): Promise<{ scored: ScoredSlot[]; isComplete: boolean } & Pick<FoundTexts<Among>, 'corrections' | 'unheld'>> {
  const { index, query, background, times } = search;
  const { text, traits, vector } = query;
  const { phrases, terms } = text;
  // What must hold a phrase is found by its text.
  const isByImage = vector !== null && phrases.length === 0;
  const similarities = await timed(times, 'vector', () => (isByImage ? index.findNear(depth.visual) : new Map()));
  const wanted = { count: depth.text, enough: Math.min(depth.text, query.options.count) };
  const texts = await timed(times, 'text', () => index.findTexts(wanted, similarities.keys()));
  const isComplete = similarities.size < depth.visual && texts.matches.length < depth.text;
  await timed(times, 'vector', () => addImagesOfTexts(search, texts, depth, similarities));
  const keys = [...new Set([...similarities.keys(), ...texts.matches.map(({ slot }) => slot)])];
  const matches = await timed(times, 'text', () => texts.matchesOf(keys));
  return timed(times, 'fuse', async () => {
    const excluded = text.excluded.length > 0 ? await findUnwanted(search, keys) : new Map<number, number>();
    const isStrange = text.isStrange && terms.every((term) => texts.unheld.includes(term));
    const found = { similarities, matches, phrases, excluded, background, traits, terms, isStrange };
    const scored = scoreCandidates(keys, found, (key) => index.numberOf(key));
    return { scored, isComplete, corrections: texts.corrections, unheld: texts.unheld };
  });
}

/**
 * Adds the similarities of the chunks that were found by their texts. Where many texts hold as much of the query as the best hits do, the order among
 * them is that of their images, and neither the best texts nor the nearest of all chunks need to contain the first of them.
 */
async function addImagesOfTexts<Among>(
  { index, query: { vector, options } }: Search<Among>,
  { matches, covering }: FoundTexts<Among>,
  depth: Depth,
  similarities: Map<number, number>,
): Promise<void> {
  if (!vector) return;
  const wanted = options.count + spareHits;
  const add = (found: Map<number, number>) => {
    for (const [key, similarity] of found) similarities.set(key, similarity);
  };
  // Otherwise all matches are among the candidates.
  if (matches.length >= Math.max(wanted, depth.text)) {
    add(await index.findNear(wanted, covering((matches[wanted - 1] as TextMatch).coverage)));
  }
  const missing = matches.map(({ slot }) => slot).filter((key) => !similarities.has(key));
  add(await index.compare(vector, missing));
}

/** Which of some chunks show or say what the query excludes, and how likely. */
async function findUnwanted<Among>({ index, query }: Search<Among>, keys: number[]): Promise<Map<number, number>> {
  const said = await index.findExcluded(keys);
  const shown: Parameters<typeof weighExcluded>[1] = [];
  for (const vector of query.excludedVectors) {
    const [background, cosines] = await Promise.all([index.measure(vector), index.compare(vector, keys)]);
    shown.push({ background, cosines });
  }
  return weighExcluded(said, shown);
}

async function keepDistinct<Among>(
  { index, query }: Search<Among>,
  scored: ScoredSlot[],
  corrections: Correction[],
): Promise<RankedHit[]> {
  const comparable = await index.openComparable(scored.map(({ slot }) => slot));
  const textOf = await index.openTexts(scored.filter(maySay).map(({ slot }) => slot));
  const saysMore = compareSpokenLines(scored, corrections, textOf);
  const options = { ...query.options, count: query.options.count + spareHits };
  const numberAt = (place: number) => index.numberOf((scored[place] as ScoredSlot).slot);
  return findDistinct(comparable, options, saysMore).map(({ place, duplicates }) => ({
    ...toHit(numberAt(place), scored[place] as ScoredSlot),
    duplicates: duplicates.map(numberAt),
  }));
}

/** Does a part of a stage and adds the time until its answer was there. */
export async function timed<Result>(
  times: StageTimes,
  stage: keyof StageTimes,
  work: () => Awaitable<Result>,
): Promise<Result> {
  const began = performance.now();
  const result = await work();
  times[stage] = (times[stage] ?? 0) + performance.now() - began;
  return result;
}
