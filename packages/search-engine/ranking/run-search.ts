import type { FoundTexts, TextMatch } from '../text/search-texts.ts';
import type { Correction } from '../text/text-query.ts';
import type { IndexedTexts } from '../text/text-segment.ts';
import type { Background } from './calibration.ts';
import { type Comparable, findDistinct, type Span } from './deduplicate.ts';
import type { MeantPassage } from './find-meant.ts';
import { createJudge, type ScoredSlot, sortByScore, toHit, weighExcluded } from './score-candidates.ts';
import type { Awaitable, RankedHit, RankingResult, SearchTask, StageTimes } from './search-tasks.ts';
import { compareSpokenLines, maySay } from './spoken-lines.ts';

/** Additional hits, in case the catalog says that some were just deleted. */
export const spareHits = 10;
/** The search for distinct hits ends at this depth: deeper candidates are not relevant. */
export const maxDepth = 5000;

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
  /** At most so many chunks with passages that mean something like the query, by their keys. */
  findMeant(count: number): Awaitable<ReadonlyMap<number, MeantPassage>>;
  /** The chunks among some whose texts hold what the query excludes. */
  findExcluded(keys: number[]): Awaitable<Iterable<number>>;
  /** Returns the function that gives the texts of some chunks, of the wanted sources only; undefined for a chunk that is gone. */
  openTexts(keys: number[]): Awaitable<(key: number) => IndexedTexts | undefined>;
  /** What finds near-duplicates among some chunks. */
  openComparable(keys: number[]): Awaitable<Comparable>;
  /** Some chunks that pass the filter, and those of their items that begin at most so many seconds after their end or end so many before their start. */
  findAround(keys: number[], seconds: number): Awaitable<Span[]>;
};

/** What a search looks for. */
export type Query = Pick<SearchTask, 'vector' | 'excludedVectors' | 'text' | 'options' | 'traits'>;

type Search<Among> = { index: SearchIndex<Among>; query: Query; background: Background | null; times: StageTimes };

/** What is searched in, and for what. */
type Asked<Among> = Pick<Search<Among>, 'index' | 'query'>;

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
  const { text, traits, vector, options } = query;
  const { phrases, terms } = text;
  // What must hold a phrase is found by its text.
  const isByImage = vector !== null && phrases.length === 0;
  const near = await timed(times, 'vector', () => (isByImage ? index.findNear(depth.visual) : noneNear));
  const wanted = { count: depth.text, enough: Math.min(depth.text, options.count) };
  const texts = await timed(times, 'text', () => index.findTexts(wanted, near.keys()));
  // What must hold a phrase is found by its words.
  const meant = await timed(times, 'text', () =>
    phrases.length === 0 ? index.findMeant(options.count + spareHits) : noneMeant,
  );
  const similarities = new Map(near);
  if (vector)
    await timed(times, 'vector', () =>
      addImages(index, vector, [...texts.matches.map(({ slot }) => slot), ...meant.keys()], similarities),
    );
  const isStrange = text.isStrange && terms.every((term) => texts.unheld.includes(term));
  const judge = createJudge({ phrases, background, traits, terms, isStrange }, Math.max(...similarities.values()));
  const scored: ScoredSlot[] = [];
  const add = async (keys: number[]): Promise<void> => {
    const matches = await timed(times, 'text', () => texts.matchesOf(keys));
    await timed(times, 'fuse', async () => {
      const excluded = text.excluded.length > 0 ? await findUnwanted(search, keys) : noneExcluded;
      scored.push(...judge.score(keys, { similarities, matches, meant, excluded }));
      sortByScore(scored, (key) => index.numberOf(key));
    });
  };
  await add([...new Set([...near.keys(), ...texts.matches.map(({ slot }) => slot), ...meant.keys()])]);
  const [isNearCut, isTextCut] = [near.size >= depth.visual, texts.matches.length >= depth.text];
  // Otherwise all that match, or all that have an image, are among the candidates.
  if (vector && isTextCut && (!isByImage || isNearCut)) {
    await addNearestOfLevels(search, { near: isByImage ? near : null, texts, similarities, judge, scored, add });
  }
  const { corrections, unheld } = texts;
  return { scored, isComplete: !isNearCut && !isTextCut, corrections, unheld };
}

