import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { notFoundError } from '../../../api-error.ts';
import { deliverAgain } from '../../../catalog/webhook-deliveries.ts';
import { findWebhook } from '../../../catalog/webhooks.ts';
import { serveMemberOperation } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';
import { requireEnabled } from './webhook.ts';

/** `POST /manage/webhooks/:id/redeliver`. */
export function serveRedeliver(app: FastifyInstance, { db, notices }: Dependencies): void {
  serveMemberOperation(app, db, dashboardOperations.redeliver, async ({ workspaceId, params, body }) => {
    const webhook = await findWebhook(db, workspaceId, params.id);
    if (!webhook) throw notFoundError('webhook');
    requireEnabled(webhook);
    const redelivered = await deliverAgain(db, webhook, body);
    await notices.publish(db, 'events', workspaceId);
    return { data: { redelivered } };
  });
}
