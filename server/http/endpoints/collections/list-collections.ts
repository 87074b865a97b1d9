import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { listGroups } from '../../../catalog/labels/item-groups.ts';
import type { Dependencies } from '../../dependencies.ts';
import { toPageMeta } from '../../operations/pagination.ts';
import { serveOperation } from '../../operations/serve-operation.ts';
import { toCollections } from './collection.ts';

/** `GET /collections`. */
export function serveListCollections(app: FastifyInstance, dependencies: Dependencies): void {
  serveOperation(app, operations.listCollections, async ({ workspaceId, query, request }) => {
    const { rows, total } = await listGroups(dependencies.db, 'collections', workspaceId, query);
    return { data: await toCollections(dependencies, request, rows), meta: toPageMeta(query, total) };
  });
}
