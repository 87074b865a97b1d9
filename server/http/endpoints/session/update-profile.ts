import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { updatePerson } from '../../../catalog/accounts/people.ts';
import { ApiError } from '../../../errors/api-error.ts';
import { serveMemberOperation } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';
import { checkCurrentPassword } from './check-current-password.ts';
import { describeSessionByToken } from './describe-session.ts';

/** `PATCH /auth/profile`. */
export function serveUpdateProfile(app: FastifyInstance, dependencies: Dependencies): void {
  const { db } = dependencies;
  serveMemberOperation(app, db, dashboardOperations.updateProfile, async (input) => {
    const { body, member, workspaceId } = input;
    const { current_password, ...changes } = body;
    const { id: personId, email } = member.person;
    if (changes.email !== undefined && changes.email !== email) {
      await checkCurrentPassword(dependencies, input, current_password);
    }
    if (!(await updatePerson(db, { workspaceId, personId }, changes, member.token))) {
      throw new ApiError('already_exists', 'Somebody signs in with this e-mail address already.');
    }
    return { data: await describeSessionByToken(dependencies, member.token) };
  });
}
