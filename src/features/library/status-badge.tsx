import { CircleAlert, Clock, TriangleAlert } from 'lucide-react';
import type { MediaItem } from '../../api/generated/api/index.ts';
import { describeStage } from '../../lib/describe-stage.ts';

/** Short names of the warnings, for where the sentence has no room. */
const warningLabels: Record<string, string> = {
  truncated_media: 'Cut off',
  original_missing: 'File missing',
  original_damaged: 'Damaged',
};

/** How an item that cannot be searched yet is doing, or what is wrong with one that can. Nothing for one that is fine. */
export function StatusBadge({ item }: { item: Pick<MediaItem, 'status' | 'progress' | 'warning'> }) {
  if (item.status === 'complete') {
    if (!item.warning) return null;
    return (
      <span
        title={item.warning.message}
        className="inline-flex items-center gap-1 rounded-md bg-danger-soft px-1.5 py-0.5 text-xs font-medium text-danger"
      >
        <TriangleAlert className="size-3.5" aria-hidden />
        {warningLabels[item.warning.code] ?? 'Warning'}
      </span>
    );
  }
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
