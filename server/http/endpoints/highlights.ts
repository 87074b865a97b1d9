import { thumbnailSizes } from '@media-search/media/picture-sizes';
import type { FastifyInstance } from 'fastify';
import { operations } from '../../../contract/operations.ts';
import { findChunksById } from '../../catalog/media/chunks.ts';
import { createClipSheets } from '../../delivery/thumbnails/clip-sheets.ts';
import type { Dependencies } from '../dependencies.ts';
import { consumeSearchQuota } from '../limits/rate-limit.ts';
import { serveOperation } from '../operations/serve-operation.ts';
import { createClips } from './clips.ts';
import { sizeOf } from './pictures.ts';
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
        data: found.hits.map(await createHitMapper(dependencies, request, found.hits)),
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
      const { points, neighbors, computedAt, ...map } = await highlights.map(
        workspaceId,
        method,
        { layout: query.layout, partial: query.partial },
        query,
        signal,
      );
      return {
        data: points,
        meta: { method, population: points.length, neighbors, computed_at: computedAt, ...map },
      };
    },
    { kind: 'heavy', timeoutSeconds: highlightsTimeoutSeconds },
  );
}

/** `GET /media/concepts`. */
function serveListConcepts(app: FastifyInstance, dependencies: Dependencies): void {
  const { highlights } = dependencies;
  serveOperation(
    app,
    operations.listConcepts,
    async ({ workspaceId, query, request }) => {
      const { concepts, population, reason } = await highlights.concepts(workspaceId, query.n);
      const toClip = await createClips(dependencies, request);
      return {
        data: concepts.map(({ name, count, chunk }) => ({
          name,
          count,
          clip: toClip(chunk),
        })),
        meta: { population, reason },
      };
    },
    // The first request for an embedder waits until all words of concepts have vectors.
    { timeoutSeconds: highlightsTimeoutSeconds },
  );
}

/** `GET /media/clips/sheet`. */
function serveReadClipSheet(app: FastifyInstance, { db, assets }: Dependencies): void {
  const sheets = createClipSheets(assets);
  serveOperation(app, operations.readClipSheet, async ({ workspaceId, query, reply }) => {
    const ids = query.ids.split(',');
    const found = new Map((await findChunksById(db, workspaceId, ids)).map((chunk) => [chunk.id, chunk]));
    const { data, lasts } = await sheets.read(
      workspaceId,
      ids.map((id) => {
        const chunk = found.get(id);
        if (!chunk) return undefined;
        const sizes = thumbnailSizes(chunk.thumbnail_file, chunk.type, sizeOf(chunk)).map(({ file }) => file);
        return { ...chunk, workspace_id: workspaceId, files: [...sizes, chunk.thumbnail_file] };
      }),
    );
    // A chunk never changes; one that is indexed again is another.
    void reply.type('image/webp').header('Cache-Control', lasts ? 'private, max-age=604800, immutable' : 'no-store');
    return { data };
  });
}

/** The operations on highlights. */
export function serveHighlights(app: FastifyInstance, dependencies: Dependencies): void {
  serveListHighlights(app, dependencies);
  serveMapHighlights(app, dependencies);
  serveListConcepts(app, dependencies);
  serveReadClipSheet(app, dependencies);
}
