import { relevance, standardScore } from '@media-search/search-engine/ranking/calibration';
import { evidenceOf, scoreOf } from '@media-search/search-engine/ranking/fuse';
import type { NearChunk, NearestOptions } from '@media-search/search-engine/ranking/search-tasks';
import type { WordEvidence } from '@media-search/search-engine/spelling/correct-query';
import { onlyExcludes, parseTextQuery, type TextQuery } from '@media-search/search-engine/text/text-query';
import { allSources } from '@media-search/search-engine/text/text-sources';
import type { MediaFilter } from '../../contract/filters.ts';
import { listFirstChunks } from '../catalog/media/filtered-items.ts';
import { searchByExpression } from './composed-search.ts';
import type { QueryEmbedder } from './embedding/text-embedders.ts';
import {
  askTexts,
  askWithEmbedder,
  findHits,
  type FoundHits,
  maxAttempts,
  type Parts,
  type TextSearchOptions,
  type TextSearchResult,
  type TimedOptions,
} from './find-hits.ts';
import { type EngineHit, type HitOptions, mergeHits, standFor } from './hits.ts';
import { hydrate } from './hydrate.ts';
import { readWords, toPlaces, toQueryPart, toViewQuery } from './query-parts.ts';
import type { QueryPart, SearchQuery } from './ranker.ts';

export type SearchEngine = ReturnType<typeof createSearchEngine>;

/** Hybrid search over the chunks of each workspace: nearest vectors and full text, fused. Parses queries, has them ranked, and reads the hits. */
export function createSearchEngine(context: Parts) {
  const { ranker, getEmbedder } = context;
  const measure = (workspaceId: string, vector: Float32Array) =>
    askWithEmbedder(context, workspaceId, (embedder) => ranker.background(workspaceId, embedder, vector));
  return {
    getEmbedder,

    /** Searches by text. */
    searchByText: searchByText.bind(null, context),

    /** Searches by an expression of several parts, in words or images. */
    searchByExpression: searchByExpression.bind(null, context),

    /** Lists the beginnings of the items that pass a filter, the latest first: what is found where nothing is asked for but a filter. */
    browse: browse.bind(null, context),

    /**
     * Searches by a vector of an embedder, such as that of an image.
     * @returns hits by descending score; null when another embedder has become active there
     */
    searchByVector: searchByVector.bind(null, context),

    /**
     * Searches by the vectors of an image and of the pictures inside of it: a chunk is as relevant as it is to the most similar of them.
     * @returns hits by descending score; null when another embedder has become active there
     */
    searchByImage: searchByImage.bind(null, context),

    /**
     * Finds the chunks nearest to each of some unit vectors of an embedder, by vectors alone: no texts, no scores, no duplicates dropped.
     * @returns of each vector, the nearest first; null when another embedder has become active there
     */
    findNearest: findNearest.bind(null, context),

    /** Returns the function that maps a similarity to a query in a workspace to a relevance, 0..1. */
    async relevanceOf(workspaceId: string, vector: Float32Array): Promise<(similarity: number) => number> {
      const background = await measure(workspaceId, vector);
      return (similarity) => relevance(standardScore(similarity, background));
    },

    /** What the similarities to a query in a workspace are in general: their mean. */
    async usualSimilarity(workspaceId: string, vector: Float32Array): Promise<number> {
      return (await measure(workspaceId, vector)).mean;
    },

    /** Keeps the first of hits that show the same event; without `dedupe` only of those that are copies of one another. */
    dropDuplicates: dropDuplicates.bind(null, context),

    /** Prepares what the next search of a workspace would wait for. */
    async warm(workspaceId: string): Promise<void> {
      // What is sampled with an embedder is sampled ahead.
      await getEmbedder(workspaceId);
      await ranker.warm(workspaceId);
    },

    stop: (): Promise<void> => ranker.stop(),
  };
}

async function findNearest(
  { ranker, getEmbedder }: Parts,
  workspaceId: string,
  embedder: QueryEmbedder,
  vectors: Float32Array[],
  options: NearestOptions,
): Promise<NearChunk[][] | null> {
  const found = await ranker.nearest(workspaceId, embedder, vectors, options);
  if (!found) await getEmbedder(workspaceId, true);
  return found;
}

async function searchByText(
  context: Parts,
  workspaceId: string,
  query: string,
  filter: MediaFilter,
  options: TextSearchOptions,
): Promise<TextSearchResult> {
  const { timer, places } = options;
  const { isVisual, sources } = toPlaces(places);
  for (let attempt = 1; ; attempt++) {
    const { hits, isStale, ...found } = await askWithEmbedder(context, workspaceId, async (embedder) => {
      const { text: asWritten, isOpen, correct, ...read } = await readWords(query, embedder, options);
      const seen = options.pictured === undefined ? null : await readWords(options.pictured, embedder, options);
      const translated = [...read.translated, ...(seen?.translated ?? [])];
      const unknown = [...read.unknown, ...(seen?.unknown ?? [])];
      const pictured = seen?.text.visualText;
      const search = async (text: TextQuery, isAsMeant?: (evidence: WordEvidence) => boolean) => {
        const { part, embedded } = await toQueryPart(embedder, text, { isVisual, sources, pictured, timer });
        const hits = await findPart(context, workspaceId, embedder, part, filter, options, isAsMeant);
        const views = toViewQuery(part.vector ? [part.vector] : [], part.excludedVectors);
        const ofWords = { ...embedded, translated, unknown: [...unknown, ...embedded.unknown] };
        return hits && { ...hits, embedder, text, views, ...ofWords };
      };
      if (!isOpen) return search(asWritten);
      // A search in all texts says by the way what they hold, and mostly that nothing is to be corrected.
      if (sources === allSources) {
        const found = await search(asWritten, (evidence) => correct(evidence).corrections.length === 0);
        if (!found?.isOther) return found;
      }
      const evidence = await askTexts(context, workspaceId, embedder, asWritten, filter, options);
      return evidence && search(correct(evidence));
    });
    if (isStale && attempt < maxAttempts) continue;
    // What is near by its picture alone does not say the words.
    const isSaid = ({ signals }: EngineHit) => options.pictured === undefined || signals.text !== undefined;
    return { hits: hits.filter(isSaid).map(onlyExcludes(found.text) ? asClear : (hit) => hit), ...found };
  }
}

