import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { deleteLabel } from '../../../catalog/labels/labels.ts';
import { notFoundError } from '../../../errors/api-error.ts';
import { serveMemberOperation } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';

/** `DELETE /manage/categories/:id`. */
export function serveDeleteCategory(app: FastifyInstance, { db }: Dependencies): void {
  serveMemberOperation(app, db, dashboardOperations.deleteCategory, async ({ workspaceId, params }) => {
    if (!(await deleteLabel(db, 'categories', workspaceId, params.id))) throw notFoundError('category');
    return { data: { id: params.id, deleted: true as const } };
  });
}
