import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { listInvitations } from '../../../catalog/accounts/invitations.ts';
import { serveMemberOperation } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';
import { toInvitation } from './invitation.ts';

/** `GET /manage/invitations`. */
export function serveListInvitations(app: FastifyInstance, { db }: Dependencies): void {
  serveMemberOperation(app, db, dashboardOperations.listInvitations, async ({ workspaceId }) => ({
    data: (await listInvitations(db, workspaceId)).map(toInvitation),
  }));
}
