import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { addTestDelivery } from '../../../catalog/events/webhook-deliveries.ts';
import { ApiError } from '../../../errors/api-error.ts';
import { serveMemberOperation } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';
import { requireEnabledWebhook, toDelivery } from './webhook.ts';

/** `POST /manage/webhooks/:id/test`. */
export function serveTestWebhook(app: FastifyInstance, { db, notices }: Dependencies): void {
  serveMemberOperation(app, db, dashboardOperations.testWebhook, async ({ workspaceId, params }) => {
    const webhook = await requireEnabledWebhook(db, workspaceId, params.id);
    const row = await addTestDelivery(db, webhook);
    if (row === 'full') throw new ApiError('not_ready', 'Too many deliveries wait: no event is added to them.');
    await notices.publish(db, 'events', workspaceId);
    return { data: toDelivery(row) };
  });
}
