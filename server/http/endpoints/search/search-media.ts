import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { toSearchPlaces } from '../../../../contract/search.ts';
import type { QueryEmbedder } from '../../../embedding/text-embedders.ts';
import { createStageTimer } from '../../../search/stage-timer.ts';
import type { Correction } from '../../../search/text/search-texts.ts';
import { maxExcluded, maxPhrases, maxTerms } from '../../../search/text/text-query.ts';
import type { Dependencies } from '../../dependencies.ts';
import { consumeSearchQuota } from '../../limits/quota.ts';
import { serveOperation } from '../../operations/serve-operation.ts';
import {
  candidateCount,
  createHitMapper,
  describeWeakness,
  elapsedMs,
  rerankIfWanted,
  reportStages,
} from './search-response.ts';

/** `GET /media/search`. */
export function serveSearchMedia(app: FastifyInstance, dependencies: Dependencies): void {
  const { search, searchCounter } = dependencies;
  serveOperation(
    app,
    operations.searchMedia,
    async ({ workspaceId, query, request, reply, signal }) => {
      const startedAt = performance.now();
      const timer = createStageTimer();
      await consumeSearchQuota(searchCounter, request);
      const { q, n, dedupe, media_id: mediaId } = query;
      const places = query.in === undefined ? undefined : toSearchPlaces(query.in);
      const options = { count: candidateCount(query), dedupe, timer, mediaId, places, signal };
      const found = await search.searchByText(workspaceId, q, query, options);
      const { unknown, problem, embedder, corrections, isCut } = found;
      if (problem !== null) request.log.error({ problem }, 'query not embedded');
      const isVisual = places?.includes('visual') ?? true;
      const ranked =
        query.rerank && !isVisual
          ? { hits: found.hits, reranked: false, notice: 'Not reranked: images were not searched.' }
          : await rerankIfWanted(dependencies, { request, signal, timer }, query.rerank, q, {
              ...found,
              vectors: found.vector ? [found.vector] : [],
            });
      reportStages(dependencies, reply, timer);
      const hits = ranked.hits.slice(0, n);
      const notices = [
        ...(isCut
          ? [
              `Of the query only the first ${maxTerms} words, ${maxPhrases} phrases and ${maxExcluded} exclusions are used.`,
            ]
          : []),
        ...describeCorrections(corrections),
        ...describeGaps(found, places?.every((place) => place === 'visual') ?? false),
        ...describeWeakness(hits),
        ...(ranked.notice === null ? [] : [ranked.notice]),
      ];
      return {
        data: hits.map(createHitMapper(dependencies, request)),
        meta: {
          query: q,
          n,
          took_ms: elapsedMs(startedAt),
          embedder: embedder.id,
          reranked: ranked.reranked,
          ...(notices.length > 0 ? { notice: notices.join(' ') } : {}),
          ...(unknown.length > 0 ? { unknown_terms: unknown } : {}),
        },
      };
    },
    { kind: ({ rerank }) => (rerank ? 'rerank' : 'search') },
  );
}

/** Notices about words that no text holds and that are taken for typing errors. */
const describeCorrections = (corrections: Correction[]): string[] =>
  corrections.map(({ from, to }) => `No text contains “${from}”. Showing results for “${to}” instead.`);

/**
 * Notices about what was not searched for in images.
 * @param isVisualOnly whether it was not searched for in texts either
 */
function describeGaps(
  {
    unknown,
    problem,
    embedder: { vocabulary },
  }: { unknown: string[]; problem: string | null; embedder: QueryEmbedder },
  isVisualOnly: boolean,
): string[] {
  const rest = isVisualOnly ? 'not searched for, because texts are left out' : 'searched for in text only';
  const notices: string[] = [];
  if (unknown.length > 0) {
    const words = unknown.map((word) => `“${word}”`).join(', ');
    const model = vocabulary === null ? 'The model' : `The model knows ${vocabulary}. It`;
    notices.push(`${model} does not understand ${words}; ${rest}.`);
  }
  if (problem !== null) notices.push(`The model could not be run; ${rest}.`);
  return notices;
}
