import { clsx } from 'clsx';
import { CircleDot, Layers } from 'lucide-react';

/** On a picture: that other items stand behind it. */
export const StackBadge = ({
  stack: { live, count },
  className,
}: {
  stack: { live: boolean; count: number };
  className?: string;
}) => (
  <span className={clsx(pictureBadge, 'flex items-center gap-1', className)}>
    {live ? <CircleDot className="size-3.5" aria-hidden /> : <Layers className="size-3.5" aria-hidden />}
    {live ? 'Live' : <span aria-label={`1 of ${count}`}>{count}</span>}
  </span>
);

/** A text on a picture. */
export const pictureBadge =
  'rounded bg-black/65 px-1 py-px text-xs font-medium text-white tabular-nums forced-colors:bg-[Canvas]';
