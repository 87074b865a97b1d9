import type { SavedSearch } from '../../../../contract/saved-searches.ts';
import type { SavedSearchRow } from '../../../catalog/saved-searches.ts';

/** A saved search as the API shows it. */
export const toSavedSearch = ({ id, name, page, query, created_at }: SavedSearchRow): SavedSearch => ({
  id,
  name,
  page,
  parameters: JSON.parse(query) as SavedSearch['parameters'],
  created_at,
});
