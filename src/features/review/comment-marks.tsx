import { useQuery } from '@tanstack/react-query';
import { clsx } from 'clsx';
import { commentsOptions } from '../../api/comments.ts';
import type { MediaItem } from '../../api/generated/api/index.ts';
import { formatTime } from '../../lib/format.ts';
import { initialOf, toThreads } from './threads.ts';
import type { ReviewState } from './use-review.ts';

/** Width of the handle of the slider that the marks lie over, pixels. */
const handleWidth = 14;
const placeOf = (fraction: number) => `calc(${handleWidth / 2}px + ${fraction} * (100% - ${handleWidth}px))`;

/**
 * The open comments of a video on the timeline of its player: a circle with the letter of who wrote it where it begins, a line over its span.
 * A click goes there. By keyboard the list of comments does the same.
 */
export function CommentMarks({
  item,
  review,
  onSeek,
}: {
  item: Pick<MediaItem, 'id' | 'duration'>;
  review: ReviewState;
  onSeek: (time: number) => void;
}) {
  const { data: comments = [] } = useQuery(commentsOptions(item.id));
  const duration = item.duration ?? 0;
  if (duration === 0) return null;
  return toThreads(comments).map(({ comment: { id, start, end, author, text, resolved } }) =>
    start === null || resolved !== null ? null : (
      <div key={id} className="pointer-events-none absolute inset-0">
        {end === null ? null : (
          <div
            className="absolute top-0 h-0.5 bg-warm"
            style={{
              left: placeOf(start / duration),
              width: `calc(${(end - start) / duration} * (100% - ${handleWidth}px))`,
            }}
          />
        )}
        <button
          type="button"
          tabIndex={-1}
          data-comment-mark={id}
          title={`${author.name}, ${formatTime(start, true)}: ${text.slice(0, 200)}`}
          aria-label={`Comment of ${author.name} at ${formatTime(start, true)}`}
          onClick={() => {
            review.select(id);
            onSeek(start);
          }}
          className={clsx(
            'pointer-events-auto absolute -top-2.5 grid size-4.5 -translate-x-1/2 place-items-center rounded-full border border-surface text-[0.625rem] leading-none font-bold shadow-float transition-transform duration-quick before:absolute before:-inset-1.5 hover:z-10 hover:scale-125',
            review.selected === id ? 'z-10 scale-125 bg-accent text-accent-ink' : 'bg-warm text-surface',
          )}
          style={{ left: placeOf(start / duration) }}
        >
          <span aria-hidden>{initialOf(author.name)}</span>
        </button>
      </div>
    ),
  );
}
