import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { rotateApiKey } from '../../../catalog/accounts/api-keys.ts';
import { notFoundError } from '../../../errors/api-error.ts';
import { serveMemberOperation } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';

/** `POST /manage/api-keys/:id/rotate`. */
export function serveRotateApiKey(app: FastifyInstance, { db, secrets, notices }: Dependencies): void {
  serveMemberOperation(app, db, dashboardOperations.rotateApiKey, async ({ workspaceId, params, body, member }) => {
    const issued = await rotateApiKey(db, secrets, workspaceId, params.id, body.grace_hours, member.person.id);
    if (!issued) throw notFoundError('active API key');
    // What it has open ends, at every process.
    await notices.publish(db, 'workspace', workspaceId);
    return { data: issued };
  });
}
