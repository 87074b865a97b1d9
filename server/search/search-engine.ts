import type { MediaFilter } from '../../contract/filters.ts';
import type { Catalog } from '../catalog/schema.ts';
import type { QueryEmbedder } from '../embedding/text-embedders.ts';
import { backgroundOf, relevance, standardScore } from './calibration.ts';
import { createChunkSelector } from './chunk-selection.ts';
import { keepDistinct, selectHits } from './distinct.ts';
import { embedText, type EmbeddedText } from './embed-text.ts';
import { addExcerpts } from './excerpts.ts';
import type { EngineHit, HitOptions } from './hits.ts';
import type { StageTimer } from './stage-timer.ts';
import type { TextIndex } from './text-index.ts';
import { parseTextQuery, type TextQuery } from './text/text-query.ts';
import type { OpenVectorIndex } from './vector-index.ts';
import { createWorkspaceIndexes } from './workspace-index.ts';

type TimedOptions = HitOptions & { timer: StageTimer };

/** Hits by descending score, and the embedding of the query. */
export type TextSearchResult = EmbeddedText & { hits: EngineHit[]; embedder: QueryEmbedder };

export type SearchEngine = ReturnType<typeof createSearchEngine>;

/** The text query of an image search: empty. */
const emptyTextQuery: TextQuery = { visualText: '', terms: [], prefix: null, excluded: [], isCut: false };

/** Hybrid search over the chunks of each workspace: nearest vectors and full text, fused. */
export function createSearchEngine(parts: {
  db: Catalog;
  texts: TextIndex;
  openVectorIndex: OpenVectorIndex;
  /** The active embedder of a workspace. When it changes, the index is rebuilt. */
  getEmbedder: (workspaceId: string) => Promise<QueryEmbedder>;
}) {
  const { db, texts, getEmbedder } = parts;
  const indexes = createWorkspaceIndexes(parts);
  const common = { db, texts, selectChunks: createChunkSelector(db) };
  return {
    getEmbedder,

    /** Searches by text. */
    async searchByText(
      workspaceId: string,
      query: string,
      filter: MediaFilter,
      options: TimedOptions,
    ): Promise<TextSearchResult> {
      const index = await indexes.open(workspaceId);
      const { embedder } = index;
      const { timer } = options;
      const text = parseTextQuery(query);
      const embedded = await timer.time('embed', () => embedText(embedder, text.visualText));
      const context = { ...common, index, filter, timer, text, vector: embedded.vector };
      const hits = await addExcerpts(context, await selectHits(context, options));
      return { hits, embedder, ...embedded };
    },

    /**
     * Searches by a vector of an embedder, such as that of an image.
     * @returns hits by descending score; null when another embedder has become active there
     */
    async searchByVector(
      workspaceId: string,
      { vector, embedder }: { vector: Float32Array; embedder: QueryEmbedder },
      filter: MediaFilter,
      options: TimedOptions,
    ): Promise<EngineHit[] | null> {
      const index = await indexes.open(workspaceId);
      if (index.embedder.id !== embedder.id) return null;
      const context = { ...common, index, filter, timer: options.timer, text: emptyTextQuery, vector };
      const hits = await selectHits(context, options);
      return hits.map((hit) => ({
        ...hit,
        score: 1 - (1 - hit.score) * (1 - copyLikelihood(hit.signals.visual ?? 0)),
      }));
    },

    /** Returns the function that maps a similarity to a query in a workspace to a relevance, 0..1. */
    async relevanceOf(workspaceId: string, vector: Float32Array): Promise<(similarity: number) => number> {
      const { vectors, embedder } = await indexes.get(workspaceId);
      const background = await backgroundOf(vectors, vector, embedder);
      return (similarity) => relevance(standardScore(similarity, background));
    },

    /** Keeps the first of hits that show the same event; without `dedupe` only of those that are copies of one another. */
    dropDuplicates: async (workspaceId: string, hits: EngineHit[], options: HitOptions): Promise<EngineHit[]> =>
      keepDistinct(await indexes.open(workspaceId), hits, options),

    /** Drops deleted chunks from the index in memory. Searches would not show them anyway: hits are read from the catalog. */
    removeChunks: (workspaceId: string, numbers: number[]): void => indexes.remove(workspaceId, numbers),

    /** Writes the indexes to disk for the next start. */
    save: (): Promise<void> => indexes.save(),

    /** Builds a workspace's index before its first search. */
    warm: async (workspaceId: string): Promise<void> => {
      await indexes.open(workspaceId);
    },
  };
}

/**
 * The probability that a similarity to an image is that of a copy, 0..1, however similar the rest of a workspace is. It increases
 * with the similarity, so the order stays.
 */
const copyLikelihood = (similarity: number): number => Math.min(1, Math.max(0, similarity)) ** 8;
