import type { FastifyInstance } from 'fastify';
import { basePath } from '../../../contract/base-path.ts';
import { operations } from '../../../contract/operations.ts';
import { ApiError, notFoundError, quotaExceededError, unknownLabelsError } from '../../api-error.ts';
import { signAssetUrl } from '../../assets/asset-urls.ts';
import { listChunkNumbers, listChunks } from '../../catalog/chunks.ts';
import {
  assignLabels,
  deleteMedia,
  findMedia,
  findMediaIdsByChecksum,
  listMedia,
  retryMedia,
} from '../../catalog/media-items.ts';
import type { Catalog } from '../../catalog/schema.ts';
import type { Secrets } from '../../crypto/secrets.ts';
import type { SearchEngine } from '../../search/search-engine.ts';
import { toPageMeta } from '../operations/pagination.ts';
import { serveOperation } from '../operations/serve-operation.ts';
import { getBaseUrl } from '../protocol/base-url.ts';
import { toMediaItem } from './media-item.ts';

export type MediaRouteDependencies = {
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
export function serveMedia(app: FastifyInstance, parts: MediaRouteDependencies): void {
  const { db, search, secrets, publicUrl } = parts;

  serveOperation(app, operations.listMedia, async ({ workspaceId, query, request }) => {
    const { rows, total } = await listMedia(db, workspaceId, query);
    const baseUrl = getBaseUrl(request, publicUrl);
    return { data: rows.map((row) => toMediaItem(row, secrets, baseUrl)), meta: toPageMeta(query, total) };
  });

  serveOperation(app, operations.getMedia, async ({ workspaceId, params, request }) => {
    const row = await findMedia(db, workspaceId, params.id);
    if (!row) throw notFoundError('media item');
    return { data: toMediaItem(row, secrets, getBaseUrl(request, publicUrl)) };
  });

  serveOperation(app, operations.checkMedia, async ({ workspaceId, body }) => {
    const ids = await findMediaIdsByChecksum(db, workspaceId, body.sha256);
    return { data: body.sha256.map((sha256) => ({ sha256, media_id: ids.get(sha256) ?? null })) };
  });

  serveOperation(app, operations.updateMedia, async ({ workspaceId, params, body, request }) => {
    const changed = await assignLabels(db, workspaceId, params.id, body);
    if (!changed) throw notFoundError('media item');
    if ('unknown' in changed) throw unknownLabelsError(changed.unknown);
    return { data: toMediaItem(changed, secrets, getBaseUrl(request, publicUrl)) };
  });

  serveOperation(app, operations.retryMedia, async ({ workspaceId, params, request, reply }) => {
    const result = await retryMedia(db, workspaceId, params.id);
    if (!result) throw notFoundError('media item');
    const { row, retried, violation: excess } = result;
    if (excess) throw quotaExceededError(excess);
    if (!retried) {
      throw new ApiError(
        'not_ready',
        `Only an item in status \`error\` can be retried; this one is \`${row.status}\`.`,
      );
    }
    parts.onStored();
    void reply.header('Location', `${basePath}/media/${row.id}`);
    return { data: toMediaItem(row, secrets, getBaseUrl(request, publicUrl)) };
  });

  serveOperation(app, operations.listChunks, async ({ workspaceId, params, query, request }) => {
    const media = await findMedia(db, workspaceId, params.id);
    if (!media) throw notFoundError('media item');
    const rows = await listChunks(db, workspaceId, media.id, query);
    const baseUrl = getBaseUrl(request, publicUrl);
    const data = rows.map(({ id, start_time, end_time, thumbnail_file, text }) => ({
      id,
      start: start_time,
      end: end_time,
      thumbnail: signAssetUrl(secrets, baseUrl, media, thumbnail_file),
      text,
    }));
    return { data, meta: toPageMeta(query, media.chunk_count) };
  });

  serveOperation(app, operations.deleteMedia, async ({ workspaceId, params }) => {
    const chunks = await listChunkNumbers(db, workspaceId, params.id);
    if (!(await deleteMedia(db, workspaceId, params.id))) throw notFoundError('media item');
    search.removeChunks(workspaceId, chunks);
    await parts.removeFiles(workspaceId, params.id);
    return { data: { id: params.id, deleted: true as const } };
  });
}
