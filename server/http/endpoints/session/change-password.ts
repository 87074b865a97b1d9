import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { ApiError } from '../../../api-error.ts';
import { setPasswordHash } from '../../../catalog/people.ts';
import { signOutElsewhere } from '../../../catalog/sessions.ts';
import { hashPassword, verifyPassword } from '../../../crypto/passwords.ts';
import { serveMemberOperation } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';
import { describeSessionByToken } from './describe-session.ts';

/** `POST /auth/password`. */
export function serveChangePassword(app: FastifyInstance, dependencies: Dependencies): void {
  const { db, signInLimits } = dependencies;
  serveMemberOperation(app, db, dashboardOperations.changePassword, async ({ body, member, request, workspaceId }) => {
    const { id, password_hash } = member.person;
    if (password_hash !== null) {
      const isCorrect = await signInLimits.passwords.guard(request.ip, id, async () =>
        (await verifyPassword(body.current_password ?? '', password_hash)) ? true : undefined,
      );
      if (!isCorrect) throw new ApiError('forbidden', 'The current password is wrong.');
    }
    await setPasswordHash(db, { workspaceId, personId: id }, await hashPassword(body.new_password));
    await signOutElsewhere(db, id, member.token);
    return { data: await describeSessionByToken(dependencies, member.token) };
  });
}
