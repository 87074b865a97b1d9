import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { deliverAgain } from '../../../catalog/events/webhook-deliveries.ts';
import { serveMemberOperation } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';
import { requireEnabledWebhook } from './webhook.ts';

/** `POST /manage/webhooks/:id/redeliver`. */
export function serveRedeliver(app: FastifyInstance, { db, notices }: Dependencies): void {
  serveMemberOperation(app, db, dashboardOperations.redeliver, async ({ workspaceId, params, body }) => {
    const webhook = await requireEnabledWebhook(db, workspaceId, params.id);
    const redelivered = await deliverAgain(db, webhook, body);
    await notices.publish(db, 'events', workspaceId);
    return { data: { redelivered } };
  });
}
