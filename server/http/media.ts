import type { FastifyInstance } from 'fastify';
import { basePath } from '../../contract/base-path.ts';
import { operations } from '../../contract/operations.ts';
import { signAssetUrl } from '../assets/asset-urls.ts';
import { listChunkNumbers, listChunks } from '../catalog/chunks.ts';
import {
  assignLabels,
  deleteMedia,
  findMedia,
  findMediaIdsByContent,
  listMedia,
  retryMedia,
} from '../catalog/media-items.ts';
import type { Catalog } from '../catalog/schema.ts';
import type { SearchEngine } from '../search/search-engine.ts';
import type { Secrets } from '../secrets.ts';
import { ApiError, notFound } from './api-error.ts';
import { baseUrlOf } from './base-url.ts';
import { toMediaItem } from './media-item.ts';
import { serveOperation } from './operation-routes.ts';
import { describePage } from './pages.ts';
import { overQuota } from './quota.ts';
import { unknownLabels } from './store-media.ts';

export type MediaRouteParts = {
  db: Catalog;
  search: SearchEngine;
  secrets: Secrets;
  publicUrl: string | null;
  /** Removes the files of an item that was just deleted. Never throws. */
  removeFiles: (workspaceId: string, mediaId: string) => Promise<void>;
  /** Told after an item went back to `pending`, so that a worker takes it at once. */
  onStored: () => void;
};

/** Media items but for their upload: list, read, check, change, retry, chunks, delete. */
export function serveMedia(app: FastifyInstance, parts: MediaRouteParts): void {
  const { db, search, secrets, publicUrl } = parts;

  serveOperation(app, operations.listMedia, async ({ workspaceId, query, request }) => {
    const { rows, total } = await listMedia(db, workspaceId, query);
    const baseUrl = baseUrlOf(request, publicUrl);
    return { data: rows.map((row) => toMediaItem(row, secrets, baseUrl)), meta: describePage(query, total) };
  });

  serveOperation(app, operations.getMedia, async ({ workspaceId, params, request }) => {
    const row = await findMedia(db, workspaceId, params.id);
    if (!row) throw notFound('media item');
    return { data: toMediaItem(row, secrets, baseUrlOf(request, publicUrl)) };
  });

  serveOperation(app, operations.checkMedia, async ({ workspaceId, body }) => {
    const ids = await findMediaIdsByContent(db, workspaceId, body.sha256);
    return { data: body.sha256.map((sha256) => ({ sha256, media_id: ids.get(sha256) ?? null })) };
  });

  serveOperation(app, operations.updateMedia, async ({ workspaceId, params, body, request }) => {
    const changed = await assignLabels(db, workspaceId, params.id, body);
    if (!changed) throw notFound('media item');
    if ('unknown' in changed) throw unknownLabels(changed.unknown);
    return { data: toMediaItem(changed, secrets, baseUrlOf(request, publicUrl)) };
  });

  serveOperation(app, operations.retryMedia, async ({ workspaceId, params, request, reply }) => {
    const result = await retryMedia(db, workspaceId, params.id);
    if (!result) throw notFound('media item');
    const { row, retried, excess } = result;
    if (excess) throw overQuota(excess);
    if (!retried) {
      throw new ApiError(
        'not_ready',
        `Only an item in status \`error\` can be retried; this one is \`${row.status}\`.`,
      );
    }
    parts.onStored();
    void reply.header('Location', `${basePath}/media/${row.id}`);
    return { data: toMediaItem(row, secrets, baseUrlOf(request, publicUrl)) };
  });

  serveOperation(app, operations.listChunks, async ({ workspaceId, params, query, request }) => {
    const media = await findMedia(db, workspaceId, params.id);
    if (!media) throw notFound('media item');
    const rows = await listChunks(db, workspaceId, media.id, query);
    const baseUrl = baseUrlOf(request, publicUrl);
    const data = rows.map(({ id, start_time, end_time, thumbnail_file, text }) => ({
      id,
      start: start_time,
      end: end_time,
      thumbnail: signAssetUrl(secrets, baseUrl, media, thumbnail_file),
      text,
    }));
    return { data, meta: describePage(query, media.chunk_count) };
  });

  serveOperation(app, operations.deleteMedia, async ({ workspaceId, params }) => {
    const chunks = await listChunkNumbers(db, workspaceId, params.id);
    if (!(await deleteMedia(db, workspaceId, params.id))) throw notFound('media item');
    search.forget(workspaceId, chunks);
    await parts.removeFiles(workspaceId, params.id);
    return { data: { id: params.id, deleted: true as const } };
  });
}
