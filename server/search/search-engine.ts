import type { MediaFilter } from '../../contract/filters.ts';
import type { SearchPlace } from '../../contract/search.ts';
import { listChunkNumbers } from '../catalog/chunks.ts';
import { pickFilter, toTimeBound } from '../catalog/media-filter.ts';
import { readMediaUsage } from '../catalog/media-totals.ts';
import type { Catalog } from '../catalog/schema.ts';
import type { QueryEmbedder } from '../embedding/text-embedders.ts';
import { createIndexBuilder } from './builder/index-builder.ts';
import { embedText, type EmbeddedText } from './embed-text.ts';
import type { EngineHit, HitOptions } from './hits.ts';
import { hydrate } from './hydrate.ts';
import type { IndexSnapshot } from './index/index-memory.ts';
import { relevance, standardScore } from './ranking/calibration.ts';
import type { IndexFilter, RankingResult, SearchTask } from './ranking/search-tasks.ts';
import { createSearchThreads, type SearchThreads } from './ranking/search-threads.ts';
import type { StageTimer } from './stage-timer.ts';
import type { Correction } from './text/search-texts.ts';
import { parseTextQuery, type TextQuery } from './text/text-query.ts';
import { allSources, toSourceSet } from './text/text-sources.ts';
import { createWorkspaceIndexes, type WorkspaceIndex } from './workspace-indexes.ts';

type TimedOptions = HitOptions & {
  timer: StageTimer;
  /** Only chunks of this item. */
  mediaId?: string | undefined;
};

type TextSearchOptions = TimedOptions & {
  /** Where to look; everywhere by default. */
  places?: SearchPlace[] | undefined;
};

/** Hits by descending score, and the embedding of the query. */
export type TextSearchResult = EmbeddedText & {
  hits: EngineHit[];
  embedder: QueryEmbedder;
  /** Words that no text holds, and the ones that were searched for instead. */
  corrections: Correction[];
  /** Whether the query had more words, phrases or exclusions than are used. */
  isCut: boolean;
};

export type SearchEngine = ReturnType<typeof createSearchEngine>;

/** Fewer chunks than this are read from the catalog within some tenths of a second. */
const minWarmChunks = 2000;

/** A search is done again when items were deleted or indexed again meanwhile, so often at most. */
const maxAttempts = 5;

/** What is excluded is compared with images for the first few phrases only: each is embedded. The others count in texts. */
const maxComparedPhrases = 10;

type Parts = {
  db: Catalog;
  catalogFile: string;
  /** Where indexes are saved for the next start. */
  indexDirectory: string;
  /** The active embedder of a workspace. When it changes, another index is built. */
  getEmbedder: (workspaceId: string) => Promise<QueryEmbedder>;
  /** Called when an index could not be improved or saved; searches go on. */
  onProblem: (error: Error) => void;
};

/** What searches use. */
type Context = Pick<Parts, 'db'> & {
  threads: SearchThreads;
  indexes: ReturnType<typeof createWorkspaceIndexes>;
};

/**
 * Hybrid search over the chunks of each workspace: nearest vectors and full text, fused. It runs in threads, over indexes in shared memory; this
 * thread parses queries and reads the hits.
 */
export function createSearchEngine({ db, catalogFile, indexDirectory, getEmbedder, onProblem }: Parts) {
  const threads = createSearchThreads(catalogFile);
  const builder = createIndexBuilder(
    { catalogFile, directory: indexDirectory },
    { onSnapshot: (...sent) => indexes.accept(...sent), onProblem },
  );
  const indexes = createWorkspaceIndexes({
    db,
    builder,
    onProblem,
    getEmbedder,
    forget: (indexId) => threads.forget(indexId),
  });
  const context: Context = { db, threads, indexes };
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

    /** Returns the function that maps a similarity to a query in a workspace to a relevance, 0..1. */
    async relevanceOf(workspaceId: string, vector: Float32Array): Promise<(similarity: number) => number> {
      const { embedder, snapshot } = await indexes.open(workspaceId);
      const task = { kind: 'background', vector, traits: pickTraits(embedder) } as const;
      const background = await threads.run(workspaceId, snapshot, task);
      return (similarity) => relevance(standardScore(similarity, background));
    },

    /** Keeps the first of hits that show the same event; without `dedupe` only of those that are copies of one another. */
    dropDuplicates: (workspaceId: string, hits: EngineHit[], options: HitOptions): Promise<EngineHit[]> =>
      dropDuplicates(context, workspaceId, hits, options),

    /** Brings a workspace's index up to date before its next search, where that takes long: a small one is built by its first search. */
    async warm(workspaceId: string): Promise<void> {
      const { chunks } = await readMediaUsage(db, workspaceId);
      if (chunks >= minWarmChunks || indexes.isOpen(workspaceId)) await indexes.open(workspaceId);
    },

    /** Saves the indexes for the next start and ends the threads. */
    async stop(): Promise<void> {
      await threads.stop();
      await builder.stop();
    },
  };
}

