import type { Background } from '@media-search/search-engine/ranking/calibration';
import {
  scoreCandidates,
  type ScoredSlot,
  toHit,
  weighExcluded,
} from '@media-search/search-engine/ranking/score-candidates';
import { deeper, type Depth, firstDepth, spareHits } from '@media-search/search-engine/ranking/search-depth';
import type { RankedHit, RankingResult, StageTimes } from '@media-search/search-engine/ranking/search-tasks';
import { compareSpokenLines, maySay } from '@media-search/search-engine/ranking/spoken-lines';
import type { TextMatch } from '@media-search/search-engine/text/search-texts';
import type { Correction } from '@media-search/search-engine/text/text-query';
import { readActiveEmbedder } from '../../catalog/embedders.ts';
import { openPostings } from '../../catalog/postgres/open-postings.ts';
import type { Catalog } from '../../catalog/schema.ts';
import type { QueryEmbedder } from '../embedding/text-embedders.ts';
import { pickTraits, type Ranker, type SearchQuery } from '../ranker.ts';
import { findDistinctChunks } from './distinct-chunks.ts';
import { type FoundTexts, openTextSearch, type TextSearch } from './texts.ts';
import { createVectorSpaces, type OpenSpace } from './vector-space.ts';

/**
 * Ranks in PostgreSQL: its rows and indexes are the index, so what is stored is found by the next search, and what is deleted by none. Each part of an
 * answer is a statement of its own; what changed between two of them is noticed where the hits are read, and the search is done again.
 */
export function createPostgresRanker(db: Catalog): Ranker {
  const spaces = createVectorSpaces(db);

  /** Whether the embedder was the active one until now: its vectors are deleted in the transaction that makes another one active. */
  async function isActive(workspaceId: string, { id }: QueryEmbedder): Promise<boolean> {
    const active = await readActiveEmbedder(db, workspaceId);
    return active === null || active === id;
  }

  return {
    async search(workspaceId, embedder, query) {
      const times: StageTimes = {};
      const [space, texts] = await Promise.all([
        spaces.open(workspaceId, embedder, query.signal),
        timed(times, 'text', () => openTextSearch(openPostings(db, workspaceId, query), query)),
      ]);
      const { vector } = query;
      const background = vector && (await timed(times, 'vector', () => space.measure(vector)));
      const result = await runSearch({ db, workspaceId, embedder, query, space, texts, background, times });
      return (await isActive(workspaceId, embedder)) ? result : null;
    },

    async background(workspaceId, embedder, vector) {
      const space = await spaces.open(workspaceId, embedder);
      const background = await space.measure(vector);
      return (await isActive(workspaceId, embedder)) ? background : null;
    },

    async distinct(workspaceId, embedder, numbers, options) {
      const space = await spaces.open(workspaceId, embedder);
      const distinct = await findDistinctChunks(db, workspaceId, space, numbers, options);
      return (await isActive(workspaceId, embedder)) ? distinct : null;
    },

    // Nothing is kept in this process that a search would wait for.
    warm: () => Promise.resolve(),
    stop: () => Promise.resolve(),
  };
}

type Search = {
  db: Catalog;
  workspaceId: string;
  embedder: QueryEmbedder;
  query: SearchQuery;
  space: OpenSpace;
  texts: TextSearch;
  /** Null without a vector. */
  background: Background | null;
  times: StageTimes;
};

async function runSearch(search: Search): Promise<RankingResult['search']> {
  const { query, texts, times } = search;
  const { options } = query;
  for (let depth = firstDepth(query); ;) {
    const { scored, isComplete, corrections, unheld } = await rank(search, depth);
    const hits = options.dedupe
      ? await timed(times, 'dedupe', () => keepDistinct(search, scored, corrections))
      : scored.slice(0, options.count + spareHits).map((candidate) => toHit(candidate.slot, candidate));
    const next = hits.length >= options.count || isComplete ? null : deeper(depth);
    if (!next) return { hits, corrections, unheld, isLabelled: texts.isLabelled, times };
    depth = next;
  }
}

