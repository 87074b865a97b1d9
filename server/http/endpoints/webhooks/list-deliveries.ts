import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { notFoundError } from '../../../api-error.ts';
import { listDeliveries } from '../../../catalog/webhook-deliveries.ts';
import { findWebhook } from '../../../catalog/webhooks.ts';
import { serveMemberOperation } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';
import { toPageMeta } from '../../operations/pagination.ts';
import { toDelivery } from './webhook.ts';

/** `GET /manage/webhooks/:id/deliveries`. */
export function serveListDeliveries(app: FastifyInstance, { db }: Dependencies): void {
  serveMemberOperation(app, db, dashboardOperations.listDeliveries, async ({ workspaceId, params, query }) => {
    const webhook = await findWebhook(db, workspaceId, params.id);
    if (!webhook) throw notFoundError('webhook');
    const { rows, total } = await listDeliveries(db, webhook, query);
    return { data: rows.map(toDelivery), meta: toPageMeta(query, total) };
  });
}
