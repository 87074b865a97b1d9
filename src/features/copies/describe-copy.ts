import type { Copy, SharedSpan } from '../../api/generated/api/index.ts';
import { formatPercent, formatTime } from '../../lib/format.ts';

/** What another item is to the one that is shown. */
export const copyWords: Record<Copy['kind'], string> = {
  same: 'The same',
  version: 'Another version',
  contains: 'Holds all of it',
  contained_in: 'A part of it',
  overlaps: 'Shares a part',
};

/** How what is shared differs: mirrored, cropped, quicker; empty where it does not. */
export function describeDifference({ mirrored, cropped, speed }: SharedSpan): string {
  const words = [
    ...(mirrored ? ['mirrored'] : []),
    ...(cropped > 0 ? [`cropped by ${formatPercent(cropped)}`] : []),
    // Fewer seconds of it pass: it is quicker.
    ...(speed === 1 ? [] : [`${(1 / speed).toFixed(2).replace(/0$/, '')}× speed`]),
  ];
  return words.join(', ');
}

/** Both spans: when it is here, and when there. Null for photographs, which have no times. */
export function describeSpans({
  start,
  end,
  other_start,
  other_end,
}: SharedSpan): { here: string; there: string } | null {
  if (end === 0 && other_end === 0) return null;
  const write = (from: number, to: number) => (to === 0 ? 'photo' : `${formatTime(from)} – ${formatTime(to)}`);
  return { here: write(start, end), there: write(other_start, other_end) };
}
