import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { renameWorkspace } from '../../../catalog/accounts/workspaces.ts';
import { serveMemberOperation } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';
import { describeSessionByToken } from '../session/describe-session.ts';

/** `PATCH /manage/workspace`. */
export function serveRenameWorkspace(app: FastifyInstance, dependencies: Dependencies): void {
  const { db } = dependencies;
  serveMemberOperation(app, db, dashboardOperations.renameWorkspace, async ({ workspaceId, body, member }) => {
    await renameWorkspace(db, workspaceId, body.name);
    return { data: await describeSessionByToken(dependencies, member.token) };
  });
}
