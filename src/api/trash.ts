import { infiniteQueryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ApiError } from '../../clients/typescript/api-error.ts';
import { connection } from './connection.ts';
import { forEachItem } from './for-each-item.ts';
import {
  deleteFromTrash,
  deleteMedia,
  emptyTrash,
  listTrash,
  listTrashOptions,
  moveToTrash,
  restoreFromTrash,
} from './generated/api/index.ts';
import { reloadMedia } from './reload-media.ts';
import { maxPerPage, readAllPages } from './whole-list.ts';

/** The most items that one request moves. */
const maxIds = 1000;

const trashPage = (page: number) => ({ query: { page, per_page: maxPerPage } });

/** The request of the first page, to be shown. */
export const trashRequest = listTrashOptions(trashPage(1));

/** The trash, page after page. */
export const trashOptions = infiniteQueryOptions({
  queryKey: [...trashRequest.queryKey, 'pages'],
  initialPageParam: 1,
  queryFn: ({ pageParam, signal }) => listTrash({ ...trashPage(pageParam), signal }),
  getNextPageParam: ({ meta: { page, has_more } }) => (has_more ? page + 1 : undefined),
});

/** Identifiers of all items in the trash. */
export const readTrashIds = async (): Promise<string[]> =>
  (await readAllPages((page) => listTrash(trashPage(page)))).map(({ id }) => id);

/**
 * Whether deleted items can be restored. Another service that the dashboard is connected to may be without a trash: then a deletion is final,
 * and is asked about.
 */
export function useHasTrash(): boolean {
  const asked = useQuery({
    ...listTrashOptions({ query: { per_page: 1 } }),
    enabled: connection !== null,
    staleTime: Infinity,
    retry: (count, error) => !(error instanceof ApiError) && count < 4,
  });
  return connection === null || asked.isSuccess;
}

/** Calls for items in lists that a request takes. Gives what all answers name. */
async function inParts(
  ids: readonly string[],
  run: (ids: string[]) => Promise<{ data: { ids: string[] } }>,
): Promise<string[]> {
  const named = [];
  for (let i = 0; i < ids.length; i += maxIds) named.push(...(await run(ids.slice(i, i + maxIds))).data.ids);
  return named;
}

/** Moves items to the trash. `onMoved` is awaited before anything is read again. */
export function useMoveToTrash(onMoved: (ids: readonly string[]) => Promise<void> | void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (ids: readonly string[]) => inParts(ids, (some) => moveToTrash({ body: { ids: some } })),
    onSuccess: onMoved,
    onSettled: () => reloadMedia(client),
  });
}

/**
 * Takes items out of the trash. `onRestored` is called, before anything is read again, with how many of how many are in the library now: the
 * others were deleted for good meanwhile.
 */
export function useRestoreFromTrash(onRestored: (restored: number, asked: number) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (ids: readonly string[]) => inParts(ids, (some) => restoreFromTrash({ body: { ids: some } })),
    onSuccess: (restored, asked) => onRestored(restored.length, asked.length),
    onSettled: () => reloadMedia(client),
  });
}

/** Deletes everything in the trash for good. */
export function useEmptyTrash() {
  const client = useQueryClient();
  return useMutation({ mutationFn: () => emptyTrash(), onSettled: () => reloadMedia(client) });
}

/** Deletes items of another service, which has no trash, for good. */
export const useDeleteForGood = (onDeleted: () => Promise<void> | void) =>
  useDeletion((id) => deleteMedia({ path: { id } }), onDeleted);

/** Deletes items in the trash for good; one that was restored meanwhile is kept, which is a failure. */
export const useDeleteFromTrash = (onDeleted: () => Promise<void> | void) =>
  useDeletion((id) => deleteFromTrash({ path: { id } }), onDeleted);

/** Deletes items a few at a time; the first failure is thrown when all have been tried. */
function useDeletion(deleteItem: (id: string) => Promise<unknown>, onDeleted: () => Promise<void> | void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (ids: readonly string[]) => forEachItem(ids, deleteItem),
    onSuccess: onDeleted,
    onSettled: () => reloadMedia(client),
  });
}
