import { Film, Image } from 'lucide-react';
import { Link } from 'react-router';
import type { MediaItem } from '../../api/generated/api.ts';
import { formatTime } from '../../lib/format.ts';
import { paths } from '../../paths.ts';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { StatusBadge } from './status-badge.tsx';

/** An item of the grid. The picture's place is kept while it loads, so that nothing shifts. */
export function MediaCard({ item }: { item: MediaItem }) {
  const Icon = item.type === 'video' ? Film : Image;
  return (
    <Link
      to={paths.media(item.id)}
      className="group block overflow-hidden rounded-card border border-line bg-surface transition-colors hover:border-quiet"
    >
      <div className="relative aspect-video bg-raised">
        {item.thumbnail ? (
          <img src={item.thumbnail} alt="" loading="lazy" decoding="async" className="size-full object-cover" />
        ) : (
          <span className="grid size-full place-items-center text-quiet">
            <Icon className="size-7 opacity-60" aria-hidden />
          </span>
        )}
        {item.duration === null ? null : (
          <span className="absolute right-1.5 bottom-1.5 rounded bg-black/70 px-1.5 py-0.5 text-xs font-medium text-white tabular-nums">
            {formatTime(item.duration)}
          </span>
        )}
        {item.status === 'complete' ? null : (
          <span className="absolute inset-x-1.5 top-1.5 flex">
            <StatusBadge item={item} />
          </span>
        )}
        {item.progress ? (
          <div className="absolute inset-x-0 bottom-0">
            <ProgressBar fraction={item.progress.fraction} label={`Indexing ${item.filename}`} />
          </div>
        ) : null}
      </div>
      <div className="flex items-center gap-2 px-2.5 py-2">
        <Icon className="size-3.5 shrink-0 text-quiet" aria-hidden />
        <span className="truncate text-[13px]" title={item.filename}>
          {item.filename}
        </span>
        <span className="sr-only">{item.type}</span>
      </div>
    </Link>
  );
}

/** Stands in the grid while the first page loads. */
export function MediaCardSkeleton() {
  return (
    <div className="overflow-hidden rounded-card border border-line bg-surface">
      <div className="aspect-video animate-pulse bg-raised" />
      <div className="px-2.5 py-3">
        <div className="h-3 w-2/3 animate-pulse rounded bg-raised" />
      </div>
    </div>
  );
}
