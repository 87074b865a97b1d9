import { useMutation, useQueryClient } from '@tanstack/react-query';
import { retryMedia, updateMedia, type UpdateMediaData } from '../../api/generated/api/index.ts';
import { reloadMedia } from '../../api/reload-media.ts';

/** What can be changed of an item. */
type ItemChanges = NonNullable<UpdateMediaData['body']>;

/** Changes an item. */
export function useUpdateItem() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, changes }: { id: string; changes: ItemChanges }) => updateMedia({ path: { id }, body: changes }),
    onSettled: () => reloadMedia(client),
  });
}

/** Puts a failed item back to be indexed. */
export function useRetryMedia() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => retryMedia({ path: { id } }),
    onSettled: () => reloadMedia(client),
  });
}
