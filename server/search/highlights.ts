import type { MapLayout, MapPoint, OutlierMethod } from '../../contract/search.ts';
import { type ChunkFilter, findChunks, readChunkVersion } from '../catalog/chunks.ts';
import type { Catalog } from '../catalog/schema.ts';
import type { ChunkMap, Outliers } from '../query-workers/query-tasks.ts';
import type { EngineHit, HitOptions, SearchEngine } from './search-engine.ts';

export type Highlights = ReturnType<typeof createHighlights>;

/** Answers kept in memory; the eldest goes first. */
const keptAnswers = 50;

/**
 * The most unusual chunks of a workspace. What was computed is kept until the workspace's media change.
 * @param computeOutliers scores the chunks behind a filter; it may take seconds
 */
export function createHighlights(parts: {
  db: Catalog;
  search: SearchEngine;
  computeOutliers: (
    workspaceId: string,
    embedderId: string,
    filter: ChunkFilter,
    method: OutlierMethod,
    signal: AbortSignal,
  ) => Promise<Outliers>;
  computeMap: (
    workspaceId: string,
    embedderId: string,
    filter: ChunkFilter,
    layout: MapLayout,
    signal: AbortSignal,
  ) => Promise<ChunkMap>;
}) {
  const { db, search, computeOutliers, computeMap } = parts;
  const rankings = createAnswers<{ outliers: Outliers; computedAt: string }>();
  const maps = createAnswers<ChunkMap>();

  async function findOutliers(
    workspaceId: string,
    filter: ChunkFilter,
    method: OutlierMethod,
    signal: AbortSignal,
  ): Promise<{ outliers: Outliers; computedAt: string }> {
    const version = await readChunkVersion(db, workspaceId);
    const { id: embedderId } = await search.embedderOf(workspaceId);
    return rankings.get([workspaceId, version, embedderId, pick(filter), method], async () => ({
      outliers: await computeOutliers(workspaceId, embedderId, pick(filter), method, signal),
      computedAt: new Date().toISOString(),
    }));
  }

  return {
    /** Hits by falling outlier score. */
    async find(
      workspaceId: string,
      method: OutlierMethod,
      filter: ChunkFilter,
      { count, dedupe, perItem }: HitOptions & { perItem: number },
      signal: AbortSignal,
    ): Promise<{ hits: EngineHit[]; population: number; neighbors: number; computedAt: string }> {
      const { outliers, computedAt } = await findOutliers(workspaceId, filter, method, signal);
      const { ranked, neighbors } = outliers;
      // With neighbours dropped, or more of an item than wanted, it takes a look further down.
      const places = new Map(ranked.map(({ number }, place) => [number, place]));
      const scores = new Map(ranked.slice(0, Math.max(1000, 20 * count)).map(({ number, score }) => [number, score]));
      const chunks = await findChunks(db, workspaceId, [...scores.keys()], filter);
      const hits = chunks
        .map((chunk): EngineHit => {
          const place = places.get(chunk.number) as number;
          const outlier = scores.get(chunk.number) as number;
          return { chunk, score: percentile(place, ranked.length), weak: false, signals: { outlier } };
        })
        .toSorted((a, b) => b.score - a.score);
      const few = atMostPerItem(hits, perItem);
      return {
        hits: dedupe ? await search.dropDuplicates(workspaceId, few, count) : few.slice(0, count),
        population: ranked.length,
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
      const { outliers, computedAt } = await findOutliers(workspaceId, filter, method, signal);
      const version = await readChunkVersion(db, workspaceId);
      const { id: embedderId } = await search.embedderOf(workspaceId);
      const map = await maps.get([workspaceId, version, embedderId, pick(filter), layout], () =>
        computeMap(workspaceId, embedderId, pick(filter), layout, signal),
      );
      const numbers = outliers.ranked.map(({ number }) => number);
      const chunks = new Map(
        (await findChunks(db, workspaceId, numbers, filter)).map((chunk) => [chunk.number, chunk]),
      );
      const places = new Map(map.points.map((point) => [point.number, point]));
      // A chunk that came or went between the two computations has no place yet, or no more.
      const points = outliers.ranked.flatMap(({ number }, rank): MapPoint[] => {
        const [chunk, place] = [chunks.get(number), places.get(number)];
        if (!chunk || !place) return [];
        const { x, y } = place;
        return [{ id: chunk.media_id, chunk_id: chunk.id, x, y, score: percentile(rank, outliers.ranked.length) }];
      });
      return { points, layout: map.layout, neighbors: outliers.neighbors, computedAt };
    },
  };
}

const pick = ({ creator_id, category_id, type }: ChunkFilter): ChunkFilter => ({ creator_id, category_id, type });

/** Keeps what was computed, by what it depends on. */
function createAnswers<Answer>() {
  const answers = new Map<string, Answer>();
  return {
    async get(dependsOn: unknown, compute: () => Promise<Answer>): Promise<Answer> {
      const key = JSON.stringify(dependsOn);
      const known = answers.get(key);
      if (known) return known;
      const answer = await compute();
      answers.set(key, answer);
      if (answers.size > keptAnswers) answers.delete(answers.keys().next().value ?? '');
      return answer;
    },
  };
}

/**
 * How unusual the chunk at a place of the ranking is among all, 0..1: the share of chunks that are less unusual, half of itself
 * counted.
 */
const percentile = (place: number, population: number): number => (population - place - 0.5) / population;

/** Keeps the first few hits of each item. */
function atMostPerItem(hits: EngineHit[], perItem: number): EngineHit[] {
  const counts = new Map<string, number>();
  return hits.filter(({ chunk }) => {
    const count = (counts.get(chunk.media_id) ?? 0) + 1;
    counts.set(chunk.media_id, count);
    return count <= perItem;
  });
}
