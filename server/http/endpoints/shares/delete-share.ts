import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { revokeShare } from '../../../delivery/shares/revoke-share.ts';
import { notFoundError } from '../../../errors/api-error.ts';
import type { Dependencies } from '../../dependencies.ts';
import { serveOperation } from '../../operations/serve-operation.ts';

/** `DELETE /shares/:id`. */
export function serveDeleteShare(app: FastifyInstance, dependencies: Dependencies): void {
  serveOperation(app, operations.deleteShare, async ({ workspaceId, params }) => {
    const share = await revokeShare(dependencies, workspaceId, params.id);
    if (!share) throw notFoundError('shared link');
    return { data: { id: share.id, deleted: true as const } };
  });
}
