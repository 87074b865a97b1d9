import type { FastifyInstance } from 'fastify';
import { basePath } from '../../../../contract/base-path.ts';
import { operations } from '../../../../contract/operations.ts';
import { alreadyExistsError, countLimitError } from '../../../api-error.ts';
import { createSavedSearch } from '../../../catalog/saved-searches.ts';
import type { Dependencies } from '../../dependencies.ts';
import { serveOperation } from '../../operations/serve-operation.ts';
import { requireQuery, toSavedSearch } from './saved-search.ts';

/** `POST /saved-searches`. */
export function serveCreateSavedSearch(app: FastifyInstance, { db }: Dependencies): void {
  serveOperation(app, operations.createSavedSearch, async ({ workspaceId, body, reply }) => {
    if (body.notify) requireQuery(body);
    const row = await createSavedSearch(db, workspaceId, body);
    if (row === 'taken') throw alreadyExistsError('saved search', body.name);
    if (row === 'full') throw countLimitError('saved_searches');
    if (row === 'too many notify') throw countLimitError('saved_searches_that_notify');
    void reply.header('Location', `${basePath}/saved-searches/${row.id}`);
    return { data: toSavedSearch(row) };
  });
}
