import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SearchHit } from '../../../../contract/search.ts';
import type { EngineHit } from '../../../search/hits.ts';
import {
  isCheapToRerank,
  rerankHits,
  type RerankResult,
  type SearchResult,
} from '../../../search/rerank/rerank-hits.ts';
import { rerankDepth } from '../../../search/rerank/scoring.ts';
import type { StageTimer } from '../../../search/stage-timer.ts';
import type { Dependencies } from '../../dependencies.ts';
import { withoutSlot } from '../../limits/concurrency-limit.ts';
import { getBaseUrl } from '../../protocol/base-url.ts';
import { toSearchHit } from './search-hit.ts';

/** Whether hits are judged again: always, never, or where it costs next to nothing. */
export type RerankWish = boolean | 'if cheap';

/** How many hits a search has to find: those that are returned, or as many as a rerank judges. */
export const candidateCount = (n: number, rerank: RerankWish): number =>
  rerank === false ? n : Math.max(n, rerankDepth);

/**
 * Reranks what a search found where that is wanted. While it waits for other processes, other requests of the workspace run.
 * @param sentence the text query; null for an image
 */
export async function rerankIfWanted(
  dependencies: Dependencies,
  { request, signal, timer }: { request: FastifyRequest; signal: AbortSignal; timer: StageTimer },
  wish: RerankWish,
  sentence: string | null,
  found: SearchResult,
): Promise<Omit<RerankResult, 'failure'>> {
  if (wish === false || (wish === 'if cheap' && !isCheapToRerank(dependencies, found)))
    return { hits: found.hits, reranked: false, notice: null };
  const { failure, ...result } = await timer.time('rerank', () =>
    rerankHits(
      dependencies,
      {
        workspaceId: request.workspaceId,
        sentence,
        onlyStored: wish === 'if cheap',
        signal,
        whileWaiting: (wait) => withoutSlot(request, wait),
      },
      found,
    ),
  );
  if (failure !== undefined) request.log.warn({ err: failure }, 'not all hits were reranked');
  return result;
}

/** What the response says of a rerank. */
export const describeRerank = ({ reranked, rerankedBy }: Pick<RerankResult, 'reranked' | 'rerankedBy'>) => ({
  reranked,
  ...(rerankedBy === undefined ? {} : { reranked_by: rerankedBy }),
});

/** Tells the client, and those who read the metrics, how long each stage of a search took. */
export function reportStages({ metrics }: Dependencies, reply: FastifyReply, timer: StageTimer): void {
  void reply.header('Server-Timing', timer.header());
  metrics.observeStages(timer.spent());
}

/** A notice where no hit stands out, so that the nearest are not taken for what was asked for. */
export const describeWeakness = (hits: EngineHit[]): string[] =>
  hits.length > 0 && hits.every(({ weak }) => weak) ? ['No clear matches. These are the closest results.'] : [];

/** Returns a function that maps hits to those of the API, with URLs for this client. */
export function createHitMapper(
  { secrets, publicUrl }: Dependencies,
  request: FastifyRequest,
): (hit: EngineHit) => SearchHit {
  const baseUrl = getBaseUrl(request, publicUrl);
  return (hit) => toSearchHit(hit, request.workspaceId, secrets, baseUrl);
}

/** Milliseconds since a time of `performance.now()`, to the hundredth. */
export const elapsedMs = (startedAt: number): number => Math.round((performance.now() - startedAt) * 100) / 100;
