import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { ApiError } from '../../../errors/api-error.ts';
import { embedImageQuery } from '../../../search/query-images/embed-image-query.ts';
import { createStageTimer } from '../../../search/stage-timer.ts';
import type { Dependencies } from '../../dependencies.ts';
import { consumeSearchQuota } from '../../limits/quota.ts';
import { type OperationInput, type OperationResult, serveOperation } from '../../operations/serve-operation.ts';
import { receiveImageQuery } from '../../request-bodies/receive-image-query.ts';
import {
  candidateCount,
  createHitMapper,
  describeRerank,
  describeWeakness,
  elapsedMs,
  rerankIfWanted,
  reportStages,
} from './search-response.ts';

const operation = operations.searchMediaByImage;

/** `POST /media/search/image`: by an image in a form, in base64, at a URL, or by an item of the workspace. */
export function serveSearchMediaByImage(scope: FastifyInstance, dependencies: Dependencies): void {
  const handle = (input: OperationInput<typeof operation>) =>
    dependencies.scratch.withFolder((folder) =>
      search(dependencies, input, () => receiveImageQuery(input, folder)),
    );
  serveOperation(scope, operation, handle, { kind: 'heavy', timeoutSeconds: 60 });
}

async function search(
  dependencies: Dependencies,
  { workspaceId, query, request, reply, signal }: OperationInput<typeof operation>,
  receive: () => ReturnType<typeof receiveImageQuery>,
): Promise<OperationResult<typeof operation>> {
  const startedAt = performance.now();
  const timer = createStageTimer();
  const { parameters, source } = await receive();
  // The form or JSON body takes precedence over the URL.
  const { n, dedupe, rerank, ...filter } = { ...query, ...parameters };
  await consumeSearchQuota(dependencies.searchCounter, request);
  const embedder = await dependencies.search.getEmbedder(workspaceId);
  const context = { workspaceId, embedder, signal };
  const vectors = await timer.time('embed', () => embedImageQuery(dependencies, context, source));
  const options = { count: candidateCount(n, rerank), dedupe, timer, signal };
  const hits = await dependencies.search.searchByImage(workspaceId, { vectors, embedder }, filter, options);
  if (!hits) throw new ApiError('unavailable', 'The model has just changed. Try again.');
  const found = { hits, vectors, embedder };
  const ranked = await rerankIfWanted(dependencies, { request, signal, timer }, rerank, null, found);
  reportStages(dependencies, reply, timer);
  const returned = ranked.hits.slice(0, n);
  const notices = [...describeWeakness(returned), ...(ranked.notice === null ? [] : [ranked.notice])];
  return {
    data: returned.map(createHitMapper(dependencies, request)),
    meta: {
      query: null,
      n,
      took_ms: elapsedMs(startedAt),
      embedder: embedder.id,
      ...describeRerank(ranked),
      ...(notices.length > 0 ? { notice: notices.join(' ') } : {}),
      source: source.kind,
    },
  };
}
