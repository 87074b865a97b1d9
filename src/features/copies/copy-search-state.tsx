import { useQuery } from '@tanstack/react-query';
import { Pause, Play } from 'lucide-react';
import { copySearchOptions, usePauseCopySearch } from '../../api/copies.ts';
import { countItems, formatTimeLeft } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { ProgressBar } from '../../ui/progress-bar.tsx';

/** How far the search in items of before is, which can be paused; nothing once it is done. */
export function CopySearchState() {
  const search = useQuery(copySearchOptions);
  const pause = usePauseCopySearch();
  if (!search.data || search.data.data.state === 'done') return null;
  const { state, total, pending, seconds_left } = search.data.data;
  const isPaused = state === 'paused';
  return (
    <div className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-card border border-line bg-surface p-4">
      <div className="min-w-0 flex-1 basis-60">
        <p className="mb-2 tabular-nums" aria-live="polite">
          {isPaused ? 'Paused: ' : 'Looking for copies: '}
          {countItems(pending)} to go
          {seconds_left === null ? '' : ` · ${formatTimeLeft(seconds_left)}`}
        </p>
        <ProgressBar fraction={total > 0 ? (total - pending) / total : 0} label="Items that were compared" />
      </div>
      <Button disabled={pause.isPending} onClick={() => pause.mutate(!isPaused)}>
        {isPaused ? <Play aria-hidden /> : <Pause aria-hidden />}
        {isPaused ? 'Resume' : 'Pause'}
      </Button>
    </div>
  );
}
