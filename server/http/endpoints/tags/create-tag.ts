import type { FastifyInstance } from 'fastify';
import { basePath } from '../../../../contract/base-path.ts';
import { operations } from '../../../../contract/operations.ts';
import { alreadyExistsError, countLimitError } from '../../../api-error.ts';
import { createGroup } from '../../../catalog/item-groups.ts';
import type { Dependencies } from '../../dependencies.ts';
import { serveOperation } from '../../operations/serve-operation.ts';
import { toTag } from './tag.ts';

/** `POST /tags`. */
export function serveCreateTag(app: FastifyInstance, { db }: Dependencies): void {
  serveOperation(app, operations.createTag, async ({ workspaceId, body, reply }) => {
    const row = await createGroup(db, 'tags', workspaceId, body.name);
    if (row === 'taken') throw alreadyExistsError('tag', body.name);
    if (row === 'full') throw countLimitError('tags');
    void reply.header('Location', `${basePath}/tags/${row.id}`);
    return { data: toTag(row) };
  });
}
