import { useQuery } from '@tanstack/react-query';
import { Clock, Crosshair, X } from 'lucide-react';
import { type ReactNode, useId, useRef, useState } from 'react';
import { membersOptions, useCreateComment } from '../../api/comments.ts';
import type { MediaItem } from '../../api/generated/api/index.ts';
import { formatTime } from '../../lib/format.ts';
import { type PlaybackClock, useAtTime } from '../../lib/playback-clock.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { MentionField } from './mention-field.tsx';
import type { ReviewState } from './use-review.ts';

/** The place of a new comment in a video. */
type Span = { start: number; end: number | null };

const tenths = (time: number): number => Math.round(time * 10) / 10;

/**
 * Writes a comment on an item: at the moment where the player is once one begins to write, on a span up to where it was played then, and at a
 * place of the picture.
 */
export function CommentComposer({
  item,
  review,
  clock,
}: {
  item: Pick<MediaItem, 'id' | 'type' | 'duration'>;
  review: ReviewState;
  /** Where the player is; left out for a photograph. */
  clock: PlaybackClock | undefined;
}) {
  const create = useCreateComment(item.id);
  const [text, setText] = useState('');
  /** Null: the whole video. Undefined: where the player is. */
  const [span, setSpan] = useState<Span | null | undefined>(undefined);
  const members = useQuery(membersOptions).data ?? [];
  const field = useRef<HTMLTextAreaElement>(null);
  const begin = () => {
    if (clock && span === undefined) setSpan({ start: tenths(clock.now()), end: null });
  };
  const clear = () => {
    setText('');
    setSpan(undefined);
    review.setPoint(null);
  };
  const send = () => {
    if (text.trim() === '' || create.isPending) return;
    const place = span ?? (span === undefined && clock ? { start: tenths(clock.now()), end: null } : null);
    create.mutate(
      {
        text,
        ...(place ? { start: Math.min(place.start, item.duration ?? place.start) } : {}),
        ...(place?.end ? { end: Math.min(place.end, item.duration ?? place.end) } : {}),
        ...(review.point ? { point: review.point } : {}),
        mentions: members.filter(({ name }) => text.includes(`@${name}`)).map(({ id }) => id),
      },
      {
        onSuccess({ id }) {
          clear();
          review.select(id);
          field.current?.focus();
        },
      },
    );
  };
  return (
    <form
      aria-label="New comment"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      className="rounded-control border border-line bg-canvas focus-within:border-accent"
    >
      <MentionField
        ref={field}
        label="Comment"
        placeholder="Write a comment. @ mentions a member."
        value={text}
        members={members}
        onChange={(value) => {
          if (value !== '') begin();
          setText(value);
        }}
        onSubmit={send}
      />
      <div className="flex flex-wrap items-center gap-1.5 px-2 pb-2">
        {clock ? <Place clock={clock} span={span} onChange={setSpan} /> : null}
        <PointChoice review={review} />
        <Button
          type="submit"
          variant="primary"
          size="small"
          className="ml-auto pointer-coarse:h-11"
          disabled={text.trim() === '' || create.isPending}
        >
          Comment
        </Button>
      </div>
      {create.error ? (
        <p role="alert" className="px-3 pb-2 text-xs text-danger">
          {create.error.message}
        </p>
      ) : null}
    </form>
  );
}

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

/** When in the video a comment is: a moment, a span, or nowhere. */
function Place({
  clock,
  span,
  onChange,
}: {
  clock: PlaybackClock;
  span: Span | null | undefined;
  onChange: (span: Span | null | undefined) => void;
}) {
  const now = useAtTime(clock, tenths);
  if (span === null) {
    return (
      <Button variant="quiet" size="small" onClick={() => onChange({ start: tenths(clock.now()), end: null })}>
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
        <Button variant="quiet" size="small" onClick={() => onChange({ start, end: now })}>
          To {formatTime(now, true)}
        </Button>
      ) : null}
    </>
  );
}

/** Chooses a place of the picture, or takes it away. */
function PointChoice({ review: { point, picking, setPicking, setPoint } }: { review: ReviewState }) {
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
