import type { ItemFilter, MediaFilter, MediaSort, MediaType } from '../../api/queries.ts';
import { type MediaStatus, mediaStatuses, mediaStatusIds } from '../../lib/media-status.ts';
import { readDates, takenWithin } from './date-range.ts';

/** How large the cards of the library are. */
export type Density = 'comfortable' | 'compact';

/** Media types with their texts; undefined stands for all. */
export const mediaTypes: { value: MediaType | undefined; text: string }[] = [
  { value: undefined, text: 'All' },
  { value: 'video', text: 'Videos' },
  { value: 'image', text: 'Images' },
];

/** Statuses with their texts; the empty one stands for all. */
export const statusChoices: { value: MediaStatus | ''; text: string }[] = [
  { value: '', text: 'All statuses' },
  ...mediaStatusIds.map((value) => ({ value, text: mediaStatuses[value].text })),
];

/** Orders of the library with their texts. */
export const mediaSorts: { value: MediaSort; text: string }[] = [
  { value: '-created_at', text: 'Newest first' },
  { value: 'created_at', text: 'Oldest first' },
  { value: '-taken_at', text: 'Date taken, latest first' },
  { value: 'taken_at', text: 'Date taken, earliest first' },
  { value: 'filename', text: 'Name, A to Z' },
  { value: '-filename', text: 'Name, Z to A' },
  { value: '-duration', text: 'Longest first' },
  { value: 'duration', text: 'Shortest first' },
  { value: '-size', text: 'Largest first' },
  { value: 'size', text: 'Smallest first' },
];

/** The media type in the URL; undefined for all, and for a type that does not exist. */
export const readType = (search: URLSearchParams): MediaType | undefined =>
  mediaTypes.find(({ value }) => value !== undefined && value === search.get('type'))?.value;

/** Whether the library is grouped by month. */
export const readGrouping = (search: URLSearchParams): boolean => search.get('view') === 'months';

/** What the URL says of the items that are wanted, on the library and on searches alike. */
export const readItemFilter = (search: URLSearchParams): ItemFilter => ({
  type: readType(search),
  creator_id: search.get('creator') ?? undefined,
  category_id: search.get('category') ?? undefined,
  collection_id: search.get('collection') ?? undefined,
  tag_id: search.get('tag') ?? undefined,
  ...takenWithin(readDates(search)),
});

/** The filter and order of the library in the URL. What does not exist is left out; months are in order of the date taken. */
export const readFilter = (search: URLSearchParams): MediaFilter => ({
  ...readItemFilter(search),
  status: mediaStatusIds.find((id) => id === search.get('status')),
  q: search.get('name') ?? undefined,
  sort: readSort(search),
});

function readSort(search: URLSearchParams): MediaSort | undefined {
  const sort = mediaSorts.find(({ value }) => value === search.get('sort'))?.value;
  if (!readGrouping(search)) return sort;
  return sort === 'taken_at' ? sort : '-taken_at';
}

/** The changes of the URL that another order makes: months are in order of the date taken only. */
export const sortChange = (sort: MediaSort) => ({
  sort: sort === '-created_at' ? undefined : sort,
  ...(sort.endsWith('taken_at') ? {} : { view: undefined }),
});

/** Whether a filter leaves anything out. */
export const isFiltered = (filter: MediaFilter): boolean =>
  Object.entries(filter).some(([name, value]) => name !== 'sort' && Boolean(value));

/** The changes of the URL that take the filters of searches away. */
export const withoutItemFilters = { type: '', creator: '', category: '', collection: '', tag: '', from: '', to: '' };

/** The changes of the URL that take all filters away. */
export const withoutFilters = { ...withoutItemFilters, status: '', name: '' };

/** The size of cards in the URL. */
export const readDensity = (search: URLSearchParams): Density =>
  search.get('density') === 'compact' ? 'compact' : 'comfortable';
