import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { updateLabel } from '../../../catalog/labels/labels.ts';
import { alreadyExistsError, notFoundError } from '../../../errors/api-error.ts';
import { serveMemberOperation } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';
import { toCategory } from './category.ts';

/** `PATCH /manage/categories/:id`. */
export function serveUpdateCategory(app: FastifyInstance, { db }: Dependencies): void {
  serveMemberOperation(app, db, dashboardOperations.updateCategory, async ({ workspaceId, params, body }) => {
    const row = await updateLabel(db, 'categories', workspaceId, params.id, body);
    if (!row) throw notFoundError('category');
    if (row === 'taken') throw alreadyExistsError('category', body.name ?? '');
    return { data: toCategory(row) };
  });
}
