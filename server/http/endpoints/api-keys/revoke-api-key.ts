import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { revokeApiKey } from '../../../catalog/accounts/api-keys.ts';
import { notFoundError } from '../../../errors/api-error.ts';
import { serveMemberOperation } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';
import { toApiKey } from './api-key.ts';

/** `DELETE /manage/api-keys/:id`. */
export function serveRevokeApiKey(app: FastifyInstance, { db, notices }: Dependencies): void {
  serveMemberOperation(app, db, dashboardOperations.revokeApiKey, async ({ workspaceId, params }) => {
    const revoked = await revokeApiKey(db, workspaceId, params.id);
    if (!revoked) throw notFoundError('API key');
    // What it has open ends, at every process.
    await notices.publish(db, 'workspace', workspaceId);
    return { data: toApiKey(revoked) };
  });
}
