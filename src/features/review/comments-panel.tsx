import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { commentsOptions, mentionsOptions, useSeeMentions } from '../../api/comments.ts';
import { connection } from '../../api/connection.ts';
import type { MediaItem } from '../../api/generated/api/index.ts';
import { sessionOptions } from '../../api/session.ts';
import type { PlaybackClock } from '../../lib/playback-clock.ts';
import { Choice } from '../../ui/choice.tsx';
import { PanelSkeleton } from '../../ui/panel.tsx';
import { QueryFailure } from '../../ui/query-failure.tsx';
import { CommentComposer } from './comment-composer.tsx';
import { CommentThread, type Viewer } from './comment-thread.tsx';
import { ReviewButtons } from './review-buttons.tsx';
import { isShown, type Shown, toThreads } from './threads.ts';
import type { ReviewState } from './use-review.ts';

/** What people say about an item, in order of its time, and what the review decides. */
export function CommentsPanel({
  item,
  review,
  clock,
  onSeek,
}: {
  item: MediaItem;
  review: ReviewState;
  /** Where the player is, and what goes to a time of it; both are left out for a photograph. */
  clock?: PlaybackClock;
  onSeek?: (time: number) => void;
}) {
  const comments = useQuery(commentsOptions(item.id));
  const [shown, setShown] = useState<Shown>('open');
  const viewer = useViewer();
  useSeen(item.id);
  const threads = toThreads(comments.data ?? []);
  const count = (which: Shown) => threads.filter((thread) => isShown(thread, which)).length;
  const listed = threads.filter((thread) => isShown(thread, shown) || thread.comment.id === review.selected);
  return (
    <section aria-label="Comments" className="grid gap-3">
      <ReviewButtons item={item} />
      <CommentComposer item={item} review={review} clock={clock} />
      <div className="flex h-8 items-center justify-between gap-2">
        <h2 className="font-semibold">Comments</h2>
        <Choice<Shown>
          label="Which comments"
          value={shown}
          options={[
            { value: 'open', text: `Open ${count('open')}` },
            { value: 'resolved', text: `Resolved ${count('resolved')}` },
            { value: 'all', text: 'All' },
          ]}
          onChange={(chosen) => setShown(chosen ?? 'all')}
        />
      </div>
      {comments.isPending ? <PanelSkeleton rows={2} /> : null}
      {comments.error ? <QueryFailure error={comments.error} onRetry={() => void comments.refetch()} /> : null}
      {comments.data && listed.length === 0 ? <p className="py-2 text-quiet">{emptyTexts[shown]}</p> : null}
      <ul aria-label="List of comments" className="-mx-2 grid gap-1">
        {listed.map((thread) => (
          <CommentThread key={thread.comment.id} thread={thread} viewer={viewer} review={review} onSeek={onSeek} />
        ))}
      </ul>
    </section>
  );
}

const emptyTexts: Record<Shown, string> = {
  open: 'No open comments. Write the first one, at the moment that you see.',
  resolved: 'Nothing is resolved yet.',
  all: 'No comments yet. Write the first one, at the moment that you see.',
};

/** The person who is signed in; null while another service is shown. */
function useViewer(): Viewer {
  const { data: session } = useQuery({ ...sessionOptions, enabled: !connection });
  return session ? { id: session.person.id, isOwner: session.workspace.role === 'owner' } : null;
}

/** Notes that the mentions on an item were seen, as its comments are shown. */
function useSeen(mediaId: string): void {
  const { data: mentions } = useQuery(mentionsOptions);
  const { mutate } = useSeeMentions();
  const isNew = mentions?.some(({ media }) => media.id === mediaId) === true;
  useEffect(() => {
    if (isNew) mutate(mediaId);
  }, [isNew, mediaId, mutate]);
}
