import type { FastifyInstance } from 'fastify';
import { operations } from '../../../../contract/operations.ts';
import { createSavedSearch } from '../../../catalog/searches/saved-searches.ts';
import { alreadyExistsError, countLimitError } from '../../../errors/api-error.ts';
import type { Dependencies } from '../../dependencies.ts';
import { createOnce } from '../../operations/idempotency.ts';
import { serveOperation } from '../../operations/serve-operation.ts';
import { requireQuery, toSavedSearch } from './saved-search.ts';

const operation = operations.createSavedSearch;

/** `POST /saved-searches`. */
export function serveCreateSavedSearch(app: FastifyInstance, dependencies: Dependencies): void {
  serveOperation(app, operation, (input) =>
    createOnce(dependencies, operation, input, async (transaction) => {
      const { body, workspaceId } = input;
      if (body.notify) requireQuery(body);
      const row = await createSavedSearch(transaction, workspaceId, body);
      if (row === 'taken') throw alreadyExistsError('saved search', body.name);
      if (row === 'full') throw countLimitError('saved_searches');
      if (row === 'too many notify') throw countLimitError('saved_searches_that_notify');
      return toSavedSearch(row);
    }),
  );
}
