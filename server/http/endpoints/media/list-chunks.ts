import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { signAssetUrl } from '../../../assets/asset-urls.ts';
import { listChunks } from '../../../catalog/media/chunks.ts';
import { findMedia } from '../../../catalog/media/media-items.ts';
import { joinTexts } from '../../../catalog/texts/text-segments.ts';
import { notFoundError } from '../../../errors/api-error.ts';
import type { Dependencies } from '../../dependencies.ts';
import { toPageMeta } from '../../operations/pagination.ts';
import { serveOperation } from '../../operations/serve-operation.ts';
import { getBaseUrl } from '../../protocol/base-url.ts';

/** `GET /media/:id/chunks`. */
export function serveListChunks(app: FastifyInstance, { db, secrets, publicUrl }: Dependencies): void {
  serveOperation(app, operations.listChunks, async ({ workspaceId, params, query, request }) => {
    const media = await findMedia(db, workspaceId, params.id);
    if (!media) throw notFoundError('media item');
    const rows = await listChunks(db, workspaceId, media.id, query);
    const baseUrl = getBaseUrl(request, publicUrl);
    const data = rows.map(({ id, start_time, end_time, thumbnail_file, segments }) => ({
      id,
      start: start_time,
      end: end_time,
      thumbnail: signAssetUrl(secrets, baseUrl, media, thumbnail_file),
      text: segments.length === 0 ? null : joinTexts(segments),
    }));
    return { data, meta: toPageMeta(query, media.chunk_count) };
  });
}
