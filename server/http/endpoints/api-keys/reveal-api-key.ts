import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { revealApiKey } from '../../../catalog/accounts/api-keys.ts';
import { notFoundError } from '../../../errors/api-error.ts';
import { serveMemberOperation } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';

/** `GET /manage/api-keys/:id/secret`. */
export function serveRevealApiKey(app: FastifyInstance, { db, secrets }: Dependencies): void {
  serveMemberOperation(app, db, dashboardOperations.revealApiKey, async ({ workspaceId, params }) => {
    const key = await revealApiKey(db, secrets, workspaceId, params.id);
    if (key === undefined) throw notFoundError('active API key');
    return { data: { id: params.id, key } };
  });
}
