import type { SavedSearch } from '../../../../contract/saved-searches.ts';
import type { SavedSearchRow } from '../../../catalog/searches/saved-searches.ts';
import { validationError } from '../../../errors/api-error.ts';
import { readSavedQuery } from '../../../messaging/saved-matches/saved-query.ts';

/** A saved search as the API shows it. */
export const toSavedSearch = ({
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
export function requireQuery(saved: Pick<SavedSearch, 'page' | 'parameters'>): void {
  if (readSavedQuery(saved)) return;
  throw validationError([
    { path: 'body.notify', message: 'needs a search of page `search` with a valid `q` or `like`' },
  ]);
}
