import type { FastifyInstance } from 'fastify';
import { operations } from '../../../contract/operations.ts';
import type { AssetStore } from '../../assets/asset-store.ts';
import { findChunksById } from '../../catalog/chunks.ts';
import type { Catalog } from '../../catalog/schema.ts';
import type { SearchCounter } from '../../catalog/search-counter.ts';
import type { Secrets } from '../../crypto/secrets.ts';
import type { QueryEmbedder } from '../../embedding/text-embedders.ts';
import type { Highlights } from '../../highlights/highlights.ts';
import type { VisionModel } from '../../models/vision-model.ts';
import type { QueryPool } from '../../query-workers/query-pool.ts';
import { rerankDepth } from '../../search/rerank.ts';
import type { SearchEngine } from '../../search/search-engine.ts';
import { createStageTimer } from '../../search/stage-timer.ts';
import { consumeSearchQuota } from '../limits/quota.ts';
import { serveOperation } from '../operations/serve-operation.ts';
import { getBaseUrl } from '../protocol/base-url.ts';
import { rerankHits } from '../rerank.ts';
import { toClip, toSearchHit } from './search-hit.ts';

export type SearchRouteDependencies = {
  db: Catalog;
  searchCounter: SearchCounter;
  assets: AssetStore;
  search: SearchEngine;
  highlights: Highlights;
  queryPool: QueryPool;
  /** Looks at hits again when `rerank` is asked for; null: the embedder does. */
  visionModel: VisionModel | null;
  secrets: Secrets;
  publicUrl: string | null;
};

/** Comparing all chunks of a large workspace takes its time. */
const highlightsTimeoutSeconds = 120;

/** `GET /media/search`, `GET /media/highlights` and its map, `GET /media/clips`. */
export function serveSearch(app: FastifyInstance, parts: SearchRouteDependencies): void {
  const { db, searchCounter, search, highlights, secrets, publicUrl } = parts;

  serveOperation(
    app,
    operations.searchMedia,
    async ({ workspaceId, query, request, reply, signal }) => {
      const began = performance.now();
      const timer = createStageTimer();
      await consumeSearchQuota(searchCounter, request);
      const count = query.rerank ? Math.max(query.n, rerankDepth) : query.n;
      const options = { count, dedupe: query.dedupe, timer };
      const found = await search.searchByText(workspaceId, query.q, query, options);
      const { hits, unknown, problem, embedder } = found;
      const notices = unknown.length > 0 ? [describeUnknownTerms(unknown, embedder)] : [];
      if (problem !== null) {
        request.log.error({ problem }, 'a query was not embedded');
        notices.push('The embedder could not be run; searched as text only.');
      }
      const look = query.rerank
        ? await timer.time('rerank', () => rerankHits(parts, { request, signal }, query.q, found))
        : { hits, reranked: false, notice: null };
      if (look.notice !== null) notices.push(look.notice);
      const baseUrl = getBaseUrl(request, publicUrl);
      void reply.header('Server-Timing', timer.header());
      return {
        data: look.hits.slice(0, query.n).map((hit) => toSearchHit(hit, workspaceId, secrets, baseUrl)),
        meta: {
          query: query.q,
          n: query.n,
          took_ms: millisecondsSince(began),
          embedder: embedder.id,
          reranked: look.reranked,
          ...(notices.length > 0 ? { notice: notices.join(' ') } : {}),
          ...(unknown.length > 0 ? { unknown_terms: unknown } : {}),
        },
      };
    },
    // A second look takes as long as the vision-language model does.
    { kind: ({ query }) => (/^(?:1|true)$/.test((query as { rerank?: string }).rerank ?? '') ? 'rerank' : 'search') },
  );

  serveOperation(
    app,
    operations.listHighlights,
    async ({ workspaceId, query, request, signal }) => {
      await consumeSearchQuota(searchCounter, request);
      const { method, n, dedupe, per_item: perItem } = query;
      const found = await highlights.find(workspaceId, method, query, { count: n, dedupe, perItem }, signal);
      const baseUrl = getBaseUrl(request, publicUrl);
      return {
        data: found.hits.map((hit) => toSearchHit(hit, workspaceId, secrets, baseUrl)),
        meta: {
          method,
          population: found.population,
          neighbors: found.neighbors,
          computed_at: found.computedAt,
          ...(found.omitted > 0 ? { notice: describeOmitted(found.population, found.omitted) } : {}),
        },
      };
    },
    { kind: 'heavy', timeoutSeconds: highlightsTimeoutSeconds },
  );

  serveOperation(
    app,
    operations.mapHighlights,
    async ({ workspaceId, query, request, signal }) => {
      await consumeSearchQuota(searchCounter, request);
      const { method, layout } = query;
      const { points, ...map } = await highlights.map(workspaceId, method, layout, query, signal);
      return {
        data: points,
        meta: {
          method,
          population: points.length,
          neighbors: map.neighbors,
          computed_at: map.computedAt,
          layout: map.layout,
        },
      };
    },
    { kind: 'heavy', timeoutSeconds: highlightsTimeoutSeconds },
  );

  serveOperation(app, operations.listClips, async ({ workspaceId, query, request }) => {
    const ids = query.ids.split(',');
    const found = new Map((await findChunksById(db, workspaceId, ids)).map((chunk) => [chunk.id, chunk]));
    const baseUrl = getBaseUrl(request, publicUrl);
    return {
      data: ids.flatMap((id) => {
        const chunk = found.get(id);
        return chunk ? [toClip(chunk, workspaceId, secrets, baseUrl)] : [];
      }),
    };
  });
}

function describeUnknownTerms(unknown: string[], { vocabulary }: QueryEmbedder): string {
  const words = unknown.map((word) => `“${word}”`).join(', ');
  const model = vocabulary === null ? 'The embedder' : `The built-in embedder knows ${vocabulary}`;
  return `${model}; it gives no visual meaning to ${words}, searched as text only.`;
}

function describeOmitted(population: number, omitted: number): string {
  const [compared, all] = [population, population + omitted].map((count) => count.toLocaleString('en'));
  return `Only the newest ${compared} of ${all} clips behind this filter are compared with each other; \`centroid\` compares all.`;
}

/** To the hundredth. */
export const millisecondsSince = (began: number): number => Math.round((performance.now() - began) * 100) / 100;
