import { keepPreviousData, type QueryKey, queryOptions } from '@tanstack/react-query';
import { searchMediaByFile } from '../../clients/typescript/search-by-file.ts';
import {
  countFacetsOptions,
  countFacetsQueryKey,
  getMediaOptions,
  getWorkspaceOptions,
  getWorkspaceQueryKey,
  listChunks,
  listAspectRatiosOptions,
  listAspectRatiosQueryKey,
  listChunksOptions,
  listClipsOptions,
  listHighlightsOptions,
  type ListHighlightsData,
  listMediaIdsOptions,
  type ListMediaData,
  listMediaOptions,
  listMediaQueryKey,
  listMonthsOptions,
  listPlacesOptions,
  listMonthsQueryKey,
  mapHighlightsOptions,
  type MapHighlightsData,
  searchMedia,
  searchMediaByImage,
  type SearchMediaByImageData,
  searchMediaByImageOptions,
  type SearchMediaByImageResponse,
  type SearchMediaData,
  searchMediaOptions,
  type SearchMediaResponse,
} from './generated/api/index.ts';
import type { DescribedQuery } from './request.ts';
import { maxPerPage, wholeListOptions } from './whole-list.ts';

/** Query parameters of an operation, where undefined and the empty text stand for what was not chosen. */
type Choices<
  Data extends { query?: unknown },
  Names extends keyof NonNullable<Data['query']> = keyof NonNullable<Data['query']>,
> = {
  [Name in Names]?: NonNullable<Data['query']>[Name] | undefined;
};

export type MediaFilter = Omit<Choices<ListMediaData>, 'ids' | 'page' | 'per_page'>;
export type MediaSort = NonNullable<MediaFilter['sort']>;

/** Removes what was not chosen: the API knows no empty filters. */
const given = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== '')) as {
    [Key in keyof Fields]: Exclude<Fields[Key], undefined>;
  };

const mediaPage = (filter: MediaFilter, page: number) => ({
  query: { ...given(filter), page, per_page: maxPerPage },
});

/** One page of the library, from 1. */
export const mediaPageOptions = (filter: MediaFilter, page: number) => listMediaOptions(mediaPage(filter, page));

/** How many items of a filter were recorded in each month, the latest first; null is the month of those without a date. */
export const monthsOptions = (filter: MediaFilter) =>
  queryOptions({ ...listMonthsOptions({ query: given({ ...filter, sort: undefined }) }), select: ({ data }) => data });

/** How many items have which values of choices and names, by the parameters of the filters. */
export const facetsOptions = (filter: MediaFilter) =>
  queryOptions({
    ...countFacetsOptions({ query: given({ ...filter, sort: undefined }) }),
    select: ({ data }) => data,
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  });

/**
 * Where the items of a filter were recorded, in groups.
 * @param shown what of the map is shown: its zoom as Web maps count it, and its box
 */
export const placesOptions = (filter: MediaFilter, shown: { zoom: number; view?: string }) =>
  queryOptions({ ...listPlacesOptions({ query: given({ ...filter, sort: undefined, ...shown }) }), staleTime: 10_000 });

/** Width through height of all items of a filter, times 100, in the order of the list; 0: unknown. */
export const aspectRatiosOptions = (filter: MediaFilter) =>
  queryOptions({ ...listAspectRatiosOptions({ query: given(filter) }), select: ({ data }) => data });

/** Most identifiers that one request gives. */
const maxIds = 20_000;

/** Identifiers of items of a filter from one place of the list on, at most 20,000. */
export const mediaIdsOptions = (filter: MediaFilter, { offset, limit }: { offset: number; limit: number }) =>
  queryOptions({
    ...listMediaIdsOptions({ query: { ...given(filter), offset, limit: Math.min(maxIds, limit) } }),
    staleTime: 10_000,
  });

export const mediaItemOptions = (id: string) =>
  queryOptions({
    ...getMediaOptions({ path: { id } }),
    select: ({ data }) => data,
  });

/** Items by their identifiers, at most 100; those that are gone are left out. */
export const itemsOptions = (ids: string[]) =>
  queryOptions({
    ...listMediaOptions({ query: { ids: ids.join(','), per_page: maxPerPage } }),
    select: ({ data }) => data.filter(({ id }) => ids.includes(id)),
    staleTime: 60_000,
  });

