import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, unwrap } from './client.ts';
import type { MediaItem } from './generated/api.ts';

export type MediaStatus = MediaItem['status'];
export type MediaType = MediaItem['type'];

export type MediaFilter = { status?: MediaStatus; type?: MediaType; q?: string };

/** Whether an item is still on its way to being searchable. */
export const isUnderWay = (item: Pick<MediaItem, 'status'>): boolean =>
  item.status === 'pending' || item.status === 'indexing';

/** Milliseconds until the next look at items that are under way: soon at first, less often when it takes long. */
function pollInterval(items: MediaItem[]): number | false {
  const open = items.filter(isUnderWay);
  if (open.length === 0) return false;
  const youngest = Math.max(...open.map((item) => Date.parse(item.updated_at)));
  return Date.now() - youngest < 30_000 ? 1000 : 5000;
}

export const mediaListOptions = (filter: MediaFilter) =>
  infiniteQueryOptions({
    queryKey: ['media', 'list', filter],
    queryFn: ({ pageParam, signal }) =>
      unwrap(api.GET('/media', { params: { query: { ...filter, page: pageParam, per_page: 60 } }, signal })),
    initialPageParam: 1,
    getNextPageParam: ({ meta }) => (meta.has_more ? meta.page + 1 : undefined),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => pollInterval(state.data?.pages.flatMap(({ data }) => data) ?? []),
  });

export const mediaItemOptions = (id: string) =>
  queryOptions({
    queryKey: ['media', 'item', id],
    queryFn: async ({ signal }) => (await unwrap(api.GET('/media/{id}', { params: { path: { id } }, signal }))).data,
    refetchInterval: ({ state }) => (state.data ? pollInterval([state.data]) : false),
  });

export const searchOptions = (query: string, type: MediaType | undefined) =>
  queryOptions({
    queryKey: ['search', query, type],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/media/search', { params: { query: { q: query, n: 48, ...(type ? { type } : {}) } }, signal })),
    enabled: query !== '',
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });

/** What changes when an item comes, goes or becomes searchable. */
export const mediaKeys = [['media', 'list'], ['search']];
