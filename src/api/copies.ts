import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { searchMediaByVideoFile } from '../../clients/typescript/search-by-video.ts';
import { followChange } from './follow-change.ts';
import {
  dismissCopies,
  getCopySearchOptions,
  keepBestCopy,
  listCopiesOptions,
  listDuplicates,
  listDuplicatesOptions,
  type MediaChange,
  undoMediaChange,
  updateCopySearch,
} from './generated/api/index.ts';
import { reloadMedia } from './reload-media.ts';

/** Groups on a page of the list of duplicates. */
const groupsPerPage = 20;
/** How often the progress of the search in the library is asked for, milliseconds. */
const askMs = 5000;

const copyKeys = [{ tags: ['Copies'] }];

/** Where an item is used again. */
export const copiesOptions = (id: string) => listCopiesOptions({ path: { id } });

const duplicatesPage = (page: number) => ({ query: { page, per_page: groupsPerPage } });

/** The request of the first page, to be shown. */
export const duplicatesRequest = listDuplicatesOptions(duplicatesPage(1));

/** Groups of items that are the same, page after page. */
export const duplicatesOptions = infiniteQueryOptions({
  queryKey: [...duplicatesRequest.queryKey, 'pages'],
  initialPageParam: 1,
  queryFn: ({ pageParam, signal }) => listDuplicates({ ...duplicatesPage(pageParam), signal }),
  getNextPageParam: ({ meta: { page, has_more } }) => (has_more ? page + 1 : undefined),
});

/** How far the search in the library is; asked again while it goes on. */
export const copySearchOptions = queryOptions({
  ...getCopySearchOptions(),
  refetchInterval: ({ state }) => (state.data?.data.state === 'running' ? askMs : false),
});

/** Where a video that the browser has is used. @param name tells files apart */
export const videoSearchOptions = (file: File, name: string) =>
  queryOptions({
    queryKey: ['video search', name],
    queryFn: ({ signal }) => searchMediaByVideoFile(file, { signal }),
    retry: false,
    staleTime: Infinity,
  });

/** Reads again what changes with copies. */
function useReload() {
  const client = useQueryClient();
  return () => Promise.all([reloadMedia(client), client.invalidateQueries({ queryKey: copyKeys })]);
}

/** Pauses or resumes the search in the library. */
export function usePauseCopySearch() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (paused: boolean) => updateCopySearch({ body: { paused } }),
    onSuccess: (answer) => client.setQueryData(copySearchOptions.queryKey, answer),
  });
}

async function followAll(changes: MediaChange[]): Promise<void> {
  for (const change of changes) await followChange(change, () => undefined);
}

/** Keeps one item of a group, with the labels of all. @param onKept is given the changes, which can be undone */
export function useKeepBest(onKept: (changes: MediaChange[]) => void) {
  const reload = useReload();
  return useMutation({
    mutationFn: async (body: { keep_id: string; other_ids: string[] }) => {
      const { data } = await keepBestCopy({ body });
      await followAll(data);
      return data;
    },
    onSuccess: onKept,
    onSettled: reload,
  });
}

/** Sets changes back, the last one first. */
export function useUndoAll(onUndone: () => void) {
  const reload = useReload();
  return useMutation({
    mutationFn: async (changes: MediaChange[]) => {
      for (const { id } of changes.toReversed()) await followAll([(await undoMediaChange({ path: { id } })).data]);
    },
    onSuccess: onUndone,
    onSettled: reload,
  });
}

/** Says that items are not the same, or takes it back. */
export function useDismissCopies(onDismissed: (ids: string[]) => void) {
  const reload = useReload();
  return useMutation({
    mutationFn: ({ ids, dismissed }: { ids: string[]; dismissed: boolean }) =>
      dismissCopies({ body: { ids, dismissed } }),
    onSuccess: (_answer, { ids }) => onDismissed(ids),
    onSettled: reload,
  });
}
