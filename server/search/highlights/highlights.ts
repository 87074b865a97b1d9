import { defaultNeighbors } from '@media-search/search-engine/highlights/outliers';
import { LRUCache } from 'lru-cache';
import type { MediaFilter } from '../../../contract/filters.ts';
import type { MapLabel, MapLayout, MapPoint, OutlierMethod } from '../../../contract/highlights.ts';
import { findChunks } from '../../catalog/media/chunks.ts';
import { readLastChange } from '../../catalog/media/item-changes.ts';
import { filterKey, isUnfiltered, pickFilter } from '../../catalog/media/media-filter.ts';
import type { Catalog } from '../../catalog/schema.ts';
import type { EngineHit, HitOptions } from '../hits.ts';
import type { SearchEngine } from '../search-engine.ts';
import { type ChunkMaps, createChunkMaps } from './chunk-maps.ts';
import type { ConceptVectorStore } from './concept-vectors.ts';
import { createConceptFinder } from './find-concepts.ts';
import type { ChunkMap, MapTask } from './kept-map.ts';
import type { FilteredRanking } from './rank-chunks.ts';
import { createRankingCache, fileOf, graphFileOf, type RankingCache } from './ranking-cache.ts';

export type Highlights = ReturnType<typeof createHighlights>;

/** Results kept in memory. */
const maxCachedResults = 50;

/** The fewest of the most unusual chunks that are read for hits: near-duplicates and excess hits of an item are dropped. */
const minPlaces = 1000;

type Parts = {
  db: Catalog;
  search: SearchEngine;
  /** Where rankings and maps are cached. */
  directory: string;
  /** The vectors of concepts. */
  conceptVectors: ConceptVectorStore;
  /** Brings the cached rankings of a workspace up to date; the first time it may take minutes. */
  updateRankings: (workspaceId: string, embedderId: string, file: string) => Promise<void>;
  /** Ranks the chunks that pass a filter; it may take seconds. */
  computeOutliers: (
    workspaceId: string,
    embedderId: string,
    filter: MediaFilter,
    method: OutlierMethod,
    signal: AbortSignal,
  ) => Promise<FilteredRanking>;
  computeMap: (task: MapTask, signal: AbortSignal | null) => Promise<ChunkMap>;
  /** The same at a lower priority. */
  computeMapAhead: (task: MapTask) => Promise<ChunkMap>;
  /** Compares all chunks with concepts; it may take a second. */
  computeConcepts: Parameters<typeof createConceptFinder>[0]['compute'];
  /** Called when something could not be computed ahead. */
  onProblem: (error: unknown) => void;
};

/** The dependencies and caches of highlights. */
type Context = Pick<Parts, 'db' | 'search' | 'computeOutliers'> & {
  maps: ChunkMaps;
  rankingCache: RankingCache;
  outlierCache: ResultCache<FilteredRanking & { computedAt: string }>;
};

/** Which highlights are asked for. */
type RankingRequest = { workspaceId: string; method: OutlierMethod; filter: MediaFilter; signal: AbortSignal };

type Outliers = FilteredRanking & { neighbors: number; computedAt: string };

/**
 * The most unusual chunks of a workspace. For all chunks of a large workspace they come from cached rankings; otherwise they are computed on
 * request and cached in memory until the workspace's media change.
 */
export function createHighlights(parts: Parts) {
  const { db, search, directory, conceptVectors, updateRankings, onProblem } = parts;
  const maps = createChunkMaps({
    db,
    concepts: conceptVectors,
    filesOf: (workspaceId, embedderId, layout) => ({
      map: fileOf(directory, workspaceId, embedderId, `${layout}.map`),
      graph: graphFileOf(fileOf(directory, workspaceId, embedderId, 'rankings')),
    }),
    computeMap: parts.computeMap,
    computeAhead: parts.computeMapAhead,
    prepare: async (workspaceId, filter) => {
      const { id } = await search.getEmbedder(workspaceId);
      return isUnfiltered(filter) ? context.rankingCache.read(workspaceId, id) : null;
    },
    onProblem,
  });
  const context: Context = {
    db,
    search,
    computeOutliers: parts.computeOutliers,
    maps,
    rankingCache: createRankingCache({ db, directory, update: updateRankings }),
    outlierCache: createResultCache(),
  };
  return {
    /** Hits by descending outlier score; `omitted` counts the oldest chunks that pass the filter but were too many to compare. */
    find: (
      workspaceId: string,
      method: OutlierMethod,
      filter: MediaFilter,
      options: HitOptions & { perItem: number },
      signal: AbortSignal,
    ) => findHits(context, { workspaceId, method, filter, signal }, options),

    /**
     * All chunks laid out so that similar ones are near each other, the most unusual first.
     * @param partial with what there is at once, while the rest is computed
     */
    map: (
      workspaceId: string,
      method: OutlierMethod,
      { layout, partial }: { layout: MapLayout; partial: boolean },
      filter: MediaFilter,
      signal: AbortSignal,
    ) => findPoints(context, { workspaceId, method, filter, signal }, layout, partial),

    /** What the chunks of a workspace most distinctly show. */
    concepts: createConceptFinder({ db, search, vectors: conceptVectors, compute: parts.computeConcepts }),

    /** Refreshes the rankings of a large workspace, and its map if people look at it, before the next request. */
    async refreshRankings(workspaceId: string): Promise<void> {
      const embedder = await search.getEmbedder(workspaceId);
      if (!(await context.rankingCache.refresh(workspaceId, embedder.id))) return;
      await maps.refresh({ workspaceId, embedder, filter: {}, layout: 'umap', signal: new AbortController().signal });
    },
  };
}

