import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Bell, BellRing } from 'lucide-react';
import type { SavedSearch } from '../../api/generated/api/index.ts';
import { savedSearchesOptions, savedSearchRequests } from '../../api/saved-searches.ts';
import { Button } from '../../ui/button.tsx';
import { toast } from '../../ui/toast.ts';
import { canNotify } from './saved-view.ts';

/** Turns on and off that a saved search tells of new matches. Nothing for one that cannot, and where the service does not know of it. */
export function NotifyBell({ saved }: { saved: SavedSearch }) {
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: () => savedSearchRequests.change(saved.id, { notify: !saved.notify }),
    onSuccess: async ({ notify, name }) => {
      toast.success(
        notify ? `You are told about new matches of ${name}.` : `New matches of ${name} are no longer told.`,
      );
      await client.invalidateQueries({ queryKey: savedSearchesOptions.queryKey });
    },
  });
  const { notify } = saved as Partial<SavedSearch>;
  if (notify === undefined || !canNotify(saved)) return null;
  return (
    <Button
      variant={notify ? 'pressed' : 'quiet'}
      size="icon"
      aria-label={`Tell me about new matches of ${saved.name}`}
      aria-pressed={notify}
      title={notify ? 'New matches are told. Turn off' : 'Tell me about new matches'}
      disabled={change.isPending}
      onClick={() => change.mutate()}
    >
      {notify ? <BellRing aria-hidden /> : <Bell aria-hidden />}
    </Button>
  );
}
