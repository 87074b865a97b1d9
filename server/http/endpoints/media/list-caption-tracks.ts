import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { findMedia } from '../../../catalog/media/media-items.ts';
import { listCaptionTracks } from '../../../catalog/texts/caption-tracks.ts';
import { notFoundError } from '../../../errors/api-error.ts';
import type { Dependencies } from '../../dependencies.ts';
import { serveOperation } from '../../operations/serve-operation.ts';

/** `GET /media/:id/captions/tracks`. */
export function serveListCaptionTracks(app: FastifyInstance, { db }: Dependencies): void {
  serveOperation(app, operations.listCaptionTracks, async ({ workspaceId, params }) => {
    const media = await findMedia(db, workspaceId, params.id);
    if (!media) throw notFoundError('media item');
    return { data: await listCaptionTracks(db, workspaceId, media.id) };
  });
}
