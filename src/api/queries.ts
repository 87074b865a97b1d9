import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, readAllPages, unwrap } from './client.ts';
import type { MediaItem } from './generated/api.ts';
import type { ApiRequest } from './request.ts';

export type MediaStatus = MediaItem['status'];
export type MediaType = MediaItem['type'];

export type MediaSort =
  | 'created_at'
  | '-created_at'
  | 'filename'
  | '-filename'
  | 'duration'
  | '-duration'
  | 'size'
  | '-size';

export type MediaFilter = {
  status?: MediaStatus | undefined;
  type?: MediaType | undefined;
  creator_id?: string | undefined;
  category_id?: string | undefined;
  q?: string | undefined;
  sort?: MediaSort | undefined;
};

/** Takes away what was not chosen: the API knows no empty filters. */
const given = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== '')) as {
    [Key in keyof Fields]: Exclude<Fields[Key], undefined>;
  };

/** Entries of a page of the library; the most that the API gives. */
export const mediaPageSize = 100;

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

const readMediaPage = (filter: MediaFilter, page: number, signal?: AbortSignal) =>
  unwrap(
    api.GET('/media', {
      params: { query: { ...given(filter), page, per_page: mediaPageSize } },
      ...(signal ? { signal } : {}),
    }),
  );

/** One page of the library, from 1. */
export const mediaPageOptions = (filter: MediaFilter, page: number) =>
  queryOptions({
    queryKey: ['media', 'list', filter, page],
    queryFn: ({ signal }) => readMediaPage(filter, page, signal),
    meta: { request: { path: '/media', query: { ...given(filter), page, per_page: mediaPageSize } } },
    refetchInterval: ({ state }) => pollInterval(state.data?.data ?? []),
  });

/** Identifiers of all items that a filter lets through. */
export const readAllMediaIds = async (filter: MediaFilter): Promise<string[]> =>
  (await readAllPages((page) => readMediaPage(filter, page))).map(({ id }) => id);

export const mediaItemOptions = (id: string) =>
  queryOptions({
    queryKey: ['media', 'item', id],
    queryFn: async ({ signal }) => (await unwrap(api.GET('/media/{id}', { params: { path: { id } }, signal }))).data,
    meta: { request: { path: `/media/${id}` } },
    refetchInterval: ({ state }) => (state.data ? pollInterval([state.data]) : false),
  });

type Ownership = { creator_id?: string | undefined; category_id?: string | undefined };

/** What a search goes by. `name` tells chosen files apart, `url` shows one. */
export type SearchSource =
  | { words: string }
  | { file: File; name: string; url: string }
  | { media: string; at?: number; chunk?: string };

type SearchChoices = { n: number; dedupe: boolean; rerank: boolean; type: MediaType | undefined } & Ownership;

export const searchOptions = (source: SearchSource, choices: SearchChoices) =>
  queryOptions({
    queryKey: ['search', 'file' in source ? source.name : source, choices],
    queryFn: ({ signal }) => {
      const query = given(choices);
      if ('words' in source) {
        return unwrap(api.GET('/media/search', { params: { query: { ...query, q: source.words } }, signal }));
      }
      if ('media' in source) {
        const { media, at, chunk } = source;
        const body = given({ media_id: media, at, chunk_id: chunk });
        return unwrap(api.POST('/media/search/image', { params: { query }, body, signal }));
      }
      const form = new FormData();
      form.set('file', source.file);
      return unwrap(
        api.POST('/media/search/image', {
          params: { query },
          // The description knows both forms of the body; the types know the JSON one.
          body: {},
          bodySerializer: () => form,
          signal,
        }),
      );
    },
    meta: { request: describeSearch(source, given(choices)) },
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });

function describeSearch(source: SearchSource, { rerank, ...choices }: NonNullable<ApiRequest['query']>): ApiRequest {
  const query = { ...choices, ...(rerank ? { rerank: 1 } : {}) };
  if ('words' in source) return { path: '/media/search', query: { q: source.words, ...query } };
  const path = '/media/search/image';
  if ('file' in source) return { path, query, file: source.file.name || 'picture.png' };
  const { media, at, chunk } = source;
  return { path, query, json: given({ media_id: media, at, chunk_id: chunk }) };
}

type HighlightsFilter = { method: 'centroid' | 'knn' | 'lof'; type: MediaType | undefined } & Ownership;

export const highlightsOptions = (query: HighlightsFilter & { n: number; dedupe: boolean }) =>
  queryOptions({
    queryKey: ['highlights', query],
    queryFn: ({ signal }) => unwrap(api.GET('/media/highlights', { params: { query: given(query) }, signal })),
    meta: { request: { path: '/media/highlights', query: given(query) } },
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });

/** All clips laid out by likeness, the most unusual first. */
export const highlightsMapOptions = (query: HighlightsFilter & { layout: 'pca' | 'umap' }) =>
  queryOptions({
    queryKey: ['highlights', 'map', query],
    queryFn: ({ signal }) => unwrap(api.GET('/media/highlights/map', { params: { query: given(query) }, signal })),
    meta: { request: { path: '/media/highlights/map', query: given(query) } },
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });

/** What chunks show, at most 100; those that are gone are left out. */
export const clipsOptions = (ids: string[]) =>
  queryOptions({
    queryKey: ['highlights', 'clips', ids],
    queryFn: async ({ signal }) =>
      ids.length === 0
        ? []
        : (await unwrap(api.GET('/media/clips', { params: { query: { ids: ids.join(',') } }, signal }))).data,
    staleTime: 5 * 60_000,
  });

export const workspaceOptions = queryOptions({
  queryKey: ['workspace'],
  queryFn: async ({ signal }) => (await unwrap(api.GET('/workspace', { signal }))).data,
  meta: { request: { path: '/workspace' } },
  refetchInterval: 10_000,
});

/** The chunks of an item, in order of time. */
export const chunksOptions = (id: string) =>
  queryOptions({
    queryKey: ['media', 'chunks', id],
    queryFn: ({ signal }) =>
      readAllPages((page) =>
        unwrap(api.GET('/media/{id}/chunks', { params: { path: { id }, query: { page, per_page: 100 } }, signal })),
      ),
    staleTime: 60_000,
  });

/** What changes when an item comes, goes or becomes searchable. */
export const mediaKeys = [['media', 'list'], ['search'], ['highlights'], ['workspace']];
