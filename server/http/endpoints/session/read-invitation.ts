import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { findInvitation } from '../../../catalog/accounts/invitations.ts';
import { ApiError } from '../../../errors/api-error.ts';
import type { Dependencies } from '../../dependencies.ts';
import { serveOperation } from '../../operations/serve-operation.ts';

/** The refusal of an invitation link that does not work. */
export const invitationNotFoundError = (): ApiError =>
  new ApiError('not_found', 'This invitation was used already, withdrawn, or has expired.');

/** `POST /auth/invitation`. */
export function serveReadInvitation(app: FastifyInstance, { db, signInLimits }: Dependencies): void {
  serveOperation(app, dashboardOperations.readInvitation, async ({ body, request }) => {
    const invitation = await signInLimits.links.look(request.ip, () => findInvitation(db, body.token));
    if (!invitation) throw invitationNotFoundError();
    const { workspace_name, role, invited_by, expires_at } = invitation;
    return { data: { workspace: { name: workspace_name }, role, invited_by, expires_at } };
  });
}
