import { useMutation, useQueryClient } from '@tanstack/react-query';
import { forEachItem } from '../../api/for-each-item.ts';
import { getMedia, retryMedia, updateMedia } from '../../api/generated/api/index.ts';
import { reloadMedia } from '../../api/reload-media.ts';

type LabelChanges = { creator_id?: string | null; category_id?: string | null };

/** What an item had before a change, of what was changed. */
export type LabelsBefore = { id: string; labels: LabelChanges };

type Assignment = {
  ids: readonly string[];
  changes: LabelChanges;
  /** Is told of each item that was changed, also when others fail. */
  onChanged?: (before: LabelsBefore) => void;
};

/** Assigns or clears creator and category of items. The first failure is thrown when all have been tried. */
export function useAssignLabels() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ ids, changes, onChanged }: Assignment) =>
      forEachItem(ids, async (id) => {
        const { creator_id, category_id } = (await getMedia({ path: { id } })).data;
        await updateMedia({ path: { id }, body: changes });
        const labels = {
          ...('creator_id' in changes ? { creator_id } : {}),
          ...('category_id' in changes ? { category_id } : {}),
        };
        onChanged?.({ id, labels });
      }),
    onSettled: () => reloadMedia(client),
  });
}

/** Gives items the labels back that they had before. */
export function useRestoreLabels() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (before: LabelsBefore[]) => {
      const labelsOf = new Map(before.map(({ id, labels }) => [id, labels]));
      return forEachItem([...labelsOf.keys()], (id) => updateMedia({ path: { id }, body: labelsOf.get(id) ?? {} }));
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
