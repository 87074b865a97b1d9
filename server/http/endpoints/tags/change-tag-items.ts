import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { changeMembers } from '../../../catalog/labels/item-groups.ts';
import { notFoundError } from '../../../errors/api-error.ts';
import type { Dependencies } from '../../dependencies.ts';
import { serveOperation } from '../../operations/serve-operation.ts';

/** `POST /tags/:id/items`. */
export function serveChangeTagItems(app: FastifyInstance, { db }: Dependencies): void {
  serveOperation(app, operations.changeTagItems, async ({ workspaceId, params, body }) => {
    const changed = await changeMembers(db, 'tags', workspaceId, params.id, body);
    if (!changed) throw notFoundError('tag');
    return { data: changed };
  });
}
