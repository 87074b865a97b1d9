import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { mergeTag } from '../../../catalog/labels/item-groups.ts';
import { notFoundError, validationError } from '../../../errors/api-error.ts';
import type { Dependencies } from '../../dependencies.ts';
import { serveOperation } from '../../operations/serve-operation.ts';
import { toTag } from './tag.ts';

/** `POST /tags/:id/merge`. */
export function serveMergeTag(app: FastifyInstance, { db }: Dependencies): void {
  serveOperation(app, operations.mergeTag, async ({ workspaceId, params, body }) => {
    const { from, into } = await mergeTag(db, workspaceId, params.id, body.into);
    if (!from) throw notFoundError('tag');
    if (!into) throw validationError([{ path: 'body.into', message: 'names no other tag of this workspace' }]);
    return { data: toTag(into) };
  });
}
