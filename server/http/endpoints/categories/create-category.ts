import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { createLabel } from '../../../catalog/labels/labels.ts';
import { alreadyExistsError } from '../../../errors/api-error.ts';
import { serveMemberOperation } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';
import { toCategory } from './category.ts';

/** `POST /manage/categories`. */
export function serveCreateCategory(app: FastifyInstance, { db }: Dependencies): void {
  serveMemberOperation(app, db, dashboardOperations.createCategory, async ({ workspaceId, body }) => {
    const row = await createLabel(db, 'categories', workspaceId, body);
    if (!row) throw alreadyExistsError('category', body.name);
    return { data: toCategory(row) };
  });
}
