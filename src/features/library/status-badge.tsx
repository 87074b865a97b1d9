import { CircleAlert, Clock } from 'lucide-react';
import type { MediaItem } from '../../api/generated/api.ts';
import { describeStage } from '../../lib/describe-stage.ts';

/** How an item that cannot be searched yet is doing. Nothing for one that can. */
export function StatusBadge({ item }: { item: Pick<MediaItem, 'status' | 'progress'> }) {
  if (item.status === 'complete') return null;
  if (item.status === 'error') {
    return (
      <span className="inline-flex items-center gap-1 rounded-md bg-danger-soft px-1.5 py-0.5 text-xs font-medium text-danger">
        <CircleAlert className="size-3.5" aria-hidden />
        Failed
      </span>
    );
  }
  return (
    <span className="inline-flex min-w-0 items-center gap-1 rounded-md bg-accent-soft px-1.5 py-0.5 text-xs font-medium text-accent tabular-nums">
      <Clock className="size-3.5 shrink-0" aria-hidden />
      <span className="truncate">{describeStage(item.progress)}</span>
    </span>
  );
}
