import { LRUCache } from 'lru-cache';
import type { MapLayout, MapPoint, OutlierMethod } from '../../contract/search.ts';
import { type ChunkFilter, findChunks, readChunkVersion } from '../catalog/chunks.ts';
import type { Catalog } from '../catalog/schema.ts';
import type { ChunkMap } from '../query-workers/query-tasks.ts';
import type { EngineHit, HitOptions, SearchEngine } from '../search/search-engine.ts';
import { defaultNeighbors } from './outliers.ts';
import type { FilteredRanking } from './rank-chunks.ts';
import { createRankingCache } from './ranking-cache.ts';

export type Highlights = ReturnType<typeof createHighlights>;

/** Answers kept in memory. */
const maxCachedResults = 50;

/**
 * The most unusual chunks of a workspace: of all chunks of a large one from rankings that are kept up to date, else compared when asked
 * and kept in memory until the workspace's media change.
 * @param updateRankings brings the kept rankings of a workspace up to date; the first time it may take minutes
 * @param computeOutliers ranks the chunks behind a filter; it may take seconds
 */
export function createHighlights(parts: {
  db: Catalog;
  search: SearchEngine;
  /** Where rankings are kept. */
  directory: string;
  updateRankings: (workspaceId: string, embedderId: string, file: string) => Promise<void>;
  computeOutliers: (
    workspaceId: string,
    embedderId: string,
    filter: ChunkFilter,
    method: OutlierMethod,
    signal: AbortSignal,
  ) => Promise<FilteredRanking>;
  computeMap: (
    workspaceId: string,
    embedderId: string,
    filter: ChunkFilter,
    layout: MapLayout,
    signal: AbortSignal,
  ) => Promise<ChunkMap>;
}) {
  const { db, search, directory, updateRankings, computeOutliers, computeMap } = parts;
  const rankingCache = createRankingCache({ db, directory, update: updateRankings });
  const answers = createResultCache<FilteredRanking & { computedAt: string }>();
  const maps = createResultCache<ChunkMap>();

  async function findOutliers(
    workspaceId: string,
    filter: ChunkFilter,
    method: OutlierMethod,
    signal: AbortSignal,
  ): Promise<FilteredRanking & { neighbors: number; computedAt: string }> {
    const { id: embedderId } = await search.embedderOf(workspaceId);
    const picked = pick(filter);
    const all = Object.values(picked).every((value) => value === undefined);
    const rankings = all ? await rankingCache.read(workspaceId, embedderId) : null;
    const { numbers, scores, omitted, computedAt } = rankings
      ? { ...rankings[method], omitted: 0, computedAt: rankings.computedAt }
      : await answers.get(
          [workspaceId, await readChunkVersion(db, workspaceId), embedderId, picked, method],
          async () => ({
            ...(await computeOutliers(workspaceId, embedderId, picked, method, signal)),
            computedAt: new Date().toISOString(),
          }),
        );
    const neighbors = Math.min(defaultNeighbors[method], Math.max(0, numbers.length - 1));
    return { numbers, scores, omitted, neighbors, computedAt };
  }

  return {
    /** Hits by falling outlier score; `omitted` chunks behind the filter, the oldest, could not be compared as well. */
    async find(
      workspaceId: string,
      method: OutlierMethod,
      filter: ChunkFilter,
      { count, dedupe, perItem }: HitOptions & { perItem: number },
      signal: AbortSignal,
    ): Promise<{ hits: EngineHit[]; population: number; omitted: number; neighbors: number; computedAt: string }> {
      const { numbers, scores, omitted, neighbors, computedAt } = await findOutliers(
        workspaceId,
        filter,
        method,
        signal,
      );
      const population = numbers.length;
      // With neighbours dropped, or more of an item than wanted, it takes a look further down.
      const places = new Map(numbers.slice(0, Math.max(1000, 20 * count)).map((number, place) => [number, place]));
      const chunks = await findChunks(db, workspaceId, [...places.keys()], filter);
      const hits = chunks
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
    },

    /** All chunks laid out by likeness, the most unusual first. */
    async map(
      workspaceId: string,
      method: OutlierMethod,
      layout: MapLayout,
      filter: ChunkFilter,
      signal: AbortSignal,
    ): Promise<{ points: MapPoint[]; layout: MapLayout; neighbors: number; computedAt: string }> {
      const { numbers, neighbors, computedAt } = await findOutliers(workspaceId, filter, method, signal);
      const version = await readChunkVersion(db, workspaceId);
      const { id: embedderId } = await search.embedderOf(workspaceId);
      const map = await maps.get([workspaceId, version, embedderId, pick(filter), layout], () =>
        computeMap(workspaceId, embedderId, pick(filter), layout, signal),
      );
      const positions = new Map(map.points.map((point) => [point.number, point]));
      const found = await findChunks(db, workspaceId, [...positions.keys()], filter);
      const chunks = new Map(found.map((chunk) => [chunk.number, chunk]));
      // A chunk that came or went between the two computations has no place yet, or no more.
      const points = numbers.flatMap((number, place): MapPoint[] => {
        const [chunk, position] = [chunks.get(number), positions.get(number)];
        if (!chunk || !position) return [];
        const { x, y } = position;
        return [{ id: chunk.media_id, chunk_id: chunk.id, x, y, score: percentile(place, numbers.length) }];
      });
      return { points, layout: map.layout, neighbors, computedAt };
    },

    /** Brings the rankings of a large workspace up to date ahead of the next question. */
    async refreshRankings(workspaceId: string): Promise<void> {
      const { id: embedderId } = await search.embedderOf(workspaceId);
      await rankingCache.refresh(workspaceId, embedderId);
    },
  };
}

const pick = ({ creator_id, category_id, type }: ChunkFilter): ChunkFilter => ({ creator_id, category_id, type });

/** Keeps what was computed, by what it depends on. */
function createResultCache<Answer extends object>() {
  const answers = new LRUCache<string, Answer>({ max: maxCachedResults });
  return {
    async get(dependsOn: unknown, compute: () => Promise<Answer>): Promise<Answer> {
      const key = JSON.stringify(dependsOn);
      const known = answers.get(key);
      if (known) return known;
      const answer = await compute();
      answers.set(key, answer);
      return answer;
    },
  };
}

/**
 * How unusual the chunk at a place of the ranking is among all, 0..1: the share of chunks that are less unusual, half of itself
 * counted.
 */
const percentile = (place: number, population: number): number => (population - place - 0.5) / population;

/** Copies of what is chosen take no other's place; where all others are chosen there is room for them. */
function fillUp(hits: EngineHit[], distinct: EngineHit[], count: number): EngineHit[] {
  const chosen = new Set(distinct.map(({ chunk }) => chunk.number));
  for (const { chunk } of hits) if (chosen.size < count) chosen.add(chunk.number);
  return hits.filter(({ chunk }) => chosen.has(chunk.number));
}

/** Keeps the first few hits of each item. */
function atMostPerItem(hits: EngineHit[], perItem: number): EngineHit[] {
  const counts = new Map<string, number>();
  return hits.filter(({ chunk }) => {
    const count = (counts.get(chunk.media_id) ?? 0) + 1;
    counts.set(chunk.media_id, count);
    return count <= perItem;
  });
}
