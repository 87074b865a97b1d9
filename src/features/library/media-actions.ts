import { useMutation, useQueryClient } from '@tanstack/react-query';
import { forEachItem } from '../../api/for-each-item.ts';
import { getMedia, retryMedia, updateMedia } from '../../api/generated/api/index.ts';
import { reloadMedia } from '../../api/reload-media.ts';

type LabelChanges = { creator_id?: string | null; category_id?: string | null };

/** Creator and category of an item, to be put back. */
export type LabelsBefore = { id: string; creator_id: string | null; category_id: string | null };

/** Assigns or clears creator and category of items. Gives what they had before. */
export function useAssignLabels() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({
      ids,
      changes,
    }: {
      ids: readonly string[];
      changes: LabelChanges;
    }): Promise<LabelsBefore[]> => {
      const before: LabelsBefore[] = [];
      await forEachItem(ids, async (id) => {
        const { creator_id, category_id } = (await getMedia({ path: { id } })).data;
        await updateMedia({ path: { id }, body: changes });
        before.push({ id, creator_id, category_id });
      });
      return before;
    },
    onSettled: () => reloadMedia(client),
  });
}

/** Gives items the creators and categories back that they had before. */
export function useRestoreLabels() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (before: LabelsBefore[]) => {
      const labels = new Map(before.map(({ id, ...body }) => [id, body]));
      return forEachItem([...labels.keys()], (id) => updateMedia({ path: { id }, body: labels.get(id) ?? {} }));
    },
    onSettled: () => reloadMedia(client),
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
