import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { deleteLabel } from '../../../catalog/labels/labels.ts';
import { notFoundError } from '../../../errors/api-error.ts';
import { serveMemberOperation } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';

/** `DELETE /manage/creators/:id`. */
export function serveDeleteCreator(app: FastifyInstance, { db }: Dependencies): void {
  serveMemberOperation(app, db, dashboardOperations.deleteCreator, async ({ workspaceId, params }) => {
    if (!(await deleteLabel(db, 'creators', workspaceId, params.id))) throw notFoundError('creator');
    return { data: { id: params.id, deleted: true as const } };
  });
}
