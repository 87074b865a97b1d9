import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { setPasswordHash } from '../../../catalog/people.ts';
import { hashPassword } from '../../../crypto/passwords.ts';
import { serveMemberOperation } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';
import { withoutSlot } from '../../limits/concurrency-limit.ts';
import { networkOf } from '../../protocol/networks.ts';
import { checkCurrentPassword } from './check-current-password.ts';
import { describeSessionByToken } from './describe-session.ts';

/** `POST /auth/password`. */
export function serveChangePassword(app: FastifyInstance, dependencies: Dependencies): void {
  const { db } = dependencies;
  serveMemberOperation(app, db, dashboardOperations.changePassword, async (input) => {
    const { body, member, request, signal, workspaceId } = input;
    await checkCurrentPassword(dependencies, input, body.current_password);
    const asker = { network: networkOf(request.ip), signal };
    const hash = await withoutSlot(request, () => hashPassword(body.new_password, asker));
    await setPasswordHash(db, { workspaceId, personId: member.person.id }, hash, member.token);
    return { data: await describeSessionByToken(dependencies, member.token) };
  });
}