type Candidates<Among> = {
  /** The nearest of all; null where what must hold a phrase is found by its text alone. */
  near: ReadonlyMap<number, number> | null;
  /** As many of the best as were asked for. */
  texts: FoundTexts<Among>;
  similarities: Map<number, number>;
  judge: ReturnType<typeof createJudge>;
  /** By falling score. */
  scored: ScoredSlot[];
  /** Adds some to `scored`. */
  add: (keys: number[]) => Promise<void>;
};

/**
 * Adds hits that are neither among the nearest of all nor among the best texts, because their text holds less than those and their image is nearer. So of the
 * texts that hold as much of the query as each other the nearest are candidates too: of two that hold the same, that which is nearer is the better hit. Texts that hold
 * less follow, until none of them can reach the last of the hits: it is farther than the last of the nearest of all (the threshold of Fagin, Lotem & Naor 2003).
 */
async function addNearestOfLevels<Among>(
  { index, query: { options }, times }: Search<Among>,
  { near, texts, similarities, judge, scored, add }: Candidates<Among>,
): Promise<void> {
  const known = new Set(similarities.keys());
  const farthest = near ? Math.min(...near.values()) : 1;
  const last = (texts.matches.at(-1) as TextMatch).coverage;
  let below = Infinity;
  for (const { least, most } of texts.levels(levelStep)) {
    if (least > last) continue;
    const worst = scored[options.count - 1]?.score ?? 0;
    if (judge.most(farthest, most) < worst) return;
    const among = texts.covering(least, below);
    below = least;
    const found = await timed(times, 'vector', () => index.findNear(options.count + spareHits, among));
    const added = [...found].filter(([key]) => !known.has(key));
    for (const [key, similarity] of added) {
      known.add(key);
      similarities.set(key, similarity);
    }
    if (added.length > 0) await add(added.map(([key]) => key));
    // What must hold a phrase holds as much as the best.
    if (!near) return;
  }
}

/** Texts that hold so much more of a query than others, by weight, are compared with them by their images. */
const levelStep = 0.05;

const noneNear: ReadonlyMap<number, number> = new Map();
const noneMeant: ReadonlyMap<number, MeantPassage> = new Map();
const noneExcluded: ReadonlyMap<number, number> = new Map();

/** Adds the similarities of chunks that were found by their texts, by their keys. */
export async function addImages<Among>(
  index: SearchIndex<Among>,
  vector: Float32Array,
  keys: number[],
  similarities: Map<number, number>,
): Promise<void> {
  const missing = keys.filter((key) => !similarities.has(key));
  if (missing.length === 0) return;
  for (const [key, similarity] of await index.compare(vector, missing)) similarities.set(key, similarity);
}

/** Which of some chunks show or say what the query excludes, and how likely. */
export async function findUnwanted<Among>(
  { index, query }: Asked<Among>,
  keys: number[],
): Promise<Map<number, number>> {
  const said = await index.findExcluded(keys);
  const shown: Parameters<typeof weighExcluded>[1] = [];
  for (const vector of query.excludedVectors) {
    const [background, cosines] = await Promise.all([index.measure(vector), index.compare(vector, keys)]);
    shown.push({ background, cosines });
  }
  return weighExcluded(said, shown, query.traits);
}

/** The first of some candidates that show different events, with those that each stands for. */
export async function keepDistinct<Among>(
  { index, query }: Asked<Among>,
  scored: ScoredSlot[],
  corrections: Correction[],
): Promise<RankedHit[]> {
  const comparable = await index.openComparable(scored.map(({ slot }) => slot));
  const options = { ...query.options, count: query.options.count + spareHits };
  const texts = new Map<number, IndexedTexts | undefined>();
  const addTexts = async (slots: number[]) => {
    const textOf = await index.openTexts(slots);
    for (const slot of slots) texts.set(slot, textOf(slot));
  };
  const compare = () => {
    const missing = new Set<number>();
    const textOf = (slot: number) => {
      if (!texts.has(slot)) missing.add(slot);
      return texts.get(slot);
    };
    return { kept: findDistinct(comparable, options, compareSpokenLines(scored, corrections, textOf)), missing };
  };
  // Only of those that look like another one, which few do; then of all, because one that says more is compared with others.
  let { kept, missing } = compare();
  if (missing.size > 0) {
    await addTexts([...missing]);
    ({ kept, missing } = compare());
  }
  if (missing.size > 0) {
    await addTexts(scored.filter(maySay).flatMap(({ slot }) => (texts.has(slot) ? [] : [slot])));
    ({ kept } = compare());
  }
  const numberAt = (place: number) => index.numberOf((scored[place] as ScoredSlot).slot);
  return kept.map(({ place, duplicates }) => ({
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
