import { infiniteQueryOptions, queryOptions, useQuery } from '@tanstack/react-query';
import { countWaiting } from '../lib/source-counts.ts';
import { connection } from './connection.ts';
import {
  getPathMappingsOptions,
  getSourceOptions,
  listSourceFiles,
  listSourceFilesOptions,
  listSourceFoldersOptions,
  listSourceRootsOptions,
  listSources,
  listSourcesOptions,
  type PathMappings,
  type Source,
} from './generated/api/index.ts';
import { sessionOptions } from './session.ts';
import { maxPerPage, wholeListOptions } from './whole-list.ts';

export type PathMapping = PathMappings['mappings'][number];

/** All that is read of sources. */
export const sourcesKey = [{ tags: ['Sources'] }];

/** How often a source is read again while something of it is under way: no event tells each step. Else events tell of it, and this is for want of them. */
const [busyMs, idleMs] = [2000, 30_000];

/** Whether a source changes by itself. */
const isBusy = (source: Source): boolean =>
  ['new', 'scanning', 'removing'].includes(source.state) || (source.state === 'ready' && countWaiting(source) > 0);

/** All sources, by name. */
export const sourcesOptions = queryOptions({
  ...wholeListOptions(listSourcesOptions({ query: { per_page: maxPerPage } }), listSources),
  staleTime: 30_000,
});

/** All sources, where each step of what is under way shows. */
export const followedSourcesOptions = queryOptions({
  ...sourcesOptions,
  staleTime: 0,
  refetchInterval: ({ state }) => (state.data?.some(isBusy) ? busyMs : idleMs),
});

export const sourceOptions = (id: string) =>
  queryOptions({
    ...getSourceOptions({ path: { id } }),
    refetchInterval: ({ state }) => (state.data && isBusy(state.data.data) ? busyMs : idleMs),
    select: ({ data }) => data,
  });

/** The folders in a folder of a source. @param path below its root; empty: the root */
export const sourceFoldersOptions = (id: string, path: string) =>
  queryOptions({
    ...listSourceFoldersOptions({ path: { id }, query: { path } }),
    select: ({ data }) => data,
  });

const failedFiles = (id: string, page: number) => ({ path: { id }, query: { failed: true, page, per_page: 50 } });

/** The files of a source that could not be taken or indexed, page after page. */
export const failedFilesOptions = (id: string) =>
  infiniteQueryOptions({
    queryKey: [...listSourceFilesOptions(failedFiles(id, 1)).queryKey, 'pages'],
    initialPageParam: 1,
    queryFn: ({ pageParam, signal }) => listSourceFiles({ ...failedFiles(id, pageParam), signal }),
    getNextPageParam: ({ meta: { page, has_more } }) => (has_more ? page + 1 : undefined),
  });

/** The roots that the operator allows, or one folder in them, with the folders directly in each. @param path null: the roots */
export const sourceRootsOptions = (path: string | null) =>
  queryOptions({
    ...listSourceRootsOptions(path === null ? undefined : { query: { path } }),
    select: ({ data }) => data,
  });

/** How other machines name the folders of sources. */
export const pathMappingsOptions = queryOptions({
  ...getPathMappingsOptions(),
  select: ({ data }) => data.mappings,
  staleTime: 60_000,
});

/** Whether the person at the dashboard may add and change sources: owners, and who has the key of another service. */
export function useMayChangeSources(): boolean {
  const session = useQuery({ ...sessionOptions, enabled: !connection });
  return connection !== null || session.data?.workspace.role === 'owner';
}
