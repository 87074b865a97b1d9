import { allFilters, type FilterName, type ItemFilterName, itemFilters, orders } from '../../../contract/fields.ts';
import type { ItemFilter, MediaFilter, MediaSort } from '../../api/queries.ts';
import { readFilters, withoutFilters } from '../../lib/filter-url.ts';

/** How the library shows its items: as pictures, as pictures by month, or in lines with what is known of them. */
export const libraryViews = ['grid', 'months', 'list'] as const;
export type LibraryView = (typeof libraryViews)[number];

/** The view in the URL. */
export const readView = (search: URLSearchParams): LibraryView =>
  libraryViews.find((view) => view === search.get('view')) ?? 'grid';

/** What the URL says of the items that are wanted, on the library and on searches alike. */
export const readItemFilter = (search: URLSearchParams): ItemFilter => readFilters<ItemFilterName>(search, itemFilters);

/** The filter and order of the library in the URL. What does not exist is left out; months are in order of the date taken. */
export const readFilter = (search: URLSearchParams): MediaFilter => ({
  ...readFilters<FilterName>(search, allFilters),
  sort: readSort(search),
});

function readSort(search: URLSearchParams): MediaSort | undefined {
  const given = search.get('sort');
  const sort = given === 'position' ? given : orders.find(({ value }) => value === given)?.value;
  if (readView(search) !== 'months') return sort;
  return sort === 'taken_at' ? sort : '-taken_at';
}

/** The order of a list unless the URL says another: a collection has one of its own. */
export const usualSort = (within: boolean): MediaSort => (within ? 'position' : '-created_at');

/** The filter and order of a list, which may be that of one collection. */
export function readListFilter(search: URLSearchParams, collection?: string): MediaFilter {
  const filter = readFilter(search);
  return collection === undefined
    ? filter
    : { ...filter, sort: filter.sort ?? usualSort(true), collection_id: collection };
}

/**
 * The changes of the URL that another order makes: months are in order of the date taken only.
 * @param usual the order that the URL does not name
 */
export const sortChange = (sort: MediaSort, view: LibraryView, usual: MediaSort = '-created_at') => ({
  sort: sort === usual ? undefined : sort,
  ...(view === 'months' && !sort.endsWith('taken_at') ? { view: undefined } : {}),
});

/** Whether a filter leaves anything out. */
export const isFiltered = (filter: MediaFilter): boolean =>
  Object.entries(filter).some(([name, value]) => name !== 'sort' && value !== undefined);

/** The changes of the URL that take the filters of searches away. */
export const withoutItemFilters = withoutFilters(itemFilters);

/** The changes of the URL that take all filters away. */
export const withoutAllFilters = withoutFilters(allFilters);
