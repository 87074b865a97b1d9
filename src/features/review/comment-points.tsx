import { useQuery } from '@tanstack/react-query';
import { clsx } from 'clsx';
import type { MouseEvent } from 'react';
import { commentsOptions } from '../../api/comments.ts';
import type { Comment } from '../../api/comments.ts';
import type { MediaItem } from '../../api/generated/api/index.ts';
import { type PlaybackClock, useAtTime } from '../../lib/playback-clock.ts';
import { initialOf } from './threads.ts';
import type { Point, ReviewState } from './use-review.ts';

/** So long before and after its moment a point is seen, seconds. */
const nearSeconds = 0.6;

const isNear = ({ start, end }: Comment, time: number): boolean =>
  start === null || (time >= start - nearSeconds && time <= (end ?? start) + nearSeconds);

/**
 * The places in the picture that open comments are about, each while its moment is shown; and while a place is being chosen, the whole picture takes
 * a click. It lies over an element that shows the picture as `object-fit: contain` does.
 */
export function CommentPoints({
  item,
  review,
  clock,
}: {
  item: Pick<MediaItem, 'id' | 'width' | 'height'>;
  review: ReviewState;
  /** Where the player is; left out for a photograph. */
  clock?: PlaybackClock;
}) {
  const { data: comments = [] } = useQuery(commentsOptions(item.id));
  const placed = comments.filter(({ point, resolved }) => point !== null && resolved === null);
  if (item.width === null || item.height === null) return null;
  const { picking, point, setPicking, setPoint } = review;
  const choose = (chosen: Point) => {
    setPoint(chosen);
    setPicking(false);
  };
  return (
    <div
      className={clsx('absolute inset-0 grid place-items-center overflow-hidden', !picking && 'pointer-events-none')}
      style={{ containerType: 'size' }}
    >
      <div
        className="relative"
        style={{
          width: `min(100cqw, 100cqh * ${item.width / item.height})`,
          aspectRatio: `${item.width} / ${item.height}`,
        }}
      >
        {picking ? <PickPlace onPick={choose} onCancel={() => setPicking(false)} /> : null}
        {clock ? (
          <PointsAtTime placed={placed} review={review} clock={clock} />
        ) : (
          <Points placed={placed} review={review} />
        )}
        {point ? (
          <span
            aria-hidden
            className="absolute size-5 -translate-x-1/2 -translate-y-1/2 rounded-full border-2 border-white bg-accent shadow-float"
            style={toPlace(point)}
          />
        ) : null}
      </div>
    </div>
  );
}

const toPlace = ({ x, y }: Point) => ({ left: `${100 * x}%`, top: `${100 * y}%` });

/** A stable function, so that an element gets the focus once: when it comes. */
const focusIt = (element: HTMLElement | null): void => element?.focus({ preventScroll: true });

/** Takes a click into the picture; by keyboard its middle is chosen. */
const PickPlace = ({ onPick, onCancel }: { onPick: (point: Point) => void; onCancel: () => void }) => (
  <button
    type="button"
    ref={focusIt}
    aria-label="Choose a place in the picture"
    // The stage would take it for a swipe, or a tap that plays.
    onPointerDown={(event) => event.stopPropagation()}
    onClick={(event: MouseEvent) => {
      event.stopPropagation();
      const { left, top, width, height } = event.currentTarget.getBoundingClientRect();
      const isByKey = event.detail === 0;
      onPick(
        isByKey
          ? { x: 0.5, y: 0.5 }
          : { x: clamp((event.clientX - left) / width), y: clamp((event.clientY - top) / height) },
      );
    }}
    onKeyDown={(event) => {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      onCancel();
    }}
    className="absolute inset-0 z-10 cursor-crosshair bg-black/25 outline-2 -outline-offset-2 outline-accent"
  >
    <span className="absolute top-3 left-1/2 -translate-x-1/2 rounded-full bg-black/75 px-3 py-1 text-label text-white">
      Click the place that you mean
    </span>
  </button>
);

const clamp = (fraction: number): number => Math.min(1, Math.max(0, fraction));

type PointsProps = { placed: readonly Comment[]; review: ReviewState };

/** Those of the moment that is shown. */
function PointsAtTime({ clock, placed, review }: PointsProps & { clock: PlaybackClock }) {
  const near = useAtTime(clock, (time) =>
    placed
      .filter((comment) => isNear(comment, time))
      .map(({ id }) => id)
      .join(),
  ).split(',');
  return <Points placed={placed.filter(({ id }) => near.includes(id))} review={review} />;
}

const Points = ({ placed, review }: PointsProps) =>
  placed.map(({ id, point, author, text }) =>
    point === null ? null : (
      <button
        key={id}
        type="button"
        data-comment-point={id}
        title={`${author.name}: ${text.slice(0, 200)}`}
        aria-label={`Comment of ${author.name} in the picture`}
        onPointerDown={(event) => event.stopPropagation()}
        onClick={(event) => {
          event.stopPropagation();
          review.select(id);
        }}
        className={clsx(
          'pointer-events-auto absolute grid size-6 -translate-x-1/2 -translate-y-1/2 place-items-center rounded-full rounded-bl-none border-2 border-white text-xs leading-none font-bold shadow-float transition-transform duration-quick before:absolute before:-inset-2.5 hover:scale-110',
          review.selected === id ? 'scale-110 bg-accent text-accent-ink' : 'bg-warm text-surface',
        )}
        style={toPlace(point)}
      >
        <span aria-hidden>{initialOf(author.name)}</span>
      </button>
    ),
  );
