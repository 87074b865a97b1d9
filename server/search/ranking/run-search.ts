import type { SearchReader } from '../../catalog/search-reader.ts';
import { findNearest } from '../graph/find-nearest.ts';
import type { GraphScratch } from '../graph/search-graph.ts';
import type { SlotSet } from '../index/slot-set.ts';
import type { Accumulator } from '../text/accumulator.ts';
import { findExcluded } from '../text/find-excluded.ts';
import { createTextReader, type ReadTexts } from '../text/phrases.ts';
import { type Correction, searchTexts, type TextMatch, type TextSearchResult } from '../text/search-texts.ts';
import { type Background, measureBackground, standardScore } from './calibration.ts';
import { findDistinct } from './find-distinct.ts';
import { findLabelled } from './find-labelled.ts';
import { fuse, leastScore, toVisualMatch } from './fuse.ts';
import type { IndexReader } from './index-reader.ts';
import type { RankedHit, RankingResult, ScoreTraits, SearchTask, StageTimes } from './search-tasks.ts';
import { findSpokenLines } from './spoken-lines.ts';

/** Additional hits, in case the catalog says that some were just deleted. */
const spareHits = 10;
/** From this standard score on, an image counts as showing what is excluded. */
const minExcludedScore = 2;
/** Of a query's words, by their weight, this share is in a hit that says something about it: any line holds the most common ones. */
const minSaid = 0.5;
/** The search for distinct hits ends at this depth: deeper candidates are not relevant. */
const maxDepth = 5000;

/** Text matches that are fused for a number of hits. */
const textDepth = (count: number): number => Math.max(100, 5 * count);

/** What a thread needs for searches, reused between them. */
export type SearchParts = {
  scratch: GraphScratch;
  accumulator: Accumulator;
  /** For the texts that may hold a phrase, and the names of labels. */
  catalog: SearchReader;
};

type Search = SearchParts & {
  reader: IndexReader;
  task: SearchTask;
  selected: SlotSet;
  /** Of the sample of the index the similarities to the query; null without a vector. */
  sampled: Float64Array | null;
  background: Background | null;
  /** Of each term the slots whose labels hold it. */
  labelled: number[][];
  readTexts: ReadTexts;
  times: StageTimes;
};

/** How many candidates are read of each part. */
type Depth = { visual: number; text: number };

type ScoredSlot = { slot: number; score: number; weak: boolean; similarity: number | null; text: TextMatch | null };

/** Ranks the chunks of an index by a query: nearest vectors and full text, fused. */
export function runSearch(reader: IndexReader, task: SearchTask, parts: SearchParts): RankingResult['search'] {
  const times: StageTimes = {};
  const { filter, only, options, text } = task;
  const selected = timed(times, 'vector', () =>
    only === null ? reader.select(filter) : reader.selectOnly(only, filter),
  );
  const measured = timed(times, 'vector', () =>
    task.vector ? measure(reader, task.vector, task.traits) : { sampled: null, background: null },
  );
  const labelled = timed(times, 'text', () => findLabelled(reader, task, parts.catalog));
  const readTexts = createTextReader(
    (slots) => parts.catalog.readTexts(slots.map((slot) => numberOf(reader, slot))),
    task.sources,
  );
  const search: Search = { ...parts, reader, task, times, selected, labelled, readTexts, ...measured };
  const depth = { visual: options.count + spareHits, text: textDepth(options.count) };
  // Some of the candidates will be dropped, or hold a part of the words. Otherwise what has no text is among the hits only if it is among the nearest
  // so many.
  if (options.dedupe || text.excluded.length > 0 || text.terms.length > 1) depth.visual = depth.text;
  for (;;) {
    const { scored, isComplete, corrections } = rank(search, depth);
    const hits = options.dedupe
      ? keepDistinct(search, scored, corrections)
      : scored.slice(0, options.count + spareHits).map(toHit(search));
    if (hits.length >= options.count || isComplete || depth.visual > maxDepth) {
      return { hits, corrections, isLabelled: labelled.some(({ length }) => length > 0), times };
    }
    depth.visual *= 4;
    depth.text *= 4;
  }
}

function keepDistinct(search: Search, scored: ScoredSlot[], corrections: Correction[]): RankedHit[] {
  const { reader, task, times } = search;
  const slots = scored.map(({ slot }) => slot);
  const options = { ...task.options, count: task.options.count + spareHits };
  const corrected = new Map(corrections.map(({ from, to }) => [from, to]));
  /** By place: each is compared with many others. */
  const lines = new Map<number, Set<string>>();
  const linesOf = (place: number): Set<string> => {
    const known = lines.get(place);
    if (known) return known;
    const { slot, text } = scored[place] as ScoredSlot;
    const [texts] = text && text.coverage >= minSaid ? search.readTexts([slot]) : [];
    const terms = text?.terms.map((term) => corrected.get(term) ?? term) ?? [];
    const found = texts ? findSpokenLines(texts, terms) : new Set<string>();
    lines.set(place, found);
    return found;
  };
  const saysMore = (kept: number, other: number): boolean => {
    const known = linesOf(kept);
    return [...linesOf(other)].some((line) => !known.has(line));
  };
  const distinct = timed(times, 'dedupe', () => findDistinct(reader, slots, options, task.traits, saysMore));
  return distinct.map(({ place, duplicates }) => ({
    ...toHit(search)(scored[place] as ScoredSlot),
    duplicates: duplicates.map((other) => numberOf(reader, slots[other] as number)),
  }));
}

