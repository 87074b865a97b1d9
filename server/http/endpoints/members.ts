import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../contract/dashboard-operations.ts';
import {
  createInvitation,
  deleteInvitation,
  type InvitationRow,
  listInvitations,
} from '../../catalog/accounts/invitations.ts';
import { changeRole, listMembers, removeMember } from '../../catalog/accounts/members.ts';
import { ApiError, notFoundError } from '../../errors/api-error.ts';
import { ownersOnlyError, serveMemberOperation } from '../auth/session-auth.ts';
import type { Dependencies } from '../dependencies.ts';
import { getBaseUrl } from '../protocol/requests.ts';

/** The refusal to leave a workspace without an owner. */
const lastOwnerError = (): ApiError =>
  new ApiError('last_owner', 'The workspace needs an owner: make another member one first.');

/** An open invitation as the dashboard shows it: without its token. */
const toInvitation = ({ id, role, invited_by, created_at, expires_at }: InvitationRow) => ({
  id,
  role,
  invited_by,
  created_at,
  expires_at,
});

/** The operations on members and invitations. */
export function serveMembers(
  app: FastifyInstance,
  { db, pubsub, publicUrl, secrets }: Pick<Dependencies, 'db' | 'pubsub' | 'publicUrl' | 'secrets'>,
): void {
  serveMemberOperation(app, db, dashboardOperations.changeRole, async ({ workspaceId, params, body }) => {
    const changed = await changeRole(db, workspaceId, params.id, body.role);
    if (!changed) throw notFoundError('member');
    if (changed === 'last owner') throw lastOwnerError();
    return { data: changed };
  });

  serveMemberOperation(
    app,
    db,
    dashboardOperations.createInvitation,
    async ({ workspaceId, body, member, request }) => {
      const created = await createInvitation(db, workspaceId, member.person.id, body.role);
      // Demoted or removed since this request began.
      if (!created) throw ownersOnlyError();
      const { invitation, token } = created;
      const url = `${getBaseUrl(request, publicUrl)}/join?token=${token}`;
      return { data: { ...toInvitation(invitation), url } };
    },
  );

  serveMemberOperation(app, db, dashboardOperations.listInvitations, async ({ workspaceId }) => ({
    data: (await listInvitations(db, workspaceId)).map(toInvitation),
  }));

  serveMemberOperation(app, db, dashboardOperations.listMembers, async ({ workspaceId }) => ({
    data: await listMembers(db, workspaceId),
  }));

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
    if (revocation) await pubsub.publish(db, 'workspace', workspaceId);
    return { data: { id: params.id, deleted: true as const, revoked: outcome } };
  });

  serveMemberOperation(app, db, dashboardOperations.revokeInvitation, async ({ workspaceId, params }) => {
    if (!(await deleteInvitation(db, workspaceId, params.id))) throw notFoundError('invitation');
    return { data: { id: params.id, deleted: true as const } };
  });
}