/** Where only something is excluded, all that is left is what was asked for, however little it stands out. */
const asClear = (hit: EngineHit): EngineHit => ({
  ...hit,
  weak: false,
  score: scoreOf(evidenceOf(hit.score, hit.weak), false),
});

async function browse(
  { db, getEmbedder }: Parts,
  workspaceId: string,
  filter: MediaFilter,
  { count, timer, mediaId }: TextSearchOptions,
): Promise<TextSearchResult> {
  const text = parseTextQuery('');
  const numbers = await listFirstChunks(db, workspaceId, filter, { count, mediaId });
  const ranked = numbers.map((number) => ({ number, score: 1, weak: false }));
  const shown = { filter, count, text, sources: allSources, corrections: [], isLabelled: false };
  const { hits } = await timer.time('hydrate', () => hydrate(db, workspaceId, ranked, shown));
  const embedder = await getEmbedder(workspaceId);
  const nothing = { corrections: [], translated: [], vector: null, unknown: [], problem: null, views: toViewQuery([]) };
  return { hits, embedder, text, ...nothing };
}

/** The hits of a search for one part. */
async function findPart(
  { db, ranker }: Parts,
  workspaceId: string,
  embedder: QueryEmbedder,
  part: QueryPart,
  filter: MediaFilter,
  options: TimedOptions,
  isAsMeant?: (evidence: WordEvidence) => boolean,
): Promise<FoundHits | null> {
  const { count, dedupe, mediaId, signal } = options;
  const query = { ...part, filter, mediaId, signal, options: { count, dedupe } };
  const rank = (atLeast: SearchQuery['atLeast']) => ranker.search(workspaceId, embedder, { ...query, atLeast });
  return findHits(db, workspaceId, embedder, rank, query, options, isAsMeant);
}

async function searchByVector(
  context: Parts,
  workspaceId: string,
  { vector, embedder }: { vector: Float32Array; embedder: QueryEmbedder },
  filter: MediaFilter,
  options: TimedOptions,
): Promise<EngineHit[] | null> {
  const asked = { vector, meaning: null, excludedVectors: [], text: parseTextQuery(''), sources: allSources };
  for (let attempt = 1; ; attempt++) {
    const found = await findPart(context, workspaceId, embedder, asked, filter, options);
    if (!found) {
      await context.getEmbedder(workspaceId, true);
      return null;
    }
    if (found.isStale && attempt < maxAttempts) continue;
    return found.hits.map((hit) => {
      const similarity = hit.signals.visual ?? 0;
      const evidence = 1 - (1 - evidenceOf(hit.score, hit.weak)) * (1 - copyLikelihood(similarity));
      // A copy is what was searched for, however little it stands out among copies.
      const weak = hit.weak && similarity < embedder.duplicateThresholds.copy;
      return { ...hit, weak, score: scoreOf(evidence, weak) };
    });
  }
}

async function searchByImage(
  context: Parts,
  workspaceId: string,
  { vectors, embedder }: { vectors: Float32Array[]; embedder: QueryEmbedder },
  filter: MediaFilter,
  options: TimedOptions,
): Promise<EngineHit[] | null> {
  const lists: EngineHit[][] = [];
  for (const vector of vectors) {
    const found = await searchByVector(context, workspaceId, { vector, embedder }, filter, options);
    if (!found) return null;
    lists.push(found);
  }
  const [only] = lists;
  if (lists.length === 1 && only) return only;
  const hits = mergeHits(lists);
  return options.dedupe ? dropDuplicates(context, workspaceId, hits, options) : hits.slice(0, options.count);
}

async function dropDuplicates(
  context: Parts,
  workspaceId: string,
  hits: EngineHit[],
  options: HitOptions,
): Promise<EngineHit[]> {
  const numbers = hits.map(({ chunk }) => chunk.number);
  const kept = await askWithEmbedder(context, workspaceId, (embedder) =>
    context.ranker.distinct(workspaceId, embedder, numbers, { count: options.count, dedupe: options.dedupe }),
  );
  return kept.map(({ place, duplicates }) =>
    standFor(
      hits[place] as EngineHit,
      duplicates.map((other) => hits[other] as EngineHit),
    ),
  );
}

/**
 * The probability that a similarity to an image is that of a copy, 0..1, however similar the rest of a workspace is. It increases
 * with the similarity, so the order stays.
 */
const copyLikelihood = (similarity: number): number => Math.min(1, Math.max(0, similarity)) ** 8;
