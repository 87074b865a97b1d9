import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { changeMedia } from '../../../catalog/media/media-items.ts';
import { notFoundError, unknownLabelsError } from '../../../errors/api-error.ts';
import type { Dependencies } from '../../dependencies.ts';
import { serveOperation } from '../../operations/serve-operation.ts';
import { getBaseUrl } from '../../protocol/base-url.ts';
import { toMediaItem } from './media-item.ts';

/** `PATCH /media/:id`. */
export function serveUpdateMedia(app: FastifyInstance, { db, secrets, recognised, publicUrl }: Dependencies): void {
  serveOperation(app, operations.updateMedia, async ({ workspaceId, params, body, request }) => {
    const changed = await changeMedia(db, workspaceId, params.id, body);
    if (!changed) throw notFoundError('media item');
    if ('unknown' in changed) throw unknownLabelsError(changed.unknown);
    return { data: await toMediaItem({ db, secrets, recognised }, changed, getBaseUrl(request, publicUrl)) };
  });
}
