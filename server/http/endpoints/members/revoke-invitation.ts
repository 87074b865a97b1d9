import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { deleteInvitation } from '../../../catalog/accounts/invitations.ts';
import { notFoundError } from '../../../errors/api-error.ts';
import { serveMemberOperation } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';

/** `DELETE /manage/invitations/:id`. */
export function serveRevokeInvitation(app: FastifyInstance, { db }: Dependencies): void {
  serveMemberOperation(app, db, dashboardOperations.revokeInvitation, async ({ workspaceId, params }) => {
    if (!(await deleteInvitation(db, workspaceId, params.id))) throw notFoundError('invitation');
    return { data: { id: params.id, deleted: true as const } };
  });
}
