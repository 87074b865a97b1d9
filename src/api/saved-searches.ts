import { queryOptions } from '@tanstack/react-query';
import {
  createSavedSearch,
  deleteSavedSearch,
  listSavedSearches,
  listSavedSearchesOptions,
  renameSavedSearch,
  type SavedSearch,
} from './generated/api/index.ts';
import { maxPerPage, wholeListOptions } from './whole-list.ts';

/** A page of the dashboard and the parameters of its URL. */
export type SavedView = Pick<SavedSearch, 'page' | 'parameters'>;

/** All saved searches, the newest first. */
export const savedSearchesOptions = queryOptions({
  ...wholeListOptions(listSavedSearchesOptions({ query: { per_page: maxPerPage } }), listSavedSearches),
  staleTime: 30_000,
});

/** The requests that change saved searches. */
export const savedSearchRequests = {
  create: async (name: string, view: SavedView): Promise<SavedSearch> =>
    (await createSavedSearch({ body: { name, ...view } })).data,
  rename: async (id: string, name: string): Promise<SavedSearch> =>
    (await renameSavedSearch({ path: { id }, body: { name } })).data,
  remove: (id: string) => deleteSavedSearch({ path: { id } }),
};
