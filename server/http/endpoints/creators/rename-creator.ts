import type { FastifyInstance } from 'fastify';
import { dashboardOperations } from '../../../../contract/dashboard-operations.ts';
import { updateLabel } from '../../../catalog/labels/labels.ts';
import { alreadyExistsError, notFoundError } from '../../../errors/api-error.ts';
import { serveMemberOperation } from '../../auth/session-auth.ts';
import type { Dependencies } from '../../dependencies.ts';
import { toCreator } from './creator.ts';

/** `PATCH /manage/creators/:id`. */
export function serveRenameCreator(app: FastifyInstance, { db }: Dependencies): void {
  serveMemberOperation(app, db, dashboardOperations.renameCreator, async ({ workspaceId, params, body }) => {
    const row = await updateLabel(db, 'creators', workspaceId, params.id, body);
    if (!row) throw notFoundError('creator');
    if (row === 'taken') throw alreadyExistsError('creator', body.name);
    return { data: toCreator(row) };
  });
}
