import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { alreadyExistsError, notFoundError } from '../../../api-error.ts';
import { renameSavedSearch } from '../../../catalog/saved-searches.ts';
import type { Dependencies } from '../../dependencies.ts';
import { serveOperation } from '../../operations/serve-operation.ts';
import { toSavedSearch } from './saved-search.ts';

/** `PATCH /saved-searches/:id`. */
export function serveRenameSavedSearch(app: FastifyInstance, { db }: Dependencies): void {
  serveOperation(app, operations.renameSavedSearch, async ({ workspaceId, params, body }) => {
    const row = await renameSavedSearch(db, workspaceId, params.id, body.name);
    if (!row) throw notFoundError('saved search');
    if (row === 'taken') throw alreadyExistsError('saved search', body.name);
    return { data: toSavedSearch(row) };
  });
}
