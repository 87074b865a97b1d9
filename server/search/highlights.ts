import type { OutlierMethod } from '../../contract/search.ts';
import { type ChunkFilter, findChunks, readChunkVersion } from '../catalog/chunks.ts';
import type { Catalog } from '../catalog/schema.ts';
import type { EngineHit, HitOptions, SearchEngine } from './search-engine.ts';

/** Chunks by falling raw outlier score, and how many neighbours each was compared with. */
type Outliers = { ranked: { number: number; score: number }[]; neighbors: number };

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
    filter: ChunkFilter,
    method: OutlierMethod,
    signal: AbortSignal,
  ) => Promise<Outliers>;
}) {
  const { db, search, computeOutliers } = parts;
  const answers = new Map<string, { outliers: Outliers; computedAt: string }>();

  async function findOutliers(
    workspaceId: string,
    filter: ChunkFilter,
    method: OutlierMethod,
    signal: AbortSignal,
  ): Promise<{ outliers: Outliers; computedAt: string }> {
    const version = await readChunkVersion(db, workspaceId);
    const key = JSON.stringify([workspaceId, version, filter, method]);
    const known = answers.get(key);
    if (known) return known;
    const computed = {
      outliers: await computeOutliers(workspaceId, filter, method, signal),
      computedAt: new Date().toISOString(),
    };
    answers.set(key, computed);
    if (answers.size > keptAnswers) answers.delete(answers.keys().next().value ?? '');
    return computed;
  }

  return {
    /** Hits by falling outlier score. */
    async find(
      workspaceId: string,
      method: OutlierMethod,
      filter: ChunkFilter,
      { count, dedupe }: HitOptions,
      signal: AbortSignal,
    ): Promise<{ hits: EngineHit[]; population: number; neighbors: number; computedAt: string }> {
      const { outliers, computedAt } = await findOutliers(workspaceId, filter, method, signal);
      const { ranked, neighbors } = outliers;
      const depth = dedupe ? Math.max(200, 10 * count) : count;
      const scores = new Map(ranked.slice(0, depth).map(({ number, score }) => [number, score]));
      const chunks = await findChunks(db, workspaceId, [...scores.keys()], filter);
      const hits = chunks
        .map((chunk): EngineHit => {
          const outlier = scores.get(chunk.number) as number;
          return { chunk, score: toScore(method, outlier), weak: false, signals: { outlier } };
        })
        .toSorted((a, b) => b.signals.outlier! - a.signals.outlier! || b.chunk.number - a.chunk.number);
      return {
        hits: dedupe ? await search.dropDuplicates(hits, count) : hits.slice(0, count),
        population: ranked.length,
        neighbors,
        computedAt,
      };
    },
  };
}

/** A raw score in 0..1, in the same order: distances of unit vectors are at most 2, a factor of 1 is usual and has no end. */
const toScore = (method: OutlierMethod, outlier: number): number =>
  method === 'lof' ? outlier / (1 + outlier) : Math.min(1, outlier / 2);
