import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { findSignedInMember } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';
import { serveOperation } from '../../operations/serve-operation.ts';
import { describeSession } from './describe-session.ts';

/** `GET /auth/session`. */
export function serveGetSession(app: FastifyInstance, dependencies: Dependencies): void {
  const { db } = dependencies;
  serveOperation(app, dashboardOperations.getSession, async ({ request }) => {
    const member = await findSignedInMember(db, request);
    // Null is a normal response: the dashboard asks at each start.
    return { data: member ? await describeSession(dependencies, member) : null };
  });
}
