import { clsx } from 'clsx';
import { memo } from 'react';
import type { Chunk } from '../../api/generated/api/index.ts';
import { formatTime } from '../../lib/format.ts';
import { type PlaybackClock, useAtTime } from '../../lib/playback-clock.ts';

/** Scrolls the list, not the page, until the scene can be seen. */
function keepInView(element: HTMLElement | null): void {
  const list = element?.closest('ol');
  if (!element || !list) return;
  const { top, height } = element.getBoundingClientRect();
  const bounds = list.getBoundingClientRect();
  list.scrollBy({ top: top + height / 2 - bounds.top - bounds.height / 2 });
}

type SceneListProps = { chunks: readonly Chunk[]; clock: PlaybackClock; onJump: (seconds: number) => void };

/** The scenes of a video, in order of time; the one that plays is marked and kept in view. */
export function SceneList({ chunks, clock, onJump }: SceneListProps) {
  const current = useAtTime(clock, (time) => chunks.findLast(({ start }) => start <= time + 0.02)?.id);
  return <Scenes chunks={chunks} current={current} onJump={onJump} />;
}

/** Apart from the time, which changes with each frame: a film has thousands of scenes. */
const Scenes = memo(function Scenes({
  chunks,
  current,
  onJump,
}: Omit<SceneListProps, 'clock'> & { current: string | undefined }) {
  return (
    <ol aria-label="Timeline" className="grid max-h-full grid-cols-2 gap-1.5 overflow-y-auto">
      {chunks.map((chunk) => (
        <li key={chunk.id}>
          <button
            ref={chunk.id === current ? keepInView : undefined}
            type="button"
            aria-label={`Go to ${formatTime(chunk.start, true)}${chunk.text ? `: ${chunk.text}` : ''}`}
            aria-current={chunk.id === current ? 'time' : undefined}
            title={chunk.text ?? undefined}
            onClick={() => onJump(chunk.start)}
            className={clsx(
              'relative block w-full overflow-hidden rounded-control border-2',
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
