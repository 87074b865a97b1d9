import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { findSavedSearch } from '../../../catalog/searches/saved-searches.ts';
import { notFoundError } from '../../../errors/api-error.ts';
import type { Dependencies } from '../../dependencies.ts';
import { serveOperation } from '../../operations/serve-operation.ts';
import { toSavedSearch } from './saved-search.ts';

/** `GET /saved-searches/:id`. */
export function serveGetSavedSearch(app: FastifyInstance, { db }: Dependencies): void {
  serveOperation(app, operations.getSavedSearch, async ({ workspaceId, params }) => {
    const row = await findSavedSearch(db, workspaceId, params.id);
    if (!row) throw notFoundError('saved search');
    return { data: toSavedSearch(row) };
  });
}
