import type { FastifyInstance } from 'fastify';
import type { AssetStore } from '../assets/asset-store.ts';
import { listChunkNumbers } from '../catalog/chunks.ts';
import { deleteMedia, findMedia, listMedia } from '../catalog/media-items.ts';
import type { Catalog } from '../catalog/schema.ts';
import type { SearchEngine } from '../search/search-engine.ts';
import type { Secrets } from '../secrets.ts';
import { notFound } from './api-error.ts';
import { baseUrlOf } from './base-url.ts';
import { toMediaItem } from './media-item.ts';
import { serveOperation } from './operation-routes.ts';

export type MediaRouteParts = {
  db: Catalog;
  assets: AssetStore;
  search: SearchEngine;
  secrets: Secrets;
  publicUrl: string | null;
};

/** `GET /media`, `GET /media/:id`, `DELETE /media/:id`. */
export function serveMedia(app: FastifyInstance, { db, assets, search, secrets, publicUrl }: MediaRouteParts): void {
  serveOperation(app, 'listMedia', async ({ workspaceId, query, request }) => {
    const { rows, total } = await listMedia(db, workspaceId, query);
    const { page, per_page } = query;
    const baseUrl = baseUrlOf(request, publicUrl);
    return {
      data: rows.map((row) => toMediaItem(row, secrets, baseUrl)),
      meta: { total, page, per_page, total_pages: Math.ceil(total / per_page), has_more: page * per_page < total },
    };
  });

  serveOperation(app, 'getMedia', async ({ workspaceId, params, request }) => {
    const row = await findMedia(db, workspaceId, params.id);
    if (!row) throw notFound('media item');
    return { data: toMediaItem(row, secrets, baseUrlOf(request, publicUrl)) };
  });

  serveOperation(app, 'deleteMedia', async ({ workspaceId, params }) => {
    const chunks = await listChunkNumbers(db, workspaceId, params.id);
    if (!(await deleteMedia(db, workspaceId, params.id))) throw notFound('media item');
    search.forget(workspaceId, chunks);
    // The row is gone, so nothing shows the item any more; what a crash leaves of its folder goes at the next start.
    await assets.remove({ workspace_id: workspaceId, id: params.id });
    return { data: { id: params.id, deleted: true } };
  });
}
