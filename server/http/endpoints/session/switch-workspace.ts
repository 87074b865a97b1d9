import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { switchWorkspace } from '../../../catalog/accounts/sessions.ts';
import { notFoundError } from '../../../errors/api-error.ts';
import { serveMemberOperation } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';
import { describeSessionByToken } from './describe-session.ts';

/** `POST /auth/workspace`. */
export function serveSwitchWorkspace(app: FastifyInstance, dependencies: Dependencies): void {
  const { db } = dependencies;
  serveMemberOperation(app, db, dashboardOperations.switchWorkspace, async ({ body, member }) => {
    const { token, person } = member;
    if (!(await switchWorkspace(db, token, person.id, body.workspace_id))) throw notFoundError('workspace');
    return { data: await describeSessionByToken(dependencies, token) };
  });
}
