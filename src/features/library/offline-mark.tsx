import { clsx } from 'clsx';
import { Unplug } from 'lucide-react';
import type { MediaItem } from '../../api/generated/api/index.ts';

/** Says quietly that the original of an item is not to be reached at the moment; nothing of one that is. */
export const OfflineMark = ({ source, className }: { source: MediaItem['source']; className?: string }) =>
  source?.offline ? (
    <span title={`Offline: ${source.name} is not to be reached`} className={clsx('shrink-0', className)}>
      <Unplug className="size-3.5" aria-hidden />
      <span className="sr-only">offline</span>
    </span>
  ) : null;
