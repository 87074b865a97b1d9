import { useQuery } from '@tanstack/react-query';
import { type RefObject, useRef, useState } from 'react';
import { membersOptions, useCreateComment } from '../../api/comments.ts';
import type { MediaItem } from '../../api/generated/api/index.ts';
import type { PlaybackClock } from '../../lib/playback-clock.ts';
import { Button } from '../../ui/button.tsx';
import { CommentForm } from './comment-form.tsx';
import { type ChosenSpan, PointChoice, tenths, TimeChoice } from './comment-place.tsx';
import { MentionField } from './mention-field.tsx';
import { mentionedIn } from './threads.ts';
import type { ReviewState } from './use-review.ts';

type ComposerProps = {
  item: Pick<MediaItem, 'id' | 'type' | 'duration'>;
  review: ReviewState;
  /** Where the player is; left out for a photograph. */
  clock: PlaybackClock | undefined;
};

/**
 * Writes a comment on an item: at the moment where the player is once one begins to write, on a span up to where it was played then, and at a
 * place of the picture.
 */
export function CommentComposer(props: ComposerProps) {
  const { clock, review } = props;
  const field = useRef<HTMLTextAreaElement>(null);
  const { text, write, span, setSpan, members, send, busy, error } = useNewComment(props, field);
  return (
    <CommentForm label="New comment" error={error} onSubmit={send}>
      <MentionField
        ref={field}
        label="Comment"
        placeholder="Write a comment. @ mentions a member."
        value={text}
        members={members}
        onChange={write}
        onSubmit={send}
      />
      <div className="flex flex-wrap items-center gap-1.5 px-2 pb-2">
        {clock ? <TimeChoice clock={clock} span={span} onChange={setSpan} /> : null}
        <PointChoice review={review} />
        <Button
          type="submit"
          variant="primary"
          size="small"
          className="ml-auto pointer-coarse:h-11"
          disabled={text.trim() === '' || busy}
        >
          Comment
        </Button>
      </div>
    </CommentForm>
  );
}

/** The comment that is being written. @param field gets the focus again once it was sent */
function useNewComment({ item, review, clock }: ComposerProps, field: RefObject<HTMLTextAreaElement | null>) {
  const create = useCreateComment(item.id);
  const [text, setText] = useState('');
  const [span, setSpan] = useState<ChosenSpan>(undefined);
  const members = useQuery(membersOptions).data ?? [];
  const here = (): ChosenSpan => (clock ? { start: tenths(clock.now()), end: null } : null);
  const within = (time: number) => Math.min(time, item.duration ?? time);
  const send = () => {
    if (text.trim() === '' || create.isPending) return;
    const place = span === undefined ? here() : span;
    create.mutate(
      {
        text,
        ...(place ? { start: within(place.start) } : {}),
        ...(place?.end ? { end: within(place.end) } : {}),
        ...(review.point ? { point: review.point } : {}),
        mentions: mentionedIn(text, members),
      },
      {
        onSuccess({ id }) {
          setText('');
          setSpan(undefined);
          review.setPoint(null);
          review.select(id);
          field.current?.focus();
        },
      },
    );
  };
  return {
    text,
    write: (value: string) => {
      if (value !== '' && span === undefined) setSpan(here());
      setText(value);
    },
    span,
    setSpan,
    members,
    send,
    busy: create.isPending,
    error: create.error,
  };
}
