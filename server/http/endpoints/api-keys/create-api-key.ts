import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { issueApiKey } from '../../../catalog/accounts/api-keys.ts';
import { serveMemberOperation } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';

/** `POST /manage/api-keys`. */
export function serveCreateApiKey(app: FastifyInstance, { db, secrets }: Dependencies): void {
  serveMemberOperation(app, db, dashboardOperations.createApiKey, async ({ workspaceId, body, member }) => ({
    data: await issueApiKey(db, secrets, workspaceId, body.name ?? null, member.person.id),
  }));
}
