import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { listMembers } from '../../../catalog/accounts/members.ts';
import { serveMemberOperation } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';

/** `GET /manage/members`. */
export function serveListMembers(app: FastifyInstance, { db }: Dependencies): void {
  serveMemberOperation(app, db, dashboardOperations.listMembers, async ({ workspaceId }) => ({
    data: await listMembers(db, workspaceId),
  }));
}
