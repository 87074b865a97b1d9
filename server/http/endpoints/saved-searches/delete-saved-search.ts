import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { deleteSavedSearch } from '../../../catalog/searches/saved-searches.ts';
import { notFoundError } from '../../../errors/api-error.ts';
import type { Dependencies } from '../../dependencies.ts';
import { serveOperation } from '../../operations/serve-operation.ts';

/** `DELETE /saved-searches/:id`. */
export function serveDeleteSavedSearch(app: FastifyInstance, { db }: Dependencies): void {
  serveOperation(app, operations.deleteSavedSearch, async ({ workspaceId, params }) => {
    if (!(await deleteSavedSearch(db, workspaceId, params.id))) throw notFoundError('saved search');
    return { data: { id: params.id, deleted: true as const } };
  });
}