async function searchByText(
  context: Context,
  workspaceId: string,
  query: string,
  filter: MediaFilter,
  options: TextSearchOptions,
): Promise<TextSearchResult> {
  const { timer, places } = options;
  const isVisual = places?.includes('visual') ?? true;
  const sources = places ? toSourceSet(places.filter((place) => place !== 'visual')) : allSources;
  const text = parseTextQuery(query);
  for (let attempt = 1; ; attempt++) {
    const index = await context.indexes.open(workspaceId);
    const { embedder } = index;
    const embedded = await timer.time('embed', () => embedText(embedder, isVisual ? text.visualText : ''));
    const excludedVectors = isVisual ? await timer.time('embed', () => embedExcluded(embedder, text)) : [];
    const asked = { vector: embedded.vector, excludedVectors, text, sources };
    const { hits, corrections, isStale } = await findHits(context, index, asked, filter, options);
    if (isStale && attempt < maxAttempts) continue;
    return { hits, embedder, corrections, isCut: text.isCut, ...embedded };
  }
}

async function searchByVector(
  context: Context,
  workspaceId: string,
  { vector, embedder }: { vector: Float32Array; embedder: QueryEmbedder },
  filter: MediaFilter,
  options: TimedOptions,
): Promise<EngineHit[] | null> {
  const asked = { vector, excludedVectors: [], text: parseTextQuery(''), sources: allSources };
  for (let attempt = 1; ; attempt++) {
    const index = await context.indexes.open(workspaceId);
    if (index.embedder.id !== embedder.id) return null;
    const { hits, isStale } = await findHits(context, index, asked, filter, options);
    if (isStale && attempt < maxAttempts) continue;
    return hits.map((hit) => ({
      ...hit,
      score: 1 - (1 - hit.score) * (1 - copyLikelihood(hit.signals.visual ?? 0)),
    }));
  }
}

async function dropDuplicates(
  { indexes, threads }: Context,
  workspaceId: string,
  hits: EngineHit[],
  options: HitOptions,
): Promise<EngineHit[]> {
  const { embedder, snapshot } = await indexes.open(workspaceId);
  const numbers = hits.map(({ chunk }) => chunk.number);
  const task = { kind: 'distinct', numbers, options, traits: pickTraits(embedder) } as const;
  const kept = await threads.run(workspaceId, snapshot, task);
  return kept.map(({ place, duplicates }) => ({
    ...(hits[place] as EngineHit),
    duplicates: duplicates.map((other) => (hits[other] as EngineHit).chunk),
  }));
}

type Asked = Pick<SearchTask, 'vector' | 'text' | 'sources' | 'excludedVectors'>;

/** Ranks in a search thread, and reads the hits. */
async function findHits(
  context: Context,
  index: WorkspaceIndex,
  asked: Asked,
  filter: MediaFilter,
  options: TimedOptions,
): Promise<{ hits: EngineHit[]; isStale: boolean } & Pick<RankingResult['search'], 'corrections'>> {
  const { hits: ranked, corrections, isLabelled } = await rank(context, index, asked, filter, options);
  const shown = { filter, count: options.count, text: asked.text, sources: asked.sources, corrections, isLabelled };
  const read = await options.timer.time('hydrate', () => hydrate(context.db, index.workspaceId, ranked, shown));
  return { ...read, corrections };
}

/** Ranks the chunks of a workspace in a search thread. */
async function rank(
  { db, threads }: Context,
  { workspaceId, embedder, snapshot }: WorkspaceIndex,
  query: Asked,
  filter: MediaFilter,
  { count, dedupe, timer, mediaId }: TimedOptions,
): Promise<RankingResult['search']> {
  const result = await threads.run(workspaceId, snapshot, {
    ...query,
    kind: 'search',
    workspaceId,
    filter: toIndexFilter(filter, snapshot),
    only: mediaId === undefined ? null : await listChunkNumbers(db, workspaceId, mediaId),
    options: { count, dedupe },
    traits: pickTraits(embedder),
  });
  for (const [stage, ms] of Object.entries(result.times)) timer.add(stage as keyof typeof result.times, ms);
  return result;
}

const pickTraits = ({
  mean,
  spread,
  weakBelow,
  chanceMargin,
  duplicateThresholds,
  hasMeasuredThresholds,
}: QueryEmbedder): SearchTask['traits'] => ({
  mean,
  spread,
  weakBelow,
  chanceMargin,
  duplicateThresholds,
  hasMeasuredThresholds,
});

/** Vectors of what hits must not show. Of what cannot be embedded, only the texts count. */
async function embedExcluded(embedder: QueryEmbedder, { excluded }: TextQuery): Promise<Float32Array[]> {
  const vectors: Float32Array[] = [];
  for (const phrase of excluded.slice(0, maxComparedPhrases)) {
    const { vector } = await embedText(embedder, phrase);
    if (vector) vectors.push(vector);
  }
  return vectors;
}

/** A filter by the places of its values in an index. */
function toIndexFilter(filter: MediaFilter, { labelValues }: IndexSnapshot): IndexFilter {
  const { taken_after: after, taken_before: before, ...labels } = pickFilter(filter);
  return {
    // -1 for a value that no item has.
    ...Object.fromEntries(Object.entries(labels).map(([name, value = '']) => [name, labelValues.indexOf(value)])),
    ...(after === undefined ? {} : { taken_after: toTimeBound(after) }),
    ...(before === undefined ? {} : { taken_before: toTimeBound(before) }),
  };
}

/**
 * The probability that a similarity to an image is that of a copy, 0..1, however similar the rest of a workspace is. It increases
 * with the similarity, so the order stays.
 */
const copyLikelihood = (similarity: number): number => Math.min(1, Math.max(0, similarity)) ** 8;
