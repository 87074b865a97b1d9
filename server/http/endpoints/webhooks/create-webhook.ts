import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { createWebhook } from '../../../catalog/events/webhooks.ts';
import { countLimitError } from '../../../errors/api-error.ts';
import { serveMemberOperation } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';
import { checkWebhookUrl, toWebhook } from './webhook.ts';

/** `POST /manage/webhooks`. */
export function serveCreateWebhook(app: FastifyInstance, { db, secrets, outbound }: Dependencies): void {
  serveMemberOperation(app, db, dashboardOperations.createWebhook, async ({ workspaceId, body, member }) => {
    await checkWebhookUrl(body.url, outbound);
    const created = await createWebhook(db, secrets, workspaceId, body, member.person.id);
    if (created === 'full') throw countLimitError('webhooks');
    return {
      data: { ...toWebhook({ ...created.row, person: member.person.name, waiting: 0 }), secret: created.secret },
    };
  });
}
