import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { findMedia } from '../../../catalog/media/media-items.ts';
import { notFoundError } from '../../../errors/api-error.ts';
import type { Dependencies } from '../../dependencies.ts';
import { serveOperation } from '../../operations/serve-operation.ts';
import { getBaseUrl } from '../../protocol/base-url.ts';
import { toMediaItem } from './media-item.ts';

/** `GET /media/:id`. */
export function serveGetMedia(app: FastifyInstance, { db, secrets, recognised, publicUrl }: Dependencies): void {
  serveOperation(app, operations.getMedia, async ({ workspaceId, params, request }) => {
    const row = await findMedia(db, workspaceId, params.id);
    if (!row) throw notFoundError('media item');
    return { data: await toMediaItem({ db, secrets, recognised }, row, getBaseUrl(request, publicUrl)) };
  });
}
