import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { deleteGroup } from '../../../catalog/labels/item-groups.ts';
import { notFoundError } from '../../../errors/api-error.ts';
import type { Dependencies } from '../../dependencies.ts';
import { serveOperation } from '../../operations/serve-operation.ts';

/** `DELETE /tags/:id`. */
export function serveDeleteTag(app: FastifyInstance, { db }: Dependencies): void {
  serveOperation(app, operations.deleteTag, async ({ workspaceId, params }) => {
    if (!(await deleteGroup(db, 'tags', workspaceId, params.id))) throw notFoundError('tag');
    return { data: { id: params.id, deleted: true as const } };
  });
}
