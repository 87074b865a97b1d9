import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { findMediaIdsByChecksum } from '../../../catalog/media/media-items.ts';
import type { Dependencies } from '../../dependencies.ts';
import { serveOperation } from '../../operations/serve-operation.ts';

/** `POST /media/check`. */
export function serveCheckMedia(app: FastifyInstance, { db }: Dependencies): void {
  serveOperation(app, operations.checkMedia, async ({ workspaceId, body }) => {
    const ids = await findMediaIdsByChecksum(db, workspaceId, body.sha256);
    return { data: body.sha256.map((sha256) => ({ sha256, media_id: ids.get(sha256) ?? null })) };
  });
}
