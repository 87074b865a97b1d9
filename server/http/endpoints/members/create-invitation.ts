import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { createInvitation } from '../../../catalog/accounts/invitations.ts';
import { ownersOnlyError, serveMemberOperation } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';
import { getBaseUrl } from '../../protocol/base-url.ts';
import { toInvitation } from './invitation.ts';

/** `POST /manage/invitations`. */
export function serveCreateInvitation(app: FastifyInstance, { db, publicUrl }: Dependencies): void {
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
}