async function findOutliers(
  { db, search, rankingCache, outlierCache, computeOutliers }: Context,
  { workspaceId, method, filter, signal }: RankingRequest,
): Promise<Outliers> {
  const { id: embedderId } = await search.getEmbedder(workspaceId);
  const rankings = isUnfiltered(filter) ? await rankingCache.read(workspaceId, embedderId) : null;
  const { numbers, scores, omitted, computedAt } = rankings
    ? { ...rankings[method], omitted: 0, computedAt: rankings.computedAt }
    : await outlierCache.get(
        [workspaceId, await readLastChange(db, workspaceId), embedderId, filterKey(filter), method],
        async () => ({
          ...(await computeOutliers(workspaceId, embedderId, pickFilter(filter), method, signal)),
          computedAt: new Date().toISOString(),
        }),
      );
  const neighbors = Math.min(defaultNeighbors[method], Math.max(0, numbers.length - 1));
  return { numbers, scores, omitted, neighbors, computedAt };
}

async function findHits(
  context: Context,
  asked: RankingRequest,
  { count, dedupe, perItem }: HitOptions & { perItem: number },
): Promise<{ hits: EngineHit[]; population: number } & Pick<Outliers, 'omitted' | 'neighbors' | 'computedAt'>> {
  const { db, search } = context;
  const { workspaceId, filter } = asked;
  const { numbers, scores, omitted, neighbors, computedAt } = await findOutliers(context, asked);
  const population = numbers.length;
  const places = new Map(numbers.slice(0, Math.max(minPlaces, 20 * count)).map((number, place) => [number, place]));
  const hits = (await findChunks(db, workspaceId, [...places.keys()], filter))
    .map((chunk) => ({ chunk, place: places.get(chunk.number) as number }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ chunk, place }): EngineHit => ({
      chunk,
      score: percentile(place, population),
      weak: false,
      signals: { outlier: scores[place] as number },
    }));
  const limited = atMostPerItem(hits, perItem);
  const distinct = await search.dropDuplicates(workspaceId, limited, { count, dedupe });
  return {
    hits: dedupe ? distinct : fillUp(limited, distinct, count),
    population,
    omitted,
    neighbors,
    computedAt,
  };
}

async function findPoints(
  context: Context,
  asked: RankingRequest,
  wanted: MapLayout,
  partial: boolean,
): Promise<
  { points: MapPoint[]; layout: MapLayout; labels: MapLabel[]; complete: boolean } & Pick<
    Outliers,
    'neighbors' | 'computedAt'
  >
> {
  const { db, search, maps } = context;
  const { workspaceId, filter, signal } = asked;
  const embedder = await search.getEmbedder(workspaceId);
  const { map, complete } = await maps.read({ workspaceId, embedder, filter, layout: wanted, signal }, partial);
  const { numbers, neighbors, computedAt } = complete ? await findOutliers(context, asked) : firstRanking(map);
  const positions = new Map(map.points.map((point) => [point.number, point]));
  const chunks = new Map(
    (await findChunks(db, workspaceId, [...positions.keys()], filter)).map((chunk) => [chunk.number, chunk]),
  );
  // A chunk that was added or deleted between the two computations has no position.
  const points = numbers.flatMap((number, place): MapPoint[] => {
    const [chunk, position] = [chunks.get(number), positions.get(number)];
    if (!chunk || !position) return [];
    const { x, y } = position;
    const score = Math.round(percentile(place, numbers.length) * 10_000) / 10_000;
    return [{ id: chunk.media_id, chunk_id: chunk.id, x, y, score }];
  });
  return { points, layout: map.layout, labels: map.labels, complete, neighbors, computedAt };
}

/** The order of the points of a map that is not whole yet: by their distances from the mean of all, where nothing else is known. */
function firstRanking({ points, distances }: ChunkMap): Pick<Outliers, 'numbers' | 'neighbors' | 'computedAt'> {
  const order = points.map(({ number }, place) => ({ number, distance: distances?.[place] ?? 0 }));
  return {
    numbers: order.toSorted((a, b) => b.distance - a.distance).map(({ number }) => number),
    neighbors: 0,
    computedAt: new Date().toISOString(),
  };
}

type ResultCache<Result> = { get(dependsOn: unknown, compute: () => Promise<Result>): Promise<Result> };

/** Caches results by the inputs that they depend on. */
function createResultCache<Result extends object>(): ResultCache<Result> {
  const results = new LRUCache<string, Result>({ max: maxCachedResults });
  return {
    async get(dependsOn, compute) {
      const key = JSON.stringify(dependsOn);
      const known = results.get(key);
      if (known) return known;
      const result = await compute();
      results.set(key, result);
      return result;
    },
  };
}

/**
 * The score of the chunk at a position of the ranking, 0..1: the share of chunks that are less unusual, with half of itself
 * counted.
 */
const percentile = (place: number, population: number): number => (population - place - 0.5) / population;

/** Copies of chosen hits come last: they only fill the list when no other hits are left. */
function fillUp(hits: EngineHit[], distinct: EngineHit[], count: number): EngineHit[] {
  const chosen = new Set(distinct.map(({ chunk }) => chunk.number));
  for (const { chunk } of hits) if (chosen.size < count) chosen.add(chunk.number);
  return hits.filter(({ chunk }) => chosen.has(chunk.number));
}

/** Limits the hits of each item; keeps the first ones. */
function atMostPerItem(hits: EngineHit[], perItem: number): EngineHit[] {
  const counts = new Map<string, number>();
  return hits.filter(({ chunk }) => {
    const count = (counts.get(chunk.media_id) ?? 0) + 1;
    counts.set(chunk.media_id, count);
    return count <= perItem;
  });
}
