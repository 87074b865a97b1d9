import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ChangeMediaData, MediaChange } from './api/generated/api/index.ts';
import { loadPart } from './api/parts.ts';
import { reloadMedia } from './api/reload-media.ts';
import type { SelectedItems } from './lib/selected-items.ts';

/** What happens to each of some items. */
export type ItemsChange = NonNullable<ChangeMediaData['body']>['change'];

export type BulkChange = {
  items: SelectedItems;
  change: ItemsChange;
  /** What is done while it lasts, such as `Tagging 3 items`. */
  doing: string;
  /** What was done to so many items, as a sentence. */
  say: (count: number) => string;
};

/**
 * Changes items in one request, however many they are. A notice shows how far it is, cancels it, and offers to undo it. It ends with the change; one that
 * was cancelled ends too.
 */
export function useBulkChange() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (change: BulkChange): Promise<MediaChange> => {
      const { runBulkChange } = await loadPart(() => import('./bulk-change.tsx'));
      return runBulkChange(change, () => void reloadMedia(client));
    },
    onSettled: () => reloadMedia(client),
  });
}
