import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { changeWebhook, findListedWebhook, revealWebhookSecrets } from '../../../catalog/events/webhooks.ts';
import { notFoundError } from '../../../errors/api-error.ts';
import { serveMemberOperation } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';
import { checkWebhookUrl, lostSecretError, requireWebhook, toWebhook } from './webhook.ts';

/** `PATCH /manage/webhooks/:id`. */
export function serveUpdateWebhook(app: FastifyInstance, { db, secrets, outbound }: Dependencies): void {
  serveMemberOperation(app, db, dashboardOperations.updateWebhook, async ({ workspaceId, params, body, member }) => {
    const before = await requireWebhook(db, workspaceId, params.id);
    if (body.url !== undefined) await checkWebhookUrl(body.url, outbound);
    if (body.enabled === true && !revealWebhookSecrets(secrets, before)) throw lostSecretError();
    await changeWebhook(db, workspaceId, params.id, body, member.person.id);
    const row = await findListedWebhook(db, workspaceId, params.id);
    if (!row) throw notFoundError('webhook');
    return { data: toWebhook(row) };
  });
}
