import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { deleteWebhook } from '../../../catalog/events/webhooks.ts';
import { notFoundError } from '../../../errors/api-error.ts';
import { serveMemberOperation } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';

/** `DELETE /manage/webhooks/:id`. */
export function serveDeleteWebhook(app: FastifyInstance, { db }: Dependencies): void {
  serveMemberOperation(app, db, dashboardOperations.deleteWebhook, async ({ workspaceId, params }) => {
    if (!(await deleteWebhook(db, workspaceId, params.id))) throw notFoundError('webhook');
    return { data: { id: params.id, deleted: true as const } };
  });
}
