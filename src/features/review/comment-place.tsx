import { Clock, Crosshair, X } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { formatTime } from '../../lib/format.ts';
import { type PlaybackClock, useAtTime } from '../../lib/playback-clock.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import type { ReviewState } from './use-review.ts';

/** When in a video a new comment is: a moment or a span, seconds; null: the whole video; undefined: where the player is. */
export type ChosenSpan = { start: number; end: number | null } | null | undefined;

export const tenths = (time: number): number => Math.round(time * 10) / 10;

const Chip = ({ children, onRemove, label }: { children: ReactNode; onRemove: () => void; label: string }) => (
  <span className="inline-flex h-7 items-center gap-1 rounded-full bg-accent-soft pl-2.5 text-xs font-medium text-accent tabular-nums pointer-coarse:h-11">
    {children}
    <button
      type="button"
      aria-label={label}
      title={label}
      onClick={onRemove}
      className="grid size-7 place-items-center rounded-full pointer-coarse:size-11"
    >
      <X className="size-3.5" aria-hidden />
    </button>
  </span>
);

/** Chooses when in the video a comment is. */
export function TimeChoice({
  clock,
  span,
  onChange,
}: {
  clock: PlaybackClock;
  span: ChosenSpan;
  onChange: (span: ChosenSpan) => void;
}) {
  const now = useAtTime(clock, tenths);
  if (span === null) {
    return (
      <Button
        variant="quiet"
        size="small"
        onClick={() => onChange({ start: tenths(clock.now()), end: null })}
        className="pointer-coarse:h-11"
      >
        <Clock aria-hidden />
        At this moment
      </Button>
    );
  }
  const { start, end } = span ?? { start: now, end: null };
  return (
    <>
      <Chip label="Comment on the whole video" onRemove={() => onChange(null)}>
        <Clock className="size-3.5" aria-hidden />
        {end === null ? `At ${formatTime(start, true)}` : `${formatTime(start, true)} – ${formatTime(end, true)}`}
      </Chip>
      {span && now > start && now !== end ? (
        <Button
          variant="quiet"
          size="small"
          onClick={() => onChange({ start, end: now })}
          className="pointer-coarse:h-11"
        >
          To {formatTime(now, true)}
        </Button>
      ) : null}
    </>
  );
}

/** Chooses a place of the picture, or takes it away. */
export function PointChoice({ review: { point, picking, setPicking, setPoint } }: { review: ReviewState }) {
  const hint = useId();
  if (point) {
    return (
      <Chip label="Remove the place in the picture" onRemove={() => setPoint(null)}>
        <Crosshair className="size-3.5" aria-hidden />
        Place
      </Chip>
    );
  }
  return (
    <>
      <IconButton
        icon={Crosshair}
        size="smallIcon"
        label="Point at a place in the picture"
        aria-pressed={picking}
        aria-describedby={picking ? hint : undefined}
        variant={picking ? 'pressed' : 'quiet'}
        onClick={() => setPicking(!picking)}
        className="pointer-coarse:size-11"
      />
      {picking ? (
        <span id={hint} className="text-xs text-quiet">
          Click into the picture. Esc ends it.
        </span>
      ) : null}
    </>
  );
}
