import { readVocabulary } from '@media-search/models/builtin/read-vocabulary';
import { once } from '@media-search/models/once';
import { relevance, standardScore } from '@media-search/search-engine/ranking/calibration';
import { evidenceOf, scoreOf } from '@media-search/search-engine/ranking/fuse';
import type { RankingResult } from '@media-search/search-engine/ranking/search-tasks';
import { checkQuery, type WordEvidence } from '@media-search/search-engine/spelling/correct-query';
import { loadSpelling } from '@media-search/search-engine/spelling/spelling';
import { type Correction, parseTextQuery, type TextQuery } from '@media-search/search-engine/text/text-query';
import { allSources, toSourceSet } from '@media-search/search-engine/text/text-sources';
import type { MediaFilter } from '../../contract/filters.ts';
import type { SearchPlace } from '../../contract/search.ts';
import type { Catalog } from '../catalog/schema.ts';
import { ApiError } from '../errors/api-error.ts';
import type { StageTimer } from '../platform/metrics/stage-timer.ts';
import { embedText, type EmbeddedText } from './embed-text.ts';
import type { QueryEmbedder } from './embedding/text-embedders.ts';
import { type EngineHit, type HitOptions, mergeHits, standFor } from './hits.ts';
import { hydrate } from './hydrate.ts';
import { isAhead, isOutdated, type Ranker, type SearchQuery } from './ranker.ts';

/** The word lists, read once for the process. */
const readSpelling = once(async () => loadSpelling(await readVocabulary()));

type TimedOptions = HitOptions & {
  timer: StageTimer;
  /** Only chunks of this item. */
  mediaId?: string | undefined;
  /** When it aborts, nobody waits for the answer. */
  signal?: AbortSignal | undefined;
  /** Called when not all vectors were compared. */
  onPartial?: (() => void) | undefined;
};

/** What a search by text may be asked besides its words. */
export type TextSearchOptions = TimedOptions & {
  /** Where to look; everywhere by default. */
  places?: SearchPlace[] | undefined;
  /** Whether words are searched for as they are written, also where they seem to have typing errors. */
  asWritten?: boolean | undefined;
};

/** Hits by descending score, and the embedding of the query. */
export type TextSearchResult = EmbeddedText & {
  hits: EngineHit[];
  embedder: QueryEmbedder;
  /** Words that no text holds, and the ones that were searched for instead. */
  corrections: Correction[];
  /** What was searched for, with these corrections. */
  text: TextQuery;
};

export type SearchEngine = ReturnType<typeof createSearchEngine>;

/** A search is done again when items were deleted or indexed again meanwhile, so often at most. */
const maxAttempts = 5;

/** What is excluded is compared with images for the first few phrases only: each is embedded. The others count in texts. */
const maxComparedPhrases = 10;

type Parts = {
  db: Catalog;
  ranker: Ranker;
  /** The active embedder of a workspace. `isOutdated`: what was said before is not true any more. */
  getEmbedder: (workspaceId: string, isOutdated?: boolean) => Promise<QueryEmbedder>;
};

/** Hybrid search over the chunks of each workspace: nearest vectors and full text, fused. Parses queries, has them ranked, and reads the hits. */
export function createSearchEngine({ db, ranker, getEmbedder }: Parts) {
  const context: Parts = { db, ranker, getEmbedder };
  return {
    getEmbedder,

    /** Searches by text. */
    searchByText: (
      workspaceId: string,
      query: string,
      filter: MediaFilter,
      options: TextSearchOptions,
    ): Promise<TextSearchResult> => searchByText(context, workspaceId, query, filter, options),

    /**
     * Searches by a vector of an embedder, such as that of an image.
     * @returns hits by descending score; null when another embedder has become active there
     */
    searchByVector: (
      workspaceId: string,
      query: { vector: Float32Array; embedder: QueryEmbedder },
      filter: MediaFilter,
      options: TimedOptions,
    ): Promise<EngineHit[] | null> => searchByVector(context, workspaceId, query, filter, options),

    /**
     * Searches by the vectors of an image and of the pictures inside of it: a chunk is as relevant as it is to the most similar of them.
     * @returns hits by descending score; null when another embedder has become active there
     */
    searchByImage: (
      workspaceId: string,
      query: { vectors: Float32Array[]; embedder: QueryEmbedder },
      filter: MediaFilter,
      options: TimedOptions,
    ): Promise<EngineHit[] | null> => searchByImage(context, workspaceId, query, filter, options),

    /** Returns the function that maps a similarity to a query in a workspace to a relevance, 0..1. */
    async relevanceOf(workspaceId: string, vector: Float32Array): Promise<(similarity: number) => number> {
      const background = await askWithEmbedder(context, workspaceId, (embedder) =>
        ranker.background(workspaceId, embedder, vector),
      );
      return (similarity) => relevance(standardScore(similarity, background));
    },

    /** Keeps the first of hits that show the same event; without `dedupe` only of those that are copies of one another. */
    dropDuplicates: (workspaceId: string, hits: EngineHit[], options: HitOptions): Promise<EngineHit[]> =>
      dropDuplicates(context, workspaceId, hits, options),

    /** Prepares what the next search of a workspace would wait for. */
    async warm(workspaceId: string): Promise<void> {
      // What is sampled with an embedder is sampled ahead.
      await getEmbedder(workspaceId);
      await ranker.warm(workspaceId);
    },

    stop: (): Promise<void> => ranker.stop(),
  };
}

