import { clsx } from 'clsx';
import { memo } from 'react';
import type { Chunk } from '../../api/generated/api/index.ts';
import { formatTime } from '../../lib/format.ts';

/** Scrolls the timeline, not the page, until the chunk stands in its middle. */
function keepInView(element: HTMLElement | null): void {
  const list = element?.closest('ol');
  if (!element || !list) return;
  const { left, width } = element.getBoundingClientRect();
  const bounds = list.getBoundingClientRect();
  list.scrollBy({ left: left + width / 2 - bounds.left - bounds.width / 2 });
}

type ChunkTimelineProps = {
  chunks: readonly Chunk[];
  /** Seconds, where the player is. */
  time: number;
  onJump: (seconds: number) => void;
};

/** The chunks of a video side by side, in order of time; the one that plays is marked and kept in view. */
export const ChunkTimeline = ({ chunks, time, onJump }: ChunkTimelineProps) => (
  <ChunkList chunks={chunks} current={chunks.findLast(({ start }) => start <= time + 0.02)?.id} onJump={onJump} />
);

/** Apart from the time, which changes with each frame: a film has thousands of chunks. */
const ChunkList = memo(function ChunkList({
  chunks,
  current,
  onJump,
}: Omit<ChunkTimelineProps, 'time'> & { current: string | undefined }) {
  return (
    <ol aria-label="Timeline" className="relative flex gap-1.5 overflow-x-auto border-t border-line p-2.5">
      {chunks.map((chunk) => (
        <li key={chunk.id} className="shrink-0">
          <button
            ref={chunk.id === current ? keepInView : undefined}
            type="button"
            aria-label={`Go to ${formatTime(chunk.start, true)}${chunk.text ? `: ${chunk.text}` : ''}`}
            aria-current={chunk.id === current ? 'time' : undefined}
            title={chunk.text ?? undefined}
            onClick={() => onJump(chunk.start)}
            className={clsx(
              'relative block w-28 overflow-hidden rounded-md border-2',
              chunk.id === current ? 'border-accent' : 'border-transparent hover:border-line',
            )}
          >
            <img src={chunk.thumbnail} alt="" loading="lazy" className="aspect-video w-full bg-raised object-cover" />
            <span className="absolute right-1 bottom-1 rounded bg-black/70 px-1 text-xs text-white tabular-nums">
              {formatTime(chunk.start)}
            </span>
          </button>
        </li>
      ))}
    </ol>
  );
});
