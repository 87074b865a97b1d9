import type { FastifyInstance } from 'fastify';
import { operations } from '../../../contract/operations.ts';
import type { Dependencies } from '../dependencies.ts';
import { consumeSearchQuota } from '../limits/rate-limit.ts';
import { serveOperation } from '../operations/serve-operation.ts';
import { createHitMapper } from './search.ts';

/** Comparing all chunks of a large workspace is slow. */
const highlightsTimeoutSeconds = 120;

/** `GET /media/highlights`. */
function serveListHighlights(app: FastifyInstance, dependencies: Dependencies): void {
  const { highlights, searchCounter } = dependencies;
  serveOperation(
    app,
    operations.listHighlights,
    async ({ workspaceId, query, request, signal }) => {
      await consumeSearchQuota(searchCounter, request);
      const { method, n, dedupe, per_item: perItem } = query;
      const found = await highlights.find(workspaceId, method, query, { count: n, dedupe, perItem }, signal);
      return {
        data: found.hits.map(createHitMapper(dependencies, request)),
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
}

function describeOmitted(population: number, omitted: number): string {
  const [compared, all] = [population, population + omitted].map((count) => count.toLocaleString('en'));
  return `Only the newest ${compared} of ${all} scenes within this filter are compared; \`centroid\` (Atypical) compares all.`;
}

/** `GET /media/highlights/map`. */
function serveMapHighlights(app: FastifyInstance, { highlights, searchCounter }: Dependencies): void {
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

/** The operations on highlights. */
export function serveHighlights(app: FastifyInstance, dependencies: Dependencies): void {
  serveListHighlights(app, dependencies);
  serveMapHighlights(app, dependencies);
}
