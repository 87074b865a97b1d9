import { clsx } from 'clsx';
import { type LucideIcon, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { MediaItem } from '../../api/generated/api/index.ts';
import { describeStage } from '../../lib/describe-stage.ts';
import { mediaStatuses } from '../../lib/media-status.ts';

/** Short names of the warnings: a card has no room for the sentence. */
const warningLabels: Record<string, string> = {
  truncated_media: 'Cut off',
  original_missing: 'File missing',
  original_damaged: 'Damaged',
};

/** The status of an item that cannot be searched, or the warning of one that can. Nothing for one without either. */
export function StatusBadge({ item }: { item: Pick<MediaItem, 'status' | 'progress' | 'warning'> }) {
  const { text, badge } = mediaStatuses[item.status];
  if (!badge) {
    if (!item.warning) return null;
    return (
      <Badge className="bg-danger-soft text-danger" icon={TriangleAlert} title={item.warning.message}>
        {warningLabels[item.warning.code] ?? 'Warning'}
      </Badge>
    );
  }
  if (item.status === 'error') return <Badge {...badge}>{text}</Badge>;
  return (
    <Badge {...badge} className={clsx(badge.className, 'min-w-0 tabular-nums')}>
      <span className="truncate">{describeStage(item.progress)}</span>
    </Badge>
  );
}

function Badge({
  icon: Icon,
  className,
  title,
  children,
}: {
  icon: LucideIcon;
  /** Its colours. */
  className: string;
  title?: string;
  children: ReactNode;
}) {
  return (
    <span
      title={title}
      className={clsx('inline-flex items-center gap-1 rounded-md px-1.5 py-0.5 text-xs font-medium', className)}
    >
      <Icon className="size-3.5 shrink-0" aria-hidden />
      {children}
    </span>
  );
}
