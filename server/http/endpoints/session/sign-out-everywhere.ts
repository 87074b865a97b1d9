import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { signOutEverywhere } from '../../../catalog/accounts/sessions.ts';
import { serveMemberOperation, sessionCookie } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';

/** `POST /auth/sign-out-everywhere`. */
export function serveSignOutEverywhere(app: FastifyInstance, { db }: Dependencies): void {
  serveMemberOperation(app, db, dashboardOperations.signOutEverywhere, async ({ member, reply }) => {
    await signOutEverywhere(db, member.person.id);
    void reply.clearCookie(sessionCookie, { path: '/' });
    return { data: { signed_out: true as const } };
  });
}
