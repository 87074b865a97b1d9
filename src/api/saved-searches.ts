import { queryOptions } from '@tanstack/react-query';
import {
  createSavedSearch,
  deleteSavedSearch,
  listSavedSearches,
  listSavedSearchesOptions,
  updateSavedSearch,
  type SavedSearch,
} from './generated/api/index.ts';
import { maxPerPage, wholeListOptions } from './whole-list.ts';

/** A page of the dashboard and the parameters that it sends. */
export type SavedView = Pick<SavedSearch, 'page' | 'parameters'>;

/** All saved searches, the newest first. */
export const savedSearchesOptions = queryOptions({
  ...wholeListOptions(listSavedSearchesOptions({ query: { per_page: maxPerPage } }), listSavedSearches),
  staleTime: 30_000,
});

/** What can be changed of one. `new_matches: 0`: they have been seen. */
type SavedSearchChanges = { name?: string; notify?: boolean; new_matches?: 0 };

/** The requests that change saved searches. */
export const savedSearchRequests = {
  create: async (name: string, view: SavedView, notify: boolean): Promise<SavedSearch> =>
    (await createSavedSearch({ body: { name, ...view, ...(notify ? { notify } : {}) } })).data,
  change: async (id: string, changes: SavedSearchChanges): Promise<SavedSearch> =>
    (await updateSavedSearch({ path: { id }, body: changes })).data,
  remove: (id: string) => deleteSavedSearch({ path: { id } }),
};
