import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { listWebhooks } from '../../../catalog/events/webhooks.ts';
import { serveMemberOperation } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';
import { toWebhook } from './webhook.ts';

/** `GET /manage/webhooks`. */
export function serveListWebhooks(app: FastifyInstance, { db }: Dependencies): void {
  serveMemberOperation(app, db, dashboardOperations.listWebhooks, async ({ workspaceId }) => ({
    data: (await listWebhooks(db, workspaceId)).map(toWebhook),
  }));
}
