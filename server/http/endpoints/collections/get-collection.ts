import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { findGroup } from '../../../catalog/labels/item-groups.ts';
import { notFoundError } from '../../../errors/api-error.ts';
import type { Dependencies } from '../../dependencies.ts';
import { serveOperation } from '../../operations/serve-operation.ts';
import { toCollection } from './collection.ts';

/** `GET /collections/:id`. */
export function serveGetCollection(app: FastifyInstance, dependencies: Dependencies): void {
  serveOperation(app, operations.getCollection, async ({ workspaceId, params, request }) => {
    const row = await findGroup(dependencies.db, 'collections', workspaceId, params.id);
    if (!row) throw notFoundError('collection');
    return { data: await toCollection(dependencies, request, row) };
  });
}
