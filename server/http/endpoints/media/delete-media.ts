import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { deleteMedia } from '../../../catalog/media/media-items.ts';
import { notFoundError } from '../../../errors/api-error.ts';
import type { Dependencies } from '../../dependencies.ts';
import { serveOperation } from '../../operations/serve-operation.ts';

/** `DELETE /media/:id`. */
export function serveDeleteMedia(app: FastifyInstance, { db, removeFiles }: Dependencies): void {
  serveOperation(app, operations.deleteMedia, async ({ workspaceId, params }) => {
    if (!(await deleteMedia(db, workspaceId, params.id))) throw notFoundError('media item');
    await removeFiles(workspaceId, params.id);
    return { data: { id: params.id, deleted: true as const } };
  });
}
