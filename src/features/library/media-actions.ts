import { useMutation, useQueryClient } from '@tanstack/react-query';
import { forEachItem } from '../../api/for-each-item.ts';
import { getMedia, retryMedia, updateMedia, type UpdateMediaData } from '../../api/generated/api/index.ts';
import { reloadMedia } from '../../api/reload-media.ts';
import { toast, undoMs } from '../../ui/toast.ts';

/** What can be changed of an item. */
type ItemChanges = NonNullable<UpdateMediaData['body']>;

/** @param say what a notice says of so many changed items, with a way to undo it; without it there is none */
type Change = { ids: readonly string[]; changes: ItemChanges; say?: (count: number) => string };
type Undo = { before: ReadonlyMap<string, ItemChanges>; toastId: string };

/** Changes items, and may say so and offer to undo it. The first failure is thrown when all have been tried. */
export function useUpdateItems() {
  const client = useQueryClient();
  const onSettled = () => reloadMedia(client);
  const undo = useMutation({
    mutationFn: ({ before }: Undo) =>
      forEachItem([...before.keys()], (id) => updateMedia({ path: { id }, body: before.get(id) ?? {} })),
    onSuccess: (_, { toastId }) => toast.success('Undone.', { id: toastId, action: null, duration: 3000 }),
    onError: (_, { toastId }) => toast.dismiss(toastId),
    onSettled,
  });
  return useMutation({
    mutationFn: async ({ ids, changes, say }: Change) => {
      const before = new Map<string, ItemChanges>();
      const toastId = `update ${Date.now()}`;
      try {
        await forEachItem(ids, async (id) => {
          const item = (await getMedia({ path: { id } })).data;
          await updateMedia({ path: { id }, body: changes });
          const names = Object.keys(changes) as (keyof ItemChanges)[];
          before.set(id, Object.fromEntries(names.map((name) => [name, item[name]])));
        });
      } finally {
        // What was changed can be undone, also when something else failed.
        if (say && before.size > 0) {
          toast.success(say(before.size), {
            id: toastId,
            duration: undoMs,
            action: {
              label: 'Undo',
              onClick: (event) => {
                // The same notice says that it was done.
                event.preventDefault();
                undo.mutate({ before, toastId });
              },
            },
          });
        }
      }
    },
    onSettled,
  });
}

/** Puts failed items back to be indexed. */
export function useRetryMedia() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (ids: readonly string[]) => forEachItem(ids, (id) => retryMedia({ path: { id } })),
    onSettled: () => reloadMedia(client),
  });
}
