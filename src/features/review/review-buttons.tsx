import { clsx } from 'clsx';
import { Check, type LucideIcon, MessageSquareWarning } from 'lucide-react';
import { useReviewMedia } from '../../api/comments.ts';
import type { MediaItem } from '../../api/generated/api/index.ts';
import { formatDate } from '../../lib/format.ts';

const decisions: {
  state: 'approved' | 'needs_changes';
  text: string;
  done: string;
  icon: LucideIcon;
  look: string;
}[] = [
  { state: 'approved', text: 'Approve', done: 'Approved', icon: Check, look: 'bg-good text-surface' },
  {
    state: 'needs_changes',
    text: 'Needs changes',
    done: 'Needs changes',
    icon: MessageSquareWarning,
    look: 'bg-warm text-surface',
  },
];

/** Approves an item, or says that it needs changes; pressed again, the decision is taken back. */
export function ReviewButtons({ item: { id, review } }: { item: Pick<MediaItem, 'id' | 'review'> }) {
  const decide = useReviewMedia(id);
  const state = decide.isPending ? decide.variables : review.state;
  const by = review.by === null ? '' : ` by ${review.by}`;
  return (
    <div>
      <div role="group" aria-label="Review" className="flex flex-wrap gap-2">
        {decisions.map(({ state: own, text, done, icon: Icon, look }) => (
          <button
            key={own}
            type="button"
            aria-pressed={state === own}
            disabled={decide.isPending}
            onClick={() => decide.mutate(state === own ? 'none' : own)}
            className={clsx(
              'inline-flex h-8 flex-1 items-center justify-center gap-1.5 rounded-control px-2.5 text-label font-medium whitespace-nowrap transition-colors duration-quick pointer-coarse:h-11',
              state === own ? look : 'border border-line bg-surface text-ink hover:bg-raised',
            )}
          >
            <Icon className="size-4" aria-hidden />
            {state === own ? done : text}
          </button>
        ))}
      </div>
      <p className="mt-1 min-h-4 text-xs leading-4 text-quiet" role="status">
        {review.at === null || state === 'none' ? '' : `Decided${by}, ${formatDate(review.at)}`}
      </p>
    </div>
  );
}
