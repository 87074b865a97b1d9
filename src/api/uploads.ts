import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { discardUpload } from '../../clients/typescript/upload-file.ts';
import { client } from './client.ts';
import { forEachItem } from './for-each-item.ts';
import { getWorkspaceQueryKey, listUploads, listUploadsOptions } from './generated/api/index.ts';
import { maxPerPage, wholeListOptions } from './whole-list.ts';

/** The uploads of the workspace that have not ended, the newest first; how far they are changes by itself. */
export const openUploadsOptions = queryOptions({
  ...wholeListOptions(listUploadsOptions({ query: { per_page: maxPerPage } }), listUploads),
  refetchInterval: 10_000,
});

/** Discards open uploads; those that have ended or are gone by then are fine. `onDiscarded` is called before the list is read again. */
export function useDiscardUploads(onDiscarded: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (ids: readonly string[]) =>
      forEachItem(ids, (id) => discardUpload(client, `${client.transport.baseUrl}/uploads/${id}`)),
    onSuccess: onDiscarded,
    onSettled: () =>
      Promise.all(
        [openUploadsOptions.queryKey, getWorkspaceQueryKey()].map((queryKey) =>
          queries.invalidateQueries({ queryKey }),
        ),
      ),
  });
}
