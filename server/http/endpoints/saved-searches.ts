import type { FastifyInstance } from 'fastify';
import { operations } from '../../../contract/operations.ts';
import type { SavedSearch } from '../../../contract/saved-searches.ts';
import {
  createSavedSearch,
  deleteSavedSearch,
  findSavedSearch,
  listSavedSearches,
  type SavedSearchRow,
  updateSavedSearch,
} from '../../catalog/searches/saved-searches.ts';
import { alreadyExistsError, countLimitError, notFoundError, validationError } from '../../errors/api-error.ts';
import { readSavedQuery } from '../../messaging/saved-matches/saved-query.ts';
import type { Dependencies } from '../dependencies.ts';
import { createOnce } from '../operations/idempotency.ts';
import { serveDeletion, serveNamed } from '../operations/serve-named.ts';
import { serveOperation } from '../operations/serve-operation.ts';

/** A saved search as the API shows it. */
const toSavedSearch = ({
  id,
  name,
  page,
  query,
  notify_since,
  new_matches,
  created_at,
}: SavedSearchRow): SavedSearch => ({
  id,
  name,
  page,
  parameters: JSON.parse(query) as SavedSearch['parameters'],
  notify: notify_since !== null,
  new_matches,
  created_at,
});

/** Throws `validation_error` for a saved search that new items cannot be compared with. */
function requireQuery(saved: Pick<SavedSearch, 'page' | 'parameters'>): void {
  if (readSavedQuery(saved)) return;
  throw validationError([
    { path: 'body.notify', message: 'needs a search of page `search` with a valid `q` or `media_id`' },
  ]);
}

/** The operations on saved searches. */
export function serveSavedSearches(app: FastifyInstance, dependencies: Dependencies): void {
  const { db } = dependencies;
  serveNamed(
    app,
    { list: operations.listSavedSearches, get: operations.getSavedSearch },
    {
      noun: 'saved search',
      list: (workspaceId, query) => listSavedSearches(db, workspaceId, query),
      find: (workspaceId, id) => findSavedSearch(db, workspaceId, id),
      show: (rows) => rows.map(toSavedSearch),
    },
  );

  serveDeletion(app, operations.deleteSavedSearch, 'saved search', (workspaceId, id) =>
    deleteSavedSearch(db, workspaceId, id),
  );

  serveOperation(app, operations.createSavedSearch, (input) =>
    createOnce(dependencies, operations.createSavedSearch, input, async (transaction) => {
      const { body, workspaceId } = input;
      if (body.notify) requireQuery(body);
      const row = await createSavedSearch(transaction, workspaceId, body);
      if (row === 'taken') throw alreadyExistsError('saved search', body.name);
      if (row === 'full') throw countLimitError('saved_searches');
      if (row === 'too many notify') throw countLimitError('saved_searches_that_notify');
      return toSavedSearch(row);
    }),
  );

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
