import { findNearest } from '../graph/find-nearest.ts';
import type { GraphScratch } from '../graph/search-graph.ts';
import type { SlotSet } from '../index/slot-set.ts';
import type { Accumulator } from '../text/accumulator.ts';
import { findExcluded } from '../text/find-excluded.ts';
import { createTextReader, type ReadTexts } from '../text/phrases.ts';
import { searchTexts, type TextMatch, type TextSearchResult } from '../text/search-texts.ts';
import type { Correction } from '../text/text-query.ts';
import { type Background, measureBackground } from './calibration.ts';
import { findDistinct } from './find-distinct.ts';
import { findLabelled } from './find-labelled.ts';
import type { IndexReader } from './index-reader.ts';
import { scoreCandidates, type ScoredSlot, toHit, weighExcluded } from './score-candidates.ts';
import type { ScoreTraits } from './score-traits.ts';
import { deeper, type Depth, firstDepth, spareHits } from './search-depth.ts';
import type { RankedHit, RankingResult, SearchReader, SearchTask, StageTimes } from './search-tasks.ts';
import { compareSpokenLines } from './spoken-lines.ts';

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

/** Ranks the chunks of an index by a query: nearest vectors and full text, fused. */
export function runSearch(reader: IndexReader, task: SearchTask, parts: SearchParts): RankingResult['search'] {
  const times: StageTimes = {};
  const { filter, only, options } = task;
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
  for (let depth = firstDepth(task); ;) {
    const { scored, isComplete, corrections, unheld } = rank(search, depth);
    const hits = options.dedupe
      ? keepDistinct(search, scored, corrections)
      : scored
          .slice(0, options.count + spareHits)
          .map((candidate) => toHit(numberOf(reader, candidate.slot), candidate));
    const next = hits.length >= options.count || isComplete ? null : deeper(depth);
    if (!next) return { hits, corrections, unheld, isLabelled: labelled.some(({ length }) => length > 0), times };
    depth = next;
  }
}

function keepDistinct(search: Search, scored: ScoredSlot[], corrections: Correction[]): RankedHit[] {
  const { reader, task, times } = search;
  const slots = scored.map(({ slot }) => slot);
  const options = { ...task.options, count: task.options.count + spareHits };
  const saysMore = compareSpokenLines(scored, corrections, (slot) => search.readTexts([slot])[0]);
  const distinct = timed(times, 'dedupe', () => findDistinct(reader, slots, options, task.traits, saysMore));
  return distinct.map(({ place, duplicates }) => ({
    ...toHit(numberOf(reader, slots[place] as number), scored[place] as ScoredSlot),
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
): { scored: ScoredSlot[]; isComplete: boolean } & Pick<TextSearchResult, 'corrections' | 'unheld'> {
  const { task, times, background, reader } = search;
  // What must hold a phrase is found by its text.
  const isByText = task.text.phrases.length > 0;
  const similarities = timed(times, 'vector', () => (isByText ? new Map() : findSimilar(search, depth.visual)));
  const texts = timed(times, 'text', () => findTexts(search, depth.text));
  const isComplete = similarities.size < depth.visual && texts.matches.length < depth.text;
  return timed(times, 'fuse', () => {
    for (const [slot, similarity] of findSimilarMatches(search, texts, depth)) similarities.set(slot, similarity);
    compareOthers(search, texts, similarities);
    const slots = [...new Set([...similarities.keys(), ...texts.matches.map(({ slot }) => slot)])];
    const matches = texts.matchesOf(slots);
    const excluded = findUnwanted(search, slots);
    const { phrases, terms } = task.text;
    const found = { similarities, matches, phrases, excluded, background, traits: task.traits, terms };
    const scored = scoreCandidates(slots, found, (slot) => numberOf(reader, slot));
    return { scored, isComplete, corrections: texts.corrections, unheld: texts.unheld };
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

/** What of some slots shows or says what the query excludes. */
function findUnwanted(search: Search, slots: number[]): Map<number, number> {
  const { reader, task } = search;
  const { text, sources, excludedVectors, traits } = task;
  if (text.excluded.length === 0) return new Map();
  const said = findExcluded(reader.snapshot.textSegments, text.excluded, slots, search.readTexts, sources);
  const shown = excludedVectors.map((vector) => {
    const compared = reader.compare(vector, slots);
    return {
      background: measure(reader, vector, traits).background,
      cosines: slots.map((slot, i): [number, number] => [slot, compared[i] as number]),
    };
  });
  return weighExcluded(said, shown);
}

const numberOf = ({ index }: IndexReader, slot: number): number => index.numbers[slot] as number;

/** Does a part of a stage and adds its time. */
function timed<Result>(times: StageTimes, stage: keyof StageTimes, work: () => Result): Result {
  const began = performance.now();
  const result = work();
  times[stage] = (times[stage] ?? 0) + performance.now() - began;
  return result;
}
