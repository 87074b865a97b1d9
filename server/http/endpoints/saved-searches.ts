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
import { serveOperation, toPageMeta } from '../operations/serve-operation.ts';

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
    { path: 'body.notify', message: 'needs a search of page `search` with a valid `q` or `like`' },
  ]);
}

/** The operations on saved searches. */
export function serveSavedSearches(app: FastifyInstance, dependencies: Dependencies): void {
  const { db } = dependencies;
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

  serveOperation(app, operations.deleteSavedSearch, async ({ workspaceId, params }) => {
    if (!(await deleteSavedSearch(db, workspaceId, params.id))) throw notFoundError('saved search');
    return { data: { id: params.id, deleted: true as const } };
  });

  serveOperation(app, operations.getSavedSearch, async ({ workspaceId, params }) => {
    const row = await findSavedSearch(db, workspaceId, params.id);
    if (!row) throw notFoundError('saved search');
    return { data: toSavedSearch(row) };
  });

  serveOperation(app, operations.listSavedSearches, async ({ workspaceId, query }) => {
    const { rows, total } = await listSavedSearches(db, workspaceId, query);
    return { data: rows.map(toSavedSearch), meta: toPageMeta(query, total) };
  });

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