/** Asks with the active embedder of a workspace, again when another one became active meanwhile. */
async function askWithEmbedder<Answer>(
  { getEmbedder }: Pick<Parts, 'getEmbedder'>,
  workspaceId: string,
  ask: (embedder: QueryEmbedder) => Promise<Answer | null>,
): Promise<Answer> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const answer = await ask(await getEmbedder(workspaceId, attempt > 1));
    if (answer !== null) return answer;
  }
  throw new ApiError('unavailable', 'The model has just changed. Try again.');
}

async function searchByText(
  context: Parts,
  workspaceId: string,
  query: string,
  filter: MediaFilter,
  options: TextSearchOptions,
): Promise<TextSearchResult> {
  const { timer, places } = options;
  const isVisual = places?.includes('visual') ?? true;
  const sources = places ? toSourceSet(places.filter((place) => place !== 'visual')) : allSources;
  const written = parseTextQuery(query, { hasTexts: sources !== 0, asWritten: options.asWritten });
  const { text: asWritten, isOpen, correct } = checkQuery(written, await readSpelling());
  for (let attempt = 1; ; attempt++) {
    const { hits, isStale, ...found } = await askWithEmbedder(context, workspaceId, async (embedder) => {
      const search = async (text: TextQuery, isAsMeant?: (evidence: WordEvidence) => boolean) => {
        const embedded = await timer.time('embed', () => embedText(embedder, isVisual ? text.visualText : ''));
        const excludedVectors = isVisual ? await timer.time('embed', () => embedExcluded(embedder, text)) : [];
        const asked = { vector: embedded.vector, excludedVectors, text, sources };
        const hits = await findHits(context, workspaceId, embedder, asked, filter, options, isAsMeant);
        return hits && { ...hits, embedder, text, ...embedded };
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
    return { hits, ...found };
  }
}

/** What all texts and labels of a workspace say of the words of a query, wherever it looks. Null when another embedder is active there. */
async function askTexts(
  { ranker }: Parts,
  workspaceId: string,
  embedder: QueryEmbedder,
  text: TextQuery,
  filter: MediaFilter,
  { timer, signal }: TextSearchOptions,
): Promise<WordEvidence | null> {
  const options = { count: 1, dedupe: false };
  // No hits are read, so nothing tells whether it lacks a word.
  const atLeast = 'now' as const;
  const asked = { vector: null, excludedVectors: [], text, sources: allSources, filter, options, signal, atLeast };
  return timer.time('text', () => ranker.search(workspaceId, embedder, asked));
}

async function searchByVector(
  context: Parts,
  workspaceId: string,
  { vector, embedder }: { vector: Float32Array; embedder: QueryEmbedder },
  filter: MediaFilter,
  options: TimedOptions,
): Promise<EngineHit[] | null> {
  const asked = { vector, excludedVectors: [], text: parseTextQuery(''), sources: allSources };
  for (let attempt = 1; ; attempt++) {
    const found = await findHits(context, workspaceId, embedder, asked, filter, options);
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

type ParsedQuery = Pick<SearchQuery, 'vector' | 'text' | 'sources' | 'excludedVectors'>;

/** `isOther`: texts say that something else is meant, so no hits were read. */
type FoundHits = { hits: EngineHit[]; isStale: boolean; isOther?: boolean } & Pick<
  RankingResult['search'],
  'corrections'
>;

/**
 * Ranks the chunks of a workspace, and reads the hits. Null when another embedder is active there.
 * @param isAsMeant whether this is what is meant, by what the texts hold of its words
 */
async function findHits(
  { db, ranker }: Parts,
  workspaceId: string,
  embedder: QueryEmbedder,
  asked: ParsedQuery,
  filter: MediaFilter,
  { count, dedupe, timer, mediaId, signal, onPartial }: TimedOptions,
  isAsMeant?: (evidence: WordEvidence) => boolean,
): Promise<FoundHits | null> {
  const query = { ...asked, filter, mediaId, signal, options: { count, dedupe } };
  let atLeast: SearchQuery['atLeast'];
  for (;;) {
    const ranked = await ranker.search(workspaceId, embedder, { ...query, atLeast });
    if (!ranked) return null;
    const { hits, corrections, isLabelled, times, seen, by } = ranked;
    timer.setRankedBy(by);
    for (const [stage, ms] of Object.entries(times)) timer.add(stage as keyof typeof times, ms);
    if (ranked.isPartial) onPartial?.();
    if (isAsMeant?.(ranked) === false) return { hits: [], isStale: false, isOther: true, corrections };
    const shown = { filter, count, text: asked.text, sources: asked.sources, corrections, isLabelled };
    const { state, ...read } = await timer.time('hydrate', () => hydrate(db, workspaceId, hits, shown));
    if (state.embedderId !== null && state.embedderId !== embedder.id) return null;
    // Ranked again once: what was stored when the search began was stored when the hits were read.
    if (atLeast || !isOutdated(seen, state)) return { ...read, corrections };
    atLeast = isAhead(seen, state) ? 'now' : state;
  }
}

/** Vectors of what hits must not show. Of what cannot be embedded, only the texts count. */
async function embedExcluded(embedder: QueryEmbedder, { excluded }: TextQuery): Promise<Float32Array[]> {
  const vectors: Float32Array[] = [];
  for (const phrase of excluded.slice(0, maxComparedPhrases)) {
    const { vector } = await embedText(embedder, phrase);
    if (vector) vectors.push(vector);
  }
  return vectors;
}

/**
 * The probability that a similarity to an image is that of a copy, 0..1, however similar the rest of a workspace is. It increases
 * with the similarity, so the order stays.
 */
const copyLikelihood = (similarity: number): number => Math.min(1, Math.max(0, similarity)) ** 8;
