import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { ApiError, notFoundError } from '../../../api-error.ts';
import { removeMember } from '../../../catalog/members.ts';
import { serveMemberOperation } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';
import { lastOwnerError } from './change-role.ts';

/** `DELETE /manage/members/:id`. */
export function serveRemoveMember(app: FastifyInstance, { db }: Dependencies): void {
  serveMemberOperation(app, db, dashboardOperations.removeMember, async ({ workspaceId, params, member }) => {
    if (member.workspace.role !== 'owner' && params.id !== member.person.id) {
      throw new ApiError('forbidden', 'Only owners can remove others from the workspace.');
    }
    const outcome = await removeMember(db, workspaceId, params.id);
    if (outcome === 'no member') throw notFoundError('member');
    if (outcome === 'last owner') throw lastOwnerError();
    return { data: { id: params.id, deleted: true as const } };
  });
}
