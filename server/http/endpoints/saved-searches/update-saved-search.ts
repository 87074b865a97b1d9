import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { findSavedSearch, updateSavedSearch } from '../../../catalog/searches/saved-searches.ts';
import { alreadyExistsError, countLimitError, notFoundError } from '../../../errors/api-error.ts';
import type { Dependencies } from '../../dependencies.ts';
import { serveOperation } from '../../operations/serve-operation.ts';
import { requireQuery, toSavedSearch } from './saved-search.ts';

/** `PATCH /saved-searches/:id`. */
export function serveUpdateSavedSearch(app: FastifyInstance, { db }: Dependencies): void {
  serveOperation(app, operations.updateSavedSearch, async ({ workspaceId, params, body }) => {
    const before = await findSavedSearch(db, workspaceId, params.id);
    if (!before) throw notFoundError('saved search');
    if (body.notify) requireQuery(toSavedSearch(before));
    const row = await updateSavedSearch(db, workspaceId, params.id, body);
    if (!row) throw notFoundError('saved search');
    if (row === 'taken') throw alreadyExistsError('saved search', body.name ?? '');
    if (row === 'full') throw countLimitError('saved_searches_that_notify');
    return { data: toSavedSearch(row) };
  });
}
