import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { setPasswordHash } from '../../../catalog/accounts/people.ts';
import { serveMemberOperation } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';
import { checkCurrentPassword } from './check-current-password.ts';
import { describeSessionByToken } from './describe-session.ts';
import { passwordsWithoutSlot } from './passwords-without-slot.ts';

/** `POST /auth/password`. */
export function serveChangePassword(app: FastifyInstance, dependencies: Dependencies): void {
  const { db } = dependencies;
  serveMemberOperation(app, db, dashboardOperations.changePassword, async (input) => {
    const { body, member, workspaceId } = input;
    await checkCurrentPassword(dependencies, input, body.current_password);
    const hash = await passwordsWithoutSlot(input).hash(body.new_password);
    await setPasswordHash(db, { workspaceId, personId: member.person.id }, hash, member.token);
    return { data: await describeSessionByToken(dependencies, member.token) };
  });
}