/** Measures how similar chunks are to a query in general, by the sample of an index. */
export function measure(
  reader: IndexReader,
  vector: Float32Array,
  { mean, spread }: ScoreTraits,
): { sampled: Float64Array; background: Background } {
  const sampled = reader.compare(vector, reader.sample());
  return { sampled, background: measureBackground(sampled, { mean, deviation: spread }) };
}

/** The candidates of both parts by falling score, without what the query excludes; and whether there are no others. */
function rank(
  search: Search,
  depth: Depth,
): { scored: ScoredSlot[]; isComplete: boolean } & Pick<TextSearchResult, 'corrections'> {
  const { task, times, background, reader } = search;
  const similarities = timed(times, 'vector', () => findSimilar(search, depth.visual));
  const texts = timed(times, 'text', () => findTexts(search, depth.text));
  const isComplete = similarities.size < depth.visual && texts.matches.length < depth.text;
  return timed(times, 'fuse', () => {
    for (const [slot, similarity] of findSimilarMatches(search, texts, depth)) similarities.set(slot, similarity);
    compareOthers(search, texts, similarities);
    const slots = [...new Set([...similarities.keys(), ...texts.matches.map(({ slot }) => slot)])];
    const matches = texts.matchesOf(slots);
    const excluded = findUnwanted(search, slots);
    const best = Math.max(...similarities.values());
    const weakBelow = leastScore(task.traits, background, best);
    const scored = slots
      .filter((slot) => !excluded.has(slot))
      .map((slot): ScoredSlot => {
        const similarity = similarities.get(slot) ?? null;
        const text = matches.get(slot) ?? null;
        const visual = similarity === null || !background ? null : toVisualMatch(similarity, background);
        return { slot, similarity, text, ...fuse(visual, text, weakBelow) };
      })
      // Equal scores: the newer chunk first, so that the order is stable.
      .sort((a, b) => b.score - a.score || numberOf(reader, b.slot) - numberOf(reader, a.slot));
    return { scored, isComplete, corrections: texts.corrections };
  });
}

/**
 * The nearest of the texts that hold as much of the query as the best hits do. Where many hold the same, the order among them is that of their images,
 * and neither the best texts nor the nearest of all chunks need to contain the first of them.
 */
function findSimilarMatches(
  search: Search,
  { matches, covering }: TextSearchResult,
  depth: Depth,
): Map<number, number> {
  const wanted = search.task.options.count + spareHits;
  // Otherwise all matches are among the candidates.
  if (!search.task.vector || matches.length < Math.max(wanted, depth.text)) return new Map();
  const { coverage } = matches[wanted - 1] as TextMatch;
  return findSimilar({ ...search, selected: covering(coverage) }, wanted);
}

function findSimilar(
  { reader, task, scratch, selected, sampled }: Pick<Search, 'reader' | 'task' | 'scratch' | 'selected' | 'sampled'>,
  count: number,
): Map<number, number> {
  if (!task.vector || !sampled) return new Map();
  const neighbors = findNearest(reader.index, scratch, task.vector, {
    selected,
    slotCount: reader.snapshot.slotCount,
    entries: { slots: reader.sample(), similarities: sampled },
    count,
  });
  return new Map(neighbors.map(({ slot, similarity }) => [slot, similarity]));
}

function findTexts(search: Search, depth: number): TextSearchResult {
  const { reader, task, selected, labelled, accumulator } = search;
  const { text, options } = task;
  return searchTexts(reader.snapshot.textSegments, text, {
    selected: selected.words,
    sources: task.sources,
    labelled,
    count: depth,
    enough: Math.min(depth, options.count),
    readTexts: search.readTexts,
    accumulator,
  });
}

/** A chunk that was found only by its text has an image as well. */
function compareOthers(
  { reader, task }: Search,
  { matches }: TextSearchResult,
  similarities: Map<number, number>,
): void {
  if (!task.vector) return;
  const slots = matches.map(({ slot }) => slot).filter((slot) => !similarities.has(slot));
  const cosines = reader.compare(task.vector, slots);
  for (const [i, slot] of slots.entries()) {
    const cosine = cosines[i] as number;
    if (!Number.isNaN(cosine)) similarities.set(slot, cosine);
  }
}

/** Those of some slots that show or say what the query excludes. */
function findUnwanted(search: Search, slots: number[]): Set<number> {
  const { reader, task } = search;
  const { text, sources, excludedVectors, traits } = task;
  if (text.excluded.length === 0) return new Set();
  const unwanted = findExcluded(reader.snapshot.textSegments, text.excluded, slots, search.readTexts, sources);
  for (const vector of excludedVectors) {
    const { background } = measure(reader, vector, traits);
    const cosines = reader.compare(vector, slots);
    for (const [i, slot] of slots.entries()) {
      if (standardScore(cosines[i] as number, background) >= minExcludedScore) unwanted.add(slot);
    }
  }
  return unwanted;
}

const numberOf = ({ index }: IndexReader, slot: number): number => index.numbers[slot] as number;

const toHit =
  ({ reader }: Search) =>
  ({ slot, score, weak, similarity, text }: ScoredSlot): RankedHit => ({
    number: numberOf(reader, slot),
    score,
    weak,
    ...(similarity === null ? {} : { visual: similarity }),
    ...(text ? { text: { relevance: text.relevance, terms: text.terms } } : {}),
  });

/** Does a part of a stage and adds its time. */
function timed<Result>(times: StageTimes, stage: keyof StageTimes, work: () => Result): Result {
  const began = performance.now();
  const result = work();
  times[stage] = (times[stage] ?? 0) + performance.now() - began;
  return result;
}
