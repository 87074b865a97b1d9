import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { ApiError } from '../../../api-error.ts';
import { updatePerson } from '../../../catalog/people.ts';
import { serveMemberOperation } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';
import { describeSessionByToken } from './describe-session.ts';

/** `PATCH /auth/profile`. */
export function serveUpdateProfile(app: FastifyInstance, dependencies: Dependencies): void {
  const { db } = dependencies;
  serveMemberOperation(app, db, dashboardOperations.updateProfile, async ({ body, member, workspaceId }) => {
    if (!(await updatePerson(db, { workspaceId, personId: member.person.id }, body))) {
      throw new ApiError('already_exists', 'Somebody signs in with this e-mail address already.');
    }
    return { data: await describeSessionByToken(dependencies, member.token) };
  });
}
