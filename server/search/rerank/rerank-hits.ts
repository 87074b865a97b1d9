import type { QueryEmbedder } from '../embedding/text-embedders.ts';
import type { EngineHit } from '../hits.ts';
import { judgeByViews } from './judge-by-views.ts';
import { judgeByVisionModel } from './judge-by-vision-model.ts';
import type { Verdicts } from './judge-in-order.ts';
import type { RerankContext, RerankDependencies } from './rerank-context.ts';
import { isAboutContent, rerankDepth, reorder } from './scoring.ts';

/** How long a rerank may take. Hits without a verdict by then keep their places. */
const rerankTimeoutMs = 8000;

/**
 * What a search found. `vectors` are the query's embedding: of an image also those of the pictures inside of it; none when no word of it has a
 * meaning for the embedder.
 */
export type SearchResult = { hits: EngineHit[]; vectors: Float32Array[]; embedder: QueryEmbedder };

export type RerankRequest = {
  workspaceId: string;
  /** What was searched for; null when it was an image. */
  sentence: string | null;
  /** Judges only hits whose views are stored, and says nothing about the others. */
  onlyStored: boolean;
  signal: AbortSignal;
  /** Runs work that waits for other processes, so that the caller can let other requests run meanwhile. */
  whileWaiting: RerankContext['whileWaiting'];
};

export type RerankResult = {
  hits: EngineHit[];
  reranked: boolean;
  /** The model that judged: the embedder by its identifier, or the vision-language model by its name. Absent where none did. */
  rerankedBy?: string;
  /** What was not possible, in a sentence; null when all was. */
  notice: string | null;
  /** The last error among the hits. A failure never fails the search. */
  failure: unknown;
};

/** Whether to judge hits by their stored views costs next to nothing and finds more: where no other model judges, and the query is about what is shown. */
export const isCheapToRerank = (
  { visionModel }: Pick<RerankDependencies, 'visionModel'>,
  { vectors: [vector], embedder }: Pick<SearchResult, 'vectors' | 'embedder'>,
): boolean => !visionModel && vector !== undefined && isAboutContent(vector, embedder.contentDimensions);

/**
 * Judges the best hits a second time and sorts them by that: by the vision-language model when there is one and the query is a sentence,
 * otherwise by the embeddings of their views.
 */
export async function rerankHits(
  dependencies: RerankDependencies,
  { workspaceId, sentence, onlyStored, signal, whileWaiting }: RerankRequest,
  { hits, vectors, embedder }: SearchResult,
): Promise<RerankResult> {
  const { visionModel } = dependencies;
  if (hits.length === 0) return { hits, reranked: false, notice: null, failure: undefined };
  const timeout = AbortSignal.timeout(rerankTimeoutMs);
  const context = {
    workspaceId,
    hits: hits.slice(0, rerankDepth),
    deadline: AbortSignal.any([signal, timeout]),
    whileWaiting,
  };
  let judge: { name: string; run: () => Promise<Verdicts> };
  if (visionModel && sentence !== null) {
    const run = () => judgeByVisionModel(dependencies, visionModel, sentence, context);
    judge = { name: visionModel.name, run };
  } else if (vectors.length > 0) {
    judge = { name: embedder.id, run: () => judgeByViews(dependencies, vectors, embedder, context, onlyStored) };
  } else {
    const notice = 'Not reranked: the model understands no word of the query.';
    return { hits, reranked: false, notice, failure: undefined };
  }
  const judged = await judge.run().catch((error: unknown): Verdicts => ({ verdicts: new Map(), failure: error }));
  const result = toResult(hits, context.hits.length, judged, timeout.aborted);
  return {
    ...result,
    ...(result.reranked ? { rerankedBy: judge.name } : {}),
    ...(onlyStored ? { notice: null } : {}),
  };
}

function toResult(hits: EngineHit[], depth: number, { verdicts, failure }: Verdicts, isLate: boolean): RerankResult {
  if (verdicts.size === 0) {
    const notice = 'Not reranked: comparing the results took too long or was not possible.';
    return { hits, reranked: false, notice, failure };
  }
  const late = isLate ? ' in time' : '';
  const missing = `Only ${verdicts.size} of the best ${depth} results could be reranked${late}; the others keep their places.`;
  const ordered = Array.from({ length: depth }, (_, place) => verdicts.get(place) ?? null);
  return {
    hits: reorder(hits, ordered),
    reranked: true,
    notice: verdicts.size === depth ? null : missing,
    failure,
  };
}
