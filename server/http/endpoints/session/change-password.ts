import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { ApiError } from '../../../api-error.ts';
import { setPasswordHash } from '../../../catalog/people.ts';
import { signOutElsewhere } from '../../../catalog/sessions.ts';
import { hashPassword, verifyPassword } from '../../../crypto/passwords.ts';
import { serveMemberOperation } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';
import { withoutSlot } from '../../limits/concurrency-limit.ts';
import { networkOf } from '../../protocol/networks.ts';
import { describeSessionByToken } from './describe-session.ts';

/** `POST /auth/password`. */
export function serveChangePassword(app: FastifyInstance, dependencies: Dependencies): void {
  const { db, signInLimits } = dependencies;
  serveMemberOperation(
    app,
    db,
    dashboardOperations.changePassword,
    async ({ body, member, request, signal, workspaceId }) => {
      const { id, password_hash } = member.person;
      const asker = { network: networkOf(request.ip), signal };
      if (password_hash !== null) {
        const isCorrect = await signInLimits.passwords.guard({ ip: request.ip, account: id }, async () =>
          (await withoutSlot(request, () => verifyPassword(body.current_password ?? '', password_hash, asker)))
            ? true
            : undefined,
        );
        if (!isCorrect) throw new ApiError('forbidden', 'The current password is wrong.');
      }
      await setPasswordHash(
        db,
        { workspaceId, personId: id },
        await withoutSlot(request, () => hashPassword(body.new_password, asker)),
      );
      await signOutElsewhere(db, id, member.token);
      return { data: await describeSessionByToken(dependencies, member.token) };
    },
  );
}