/** The candidates of both parts by falling score, without what the query excludes; and whether there are no others. */
async function rank(
  search: Search,
  depth: Depth,
): Promise<{ scored: ScoredSlot[]; isComplete: boolean } & Pick<FoundTexts, 'corrections' | 'unheld'>> {
  const { query, times, background, embedder, texts } = search;
  const { count } = query.options;
  const { phrases } = query.text;
  // What must hold a phrase is found by its text.
  const isByText = phrases.length > 0;
  const near = await timed(times, 'vector', async () => (isByText ? new Map() : findNear(search, depth.visual)));
  const wanted = { count: depth.text, enough: Math.min(depth.text, count) };
  const found = await timed(times, 'text', () => texts.find(wanted, [...near.keys()]));
  const isComplete = near.size < depth.visual && found.matches.length < depth.text;
  const similarities = await timed(times, 'vector', () => addImagesOfTexts(search, found, depth, near));
  const numbers = [...new Set([...similarities.keys(), ...found.matches.map(({ slot }) => slot)])];
  const excluded = await timed(times, 'fuse', () => findUnwanted(search, numbers));
  const matches = await timed(times, 'text', () => found.matchesOf(numbers));
  const known = {
    similarities,
    matches,
    phrases,
    excluded,
    background,
    traits: pickTraits(embedder),
    terms: query.text.terms,
  };
  const { corrections, unheld } = found;
  return { scored: scoreCandidates(numbers, known, (number) => number), isComplete, corrections, unheld };
}

const findNear = async ({ query, space }: Search, count: number, numbers?: number[]): Promise<Map<number, number>> =>
  query.vector
    ? space.findNear(query.vector, { filter: query.filter, mediaId: query.mediaId, numbers }, count)
    : new Map();

/**
 * The similarities of the nearest chunks, and of those that were found by their texts. Where many texts hold as much of the query as the best hits do, the
 * order among them is that of their images, and neither the best texts nor the nearest of all chunks need to contain the first of them.
 */
async function addImagesOfTexts(
  search: Search,
  texts: FoundTexts,
  depth: Depth,
  near: Map<number, number>,
): Promise<Map<number, number>> {
  const { query, space } = search;
  const { matches } = texts;
  if (!query.vector) return near;
  const wanted = query.options.count + spareHits;
  const isCut = matches.length >= Math.max(wanted, depth.text);
  const others = isCut
    ? await findNear(search, wanted, texts.covering((matches[wanted - 1] as TextMatch).coverage))
    : new Map<number, number>();
  const missing = matches.map(({ slot }) => slot).filter((number) => !near.has(number) && !others.has(number));
  return new Map([...near, ...others, ...(await space.compare(query.vector, missing))]);
}

/** What of some chunks shows or says what the query excludes. */
async function findUnwanted({ query, space, texts }: Search, numbers: number[]): Promise<Map<number, number>> {
  if (query.text.excluded.length === 0) return new Map();
  const said = await texts.findExcluded(numbers);
  const shown: Parameters<typeof weighExcluded>[1] = [];
  for (const vector of query.excludedVectors) {
    const [background, cosines] = await Promise.all([space.measure(vector), space.compare(vector, numbers)]);
    shown.push({ background, cosines });
  }
  return weighExcluded(said, shown);
}

async function keepDistinct(search: Search, scored: ScoredSlot[], corrections: Correction[]): Promise<RankedHit[]> {
  const { db, workspaceId, space, texts, query } = search;
  const numbers = scored.map(({ slot }) => slot);
  const said = await texts.readTexts(scored.filter(maySay).map(({ slot }) => slot));
  const saysMore = compareSpokenLines(scored, corrections, (number) => said.get(number));
  const options = { ...query.options, count: query.options.count + spareHits };
  const distinct = await findDistinctChunks(db, workspaceId, space, numbers, options, saysMore);
  return distinct.map(({ place, duplicates }) => ({
    ...toHit(numbers[place] as number, scored[place] as ScoredSlot),
    duplicates: duplicates.map((other) => numbers[other] as number),
  }));
}

/** Does a part of a stage and adds the time until its answer was there. */
async function timed<Result>(times: StageTimes, stage: keyof StageTimes, work: () => Promise<Result>): Promise<Result> {
  const began = performance.now();
  const result = await work();
  times[stage] = (times[stage] ?? 0) + performance.now() - began;
  return result;
}
