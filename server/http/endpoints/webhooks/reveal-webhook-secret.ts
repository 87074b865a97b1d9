import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { revealWebhookSecrets } from '../../../catalog/events/webhooks.ts';
import { serveMemberOperation } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';
import { lostSecretError, requireWebhook } from './webhook.ts';

/** `GET /manage/webhooks/:id/secret`. */
export function serveRevealWebhookSecret(app: FastifyInstance, { db, secrets }: Dependencies): void {
  serveMemberOperation(app, db, dashboardOperations.revealWebhookSecret, async ({ workspaceId, params }) => {
    const row = await requireWebhook(db, workspaceId, params.id);
    const revealed = revealWebhookSecrets(secrets, row);
    if (!revealed) throw lostSecretError();
    return { data: { id: row.id, secret: revealed[0] } };
  });
}
