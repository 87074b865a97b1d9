import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { deleteGroup } from '../../../catalog/labels/item-groups.ts';
import { notFoundError } from '../../../errors/api-error.ts';
import type { Dependencies } from '../../dependencies.ts';
import { serveOperation } from '../../operations/serve-operation.ts';

/** `DELETE /collections/:id`. */
export function serveDeleteCollection(app: FastifyInstance, { db }: Dependencies): void {
  serveOperation(app, operations.deleteCollection, async ({ workspaceId, params }) => {
    if (!(await deleteGroup(db, 'collections', workspaceId, params.id))) throw notFoundError('collection');
    return { data: { id: params.id, deleted: true as const } };
  });
}
