import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { notFoundError } from '../../../api-error.ts';
import { deleteShare } from '../../../catalog/shares.ts';
import type { Dependencies } from '../../dependencies.ts';
import { serveOperation } from '../../operations/serve-operation.ts';

/** `DELETE /shares/:id`. */
export function serveDeleteShare(app: FastifyInstance, { db, shareDownloads, shareFiles }: Dependencies): void {
  serveOperation(app, operations.deleteShare, async ({ workspaceId, params }) => {
    const share = await deleteShare(db, workspaceId, params.id);
    if (!share) throw notFoundError('shared link');
    shareDownloads.end(share.id);
    await shareFiles.remove(share);
    return { data: { id: share.id, deleted: true as const } };
  });
}
