import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { countWaiting, listWebhooks } from '../../../catalog/webhooks.ts';
import { serveMemberOperation } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';
import { toWebhook } from './webhook.ts';

/** `GET /manage/webhooks`. */
export function serveListWebhooks(app: FastifyInstance, { db }: Dependencies): void {
  serveMemberOperation(app, db, dashboardOperations.listWebhooks, async ({ workspaceId }) => {
    const rows = await listWebhooks(db, workspaceId);
    const waiting = await countWaiting(db, workspaceId);
    return { data: rows.map((row) => toWebhook(row, waiting.get(row.id) ?? 0)) };
  });
}
