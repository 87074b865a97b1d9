import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { signOut } from '../../../catalog/accounts/sessions.ts';
import { sessionCookie } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';
import { serveOperation } from '../../operations/serve-operation.ts';

/** `POST /auth/sign-out`. */
export function serveSignOut(app: FastifyInstance, { db }: Dependencies): void {
  serveOperation(app, dashboardOperations.signOut, async ({ request, reply }) => {
    const token = request.cookies[sessionCookie];
    if (token !== undefined) await signOut(db, token);
    void reply.clearCookie(sessionCookie, { path: '/' });
    return { data: { signed_out: true as const } };
  });
}
