import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { deleteMedia } from '../../../catalog/media/media-items.ts';
import { notFoundError } from '../../../errors/api-error.ts';
import type { Dependencies } from '../../dependencies.ts';
import { serveOperation } from '../../operations/serve-operation.ts';

/** `DELETE /trash/:id`. */
export function serveDeleteFromTrash(app: FastifyInstance, { db, removeFiles }: Dependencies): void {
  serveOperation(app, operations.deleteFromTrash, async ({ workspaceId, params }) => {
    const now = new Date().toISOString();
    if (!(await deleteMedia(db, workspaceId, params.id, now))) throw notFoundError('item in the trash');
    await removeFiles(workspaceId, params.id);
    return { data: { id: params.id, deleted: true as const } };
  });
}
