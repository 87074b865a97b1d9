import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { removeMember } from '../../../catalog/accounts/members.ts';
import { ApiError, notFoundError } from '../../../errors/api-error.ts';
import { serveMemberOperation } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';
import { lastOwnerError } from './change-role.ts';

/** `DELETE /manage/members/:id`. */
export function serveRemoveMember(app: FastifyInstance, { db, secrets, notices }: Dependencies): void {
  serveMemberOperation(app, db, dashboardOperations.removeMember, async ({ workspaceId, params, query, member }) => {
    const isOwner = member.workspace.role === 'owner';
    if (!isOwner && params.id !== member.person.id) {
      throw new ApiError('forbidden', 'Only owners can remove others from the workspace.');
    }
    if (!isOwner && query.revoke) throw new ApiError('forbidden', 'Only owners can revoke API keys and webhooks.');
    const revocation = query.revoke ? { secrets, by: member.person.id } : null;
    const outcome = await removeMember(db, workspaceId, params.id, revocation);
    if (outcome === 'no member') throw notFoundError('member');
    if (outcome === 'last owner') throw lastOwnerError();
    // What their keys have open ends, at every process.
    if (revocation) await notices.publish(db, 'workspace', workspaceId);
    return { data: { id: params.id, deleted: true as const, revoked: outcome } };
  });
}
