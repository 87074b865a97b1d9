import type { Source } from '../../api/generated/api/index.ts';
import { formatCount, formatPercent, formatTimeLeft } from '../../lib/format.ts';
import { countItemsOf, countWaiting } from '../../lib/source-counts.ts';
import { ProgressBar } from '../../ui/progress-bar.tsx';

/** How many of the items of a source are indexed, and how long the others take; nothing when all are. */
export function SourceProgress({ source }: { source: Source }) {
  const waiting = countWaiting(source);
  if (waiting === 0 || source.state === 'removing') return null;
  const all = countItemsOf(source);
  const done = all - waiting;
  // What is paused or away is not being done.
  const left = ['paused', 'offline'].includes(source.state) ? null : source.seconds_left;
  return (
    <div className="space-y-1.5">
      <ProgressBar fraction={done / all} label={`Indexing ${source.name}`} />
      <p className="flex flex-wrap justify-between gap-x-4 text-xs text-quiet tabular-nums">
        <span>
          {formatCount(done)} of {formatCount(all)} items indexed
        </span>
        <span>
          {formatPercent(done / all)}
          {left === null ? '' : ` · ${formatTimeLeft(left)}`}
        </span>
      </p>
    </div>
  );
}
