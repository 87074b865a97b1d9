import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { changeRole } from '../../../catalog/accounts/members.ts';
import { ApiError, notFoundError } from '../../../errors/api-error.ts';
import { serveMemberOperation } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';

/** The refusal to leave a workspace without an owner. */
export const lastOwnerError = (): ApiError =>
  new ApiError('last_owner', 'The workspace needs an owner: make somebody else one first.');

/** `PATCH /manage/members/:id`. */
export function serveChangeRole(app: FastifyInstance, { db }: Dependencies): void {
  serveMemberOperation(app, db, dashboardOperations.changeRole, async ({ workspaceId, params, body }) => {
    const changed = await changeRole(db, workspaceId, params.id, body.role);
    if (!changed) throw notFoundError('member');
    if (changed === 'last owner') throw lastOwnerError();
    return { data: changed };
  });
}
