import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { SavedSearch } from '../../api/generated/api/index.ts';
import { savedSearchesOptions, savedSearchRequests } from '../../api/saved-searches.ts';
import { toast } from '../../ui/toast.ts';
import { canNotify } from './saved-view.ts';

/** Turns on and off that saved searches tell of new matches. */
export function useChangeNotify() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, notify }: SavedSearch) => savedSearchRequests.change(id, { notify: !notify }),
    onSuccess: async ({ notify, name }) => {
      toast.success(
        notify ? `You are told about new matches of ${name}.` : `New matches of ${name} are no longer told.`,
      );
      await client.invalidateQueries({ queryKey: savedSearchesOptions.queryKey });
    },
  });
}

/** Whether a saved search tells of new matches; undefined for one that cannot, and where the service does not know of it. */
export const readNotify = (saved: SavedSearch): boolean | undefined =>
  canNotify(saved) ? (saved as Partial<SavedSearch>).notify : undefined;