/** What a search goes by. `name` tells chosen files apart, `url` shows one; `also`: words that fit besides the picture. */
export type SearchSource =
  | { words: string }
  | { file: File; name: string; url: string; also?: string }
  | { media: string; at?: number; chunk?: string; also?: string };

/** What searches, highlights and the map are limited to. */
type ItemFilterName = Exclude<keyof NonNullable<MapHighlightsData['query']>, 'method' | 'layout' | 'partial'>;

export type ItemFilter = Choices<SearchMediaData, ItemFilterName>;

type SearchChoices = Omit<Choices<SearchMediaData>, 'q' | 'media_id'>;

export const searchOptions = (source: SearchSource, choices: SearchChoices) => {
  const { queryKey, queryFn, meta = {} } = describeSearch(source, given(choices));
  return queryOptions({ queryKey, queryFn, meta, placeholderData: keepPreviousData, staleTime: 30_000 });
};

/** Key, request and description of a search: words, images and items are two operations with one kind of response. */
function describeSearch(source: SearchSource, choices: NonNullable<SearchMediaByImageData['query']>): SearchQuery {
  if ('words' in source) {
    const options = { query: { ...choices, q: source.words } };
    return { ...searchMediaOptions(options), queryFn: ({ signal }) => searchMedia({ ...options, signal }) };
  }
  const query = { ...choices, ...given({ q: source.also }) };
  if ('media' in source) {
    const { media, at, chunk } = source;
    const options = { query, body: given({ media_id: media, at, chunk_id: chunk }) };
    return {
      ...searchMediaByImageOptions(options),
      queryFn: ({ signal }) => searchMediaByImage({ ...options, signal }),
    };
  }
  const { file, name } = source;
  const { queryKey, meta } = searchMediaByImageOptions({ query, body: {} });
  return {
    queryKey: [...queryKey, name],
    meta: { ...meta, file: file.name || 'image.png' },
    queryFn: ({ signal }) => searchMediaByFile(file, { query, signal }),
  };
}

type SearchQuery = DescribedQuery & {
  queryFn: (context: { signal: AbortSignal }) => Promise<SearchMediaResponse | SearchMediaByImageResponse>;
};

/** What answers words inside an item: the best hundred of its chunks. */
export const itemHitsOptions = (id: string, query: Choices<SearchMediaData, 'in'> & { q: string }) =>
  queryOptions({
    ...searchMediaOptions({ query: { ...given(query), q: query.q, media_id: id, n: 100 } }),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });

type HighlightsChoices = Omit<Choices<ListHighlightsData>, 'per_item'>;

export const highlightsOptions = (choices: HighlightsChoices) =>
  queryOptions({
    ...listHighlightsOptions({ query: given(choices) }),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });

type MapChoices = Choices<MapHighlightsData>;

/** All clips laid out by likeness, the most unusual first. */
export const highlightsMapOptions = (choices: MapChoices) =>
  queryOptions({
    ...mapHighlightsOptions({ query: given(choices) }),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });

/** What chunks show, at most 100; those that are gone are left out. */
export const clipsOptions = (ids: string[]) =>
  queryOptions({
    ...listClipsOptions({ query: { ids: ids.join(',') } }),
    enabled: ids.length > 0,
    select: ({ data }) => data,
    staleTime: 5 * 60_000,
  });

export const workspaceOptions = queryOptions({
  ...getWorkspaceOptions(),
  select: ({ data }) => data,
  refetchInterval: 10_000,
});

/** The chunks of an item, in order of time. */
export const chunksOptions = (id: string) =>
  queryOptions({
    ...wholeListOptions(listChunksOptions({ path: { id }, query: { per_page: maxPerPage } }), (page) =>
      listChunks({ path: { id }, ...page }),
    ),
    staleTime: 60_000,
  });

/** What changes when an item comes, goes or becomes searchable. */
export const mediaKeys: QueryKey[] = [
  listMediaQueryKey(),
  listMonthsQueryKey(),
  countFacetsQueryKey(),
  listAspectRatiosQueryKey(),
  [{ tags: ['Search'] }],
  getWorkspaceQueryKey(),
];
