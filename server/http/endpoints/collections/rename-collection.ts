import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { renameGroup } from '../../../catalog/labels/item-groups.ts';
import { alreadyExistsError, notFoundError } from '../../../errors/api-error.ts';
import type { Dependencies } from '../../dependencies.ts';
import { serveOperation } from '../../operations/serve-operation.ts';
import { toCollection } from './collection.ts';

/** `PATCH /collections/:id`. */
export function serveRenameCollection(app: FastifyInstance, dependencies: Dependencies): void {
  serveOperation(app, operations.renameCollection, async ({ workspaceId, params, body, request }) => {
    const row = await renameGroup(dependencies.db, 'collections', workspaceId, params.id, body.name);
    if (!row) throw notFoundError('collection');
    if (row === 'taken') throw alreadyExistsError('collection', body.name);
    return { data: await toCollection(dependencies, request, row) };
  });
}
