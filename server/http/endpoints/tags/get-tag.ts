import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { findGroup } from '../../../catalog/labels/item-groups.ts';
import { notFoundError } from '../../../errors/api-error.ts';
import type { Dependencies } from '../../dependencies.ts';
import { serveOperation } from '../../operations/serve-operation.ts';
import { toTag } from './tag.ts';

/** `GET /tags/:id`. */
export function serveGetTag(app: FastifyInstance, { db }: Dependencies): void {
  serveOperation(app, operations.getTag, async ({ workspaceId, params }) => {
    const row = await findGroup(db, 'tags', workspaceId, params.id);
    if (!row) throw notFoundError('tag');
    return { data: toTag(row) };
  });
}
