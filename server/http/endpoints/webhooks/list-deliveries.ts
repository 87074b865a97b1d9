import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { listDeliveries } from '../../../catalog/events/webhook-deliveries.ts';
import { serveMemberOperation } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';
import { toPageMeta } from '../../operations/pagination.ts';
import { requireWebhook, toDelivery } from './webhook.ts';

/** `GET /manage/webhooks/:id/deliveries`. */
export function serveListDeliveries(app: FastifyInstance, { db }: Dependencies): void {
  serveMemberOperation(app, db, dashboardOperations.listDeliveries, async ({ workspaceId, params, query }) => {
    const webhook = await requireWebhook(db, workspaceId, params.id);
    const { rows, total } = await listDeliveries(db, webhook, query);
    return { data: rows.map(toDelivery), meta: toPageMeta(query, total) };
  });
}
