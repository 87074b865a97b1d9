import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { rotateWebhookSecret } from '../../../catalog/events/webhooks.ts';
import { notFoundError } from '../../../errors/api-error.ts';
import { serveMemberOperation } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';

/** `POST /manage/webhooks/:id/rotate`. */
export function serveRotateWebhookSecret(app: FastifyInstance, { db, secrets }: Dependencies): void {
  serveMemberOperation(app, db, dashboardOperations.rotateWebhookSecret, async ({ workspaceId, params }) => {
    const secret = await rotateWebhookSecret(db, secrets, workspaceId, params.id);
    if (secret === undefined) throw notFoundError('webhook');
    return { data: { id: params.id, secret } };
  });
}
