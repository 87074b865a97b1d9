import type { FastifyInstance } from 'fastify';
import { basePath } from '../../../../contract/base-path.ts';
import { operations } from '../../../../contract/operations.ts';
import { alreadyExistsError, countLimitError } from '../../../api-error.ts';
import { createGroup } from '../../../catalog/item-groups.ts';
import type { Dependencies } from '../../dependencies.ts';
import { serveOperation } from '../../operations/serve-operation.ts';
import { toCollection } from './collection.ts';

/** `POST /collections`. */
export function serveCreateCollection(app: FastifyInstance, dependencies: Dependencies): void {
  serveOperation(app, operations.createCollection, async ({ workspaceId, body, request, reply }) => {
    const row = await createGroup(dependencies.db, 'collections', workspaceId, body.name);
    if (row === 'taken') throw alreadyExistsError('collection', body.name);
    if (row === 'full') throw countLimitError('collections');
    void reply.header('Location', `${basePath}/collections/${row.id}`);
    return { data: await toCollection(dependencies, request, row) };
  });
}
