import { Bell, BellRing } from 'lucide-react';
import type { SavedSearch } from '../../api/generated/api/index.ts';
import { Button } from '../../ui/button.tsx';
import { readNotify, useChangeNotify } from './use-notify.ts';

/** Turns on and off that a saved search tells of new matches. Nothing for one that cannot. */
export function NotifyBell({ saved }: { saved: SavedSearch }) {
  const change = useChangeNotify();
  const notify = readNotify(saved);
  if (notify === undefined) return null;
  return (
    <Button
      variant={notify ? 'pressed' : 'quiet'}
      size="icon"
      aria-label={`Tell me about new matches of ${saved.name}`}
      aria-pressed={notify}
      title={notify ? 'New matches are told. Turn off' : 'Tell me about new matches'}
      disabled={change.isPending}
      onClick={() => change.mutate(saved)}
    >
      {notify ? <BellRing aria-hidden /> : <Bell aria-hidden />}
    </Button>
  );
}
