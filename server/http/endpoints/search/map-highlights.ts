import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import type { Dependencies } from '../../dependencies.ts';
import { consumeSearchQuota } from '../../limits/quota.ts';
import { serveOperation } from '../../operations/serve-operation.ts';
import { highlightsTimeoutSeconds } from './list-highlights.ts';

/** `GET /media/highlights/map`. */
export function serveMapHighlights(app: FastifyInstance, { highlights, searchCounter }: Dependencies): void {
  serveOperation(
    app,
    operations.mapHighlights,
    async ({ workspaceId, query, request, signal }) => {
      await consumeSearchQuota(searchCounter, request);
      const { method } = query;
      const { points, layout, neighbors, computedAt } = await highlights.map(
        workspaceId,
        method,
        query.layout,
        query,
        signal,
      );
      return {
        data: points,
        meta: { method, population: points.length, neighbors, computed_at: computedAt, layout },
      };
    },
    { kind: 'heavy', timeoutSeconds: highlightsTimeoutSeconds },
  );
}
