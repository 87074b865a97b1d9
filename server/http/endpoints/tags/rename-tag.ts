import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { renameGroup } from '../../../catalog/labels/item-groups.ts';
import { alreadyExistsError, notFoundError } from '../../../errors/api-error.ts';
import type { Dependencies } from '../../dependencies.ts';
import { serveOperation } from '../../operations/serve-operation.ts';
import { toTag } from './tag.ts';

/** `PATCH /tags/:id`. */
export function serveRenameTag(app: FastifyInstance, { db }: Dependencies): void {
  serveOperation(app, operations.renameTag, async ({ workspaceId, params, body }) => {
    const row = await renameGroup(db, 'tags', workspaceId, params.id, body.name);
    if (!row) throw notFoundError('tag');
    if (row === 'taken') throw alreadyExistsError('tag', body.name);
    return { data: toTag(row) };
  });
}
