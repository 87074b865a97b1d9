import { clsx } from 'clsx';
import { Check, Film, Image, ScanText } from 'lucide-react';
import { type DragEvent, memo, type MouseEvent, useState } from 'react';
import { Link } from 'react-router';
import type { MediaItem } from '../../api/generated/api/index.ts';
import { isReadingText } from '../../api/poll-interval.ts';
import type { MediaFilter } from '../../api/queries.ts';
import { formatTime } from '../../lib/format.ts';
import { trailState } from '../../lib/item-trail.ts';
import { formatTakenDay } from '../../lib/taken.ts';
import { paths } from '../../paths.ts';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { StarCount } from '../../ui/stars.tsx';
import { ScrubThumbnail } from './scrub-thumbnail.tsx';
import { StatusBadge } from './status-badge.tsx';

const icons = { video: Film, image: Image };

type CardProps = {
  item: MediaItem;
  selected: boolean;
  /** Whether some item is selected: then a click selects this one as well. */
  selecting: boolean;
  /** Whether the Tab key stops at its link; the grid's keys lead to the others. */
  tabStop: boolean;
  /** Whether it shows the day on which it was recorded. */
  dated: boolean;
  /** Where it stands in a list: the page of the item goes on to those beside it. */
  filter: MediaFilter;
  place: number;
  /** The address of that list. */
  from: string;
  /** `range`: selects all from the item that was selected last to this one. */
  onSelect: (place: number, id: string, range: boolean) => void;
  /** Its link is dragged. */
  onDrag: (event: DragEvent, id: string) => void;
};

/** An item of the grid. Drawn again only when something of it changes: the grid is, with each step of scrolling. */
export const MediaCard = memo(function MediaCard({
  item,
  selected,
  selecting,
  tabStop,
  dated,
  filter,
  place,
  from,
  onSelect,
  onDrag,
}: CardProps) {
  const [focused, setFocused] = useState(false);
  const Icon = icons[item.type];
  const onClick = (event: MouseEvent) => {
    // By the Enter key (a click without a press) a card opens even while others are selected.
    if (event.detail === 0 || (!selecting && !event.shiftKey)) return;
    event.preventDefault();
    onSelect(place, item.id, event.shiftKey);
  };
  return (
    <div
      className={clsx(
        'group relative overflow-hidden rounded-card border bg-surface transition-colors',
        selected ? 'border-accent ring-2 ring-accent' : 'border-line hover:border-quiet',
      )}
    >
      <Link
        to={paths.media(item.id)}
        state={trailState({ from, filter, place })}
        tabIndex={tabStop ? 0 : -1}
        onClick={onClick}
        onDragStart={(event) => onDrag(event, item.id)}
        onFocus={({ currentTarget }) => setFocused(currentTarget.matches(':focus-visible'))}
        onBlur={() => setFocused(false)}
        className="block"
      >
        <CardImage item={item} focused={focused} dated={dated} />
        <div className="flex items-center gap-2 px-2.5 py-2">
          <Icon className="size-3.5 shrink-0 text-quiet" aria-hidden />
          <span className="truncate text-label" title={item.filename}>
            {item.filename}
          </span>
          <span className="sr-only">{item.type}</span>
          <span className="ml-auto flex shrink-0 items-center gap-1.5">
            <StarCount value={item.rating} />
            {item.status === 'complete' && isReadingText(item) ? <ReadingText /> : null}
          </span>
        </div>
      </Link>
      <SelectBox
        label={`Select ${item.filename}`}
        selected={selected}
        visible={selected || selecting}
        onClick={(event) => onSelect(place, item.id, event.shiftKey)}
      />
    </div>
  );
});

/** Its words are not found yet: what is written and said in it is read behind its back. */
const ReadingText = () => (
  <span className="shrink-0 text-quiet" title="Its text is still being read">
    <ScanText className="size-3.5" aria-hidden />
    <span className="sr-only">Its text is still being read</span>
  </span>
);

/** A text on the image of a card. */
const badge =
  'pointer-events-none absolute bottom-1.5 rounded bg-black/70 px-1.5 py-0.5 text-xs font-medium text-white tabular-nums';

/** The image with length, status and progress on it. Its space is kept while it loads, so that nothing shifts. */
function CardImage({ item, focused, dated }: { item: MediaItem; focused: boolean; dated: boolean }) {
  const Icon = icons[item.type];
  return (
    <div className="relative aspect-video bg-raised">
      {item.thumbnail ? (
        <ScrubThumbnail item={item} thumbnail={item.thumbnail} focused={focused} />
      ) : (
        <span className="grid size-full place-items-center text-quiet">
          <Icon className="size-7 opacity-60" aria-hidden />
        </span>
      )}
      {dated && item.taken_at ? (
        <span className={clsx(badge, 'left-1.5')}>{formatTakenDay(item.taken_at, item.capture?.zone ?? null)}</span>
      ) : null}
      {item.duration === null ? null : <span className={clsx(badge, 'right-1.5')}>{formatTime(item.duration)}</span>}
      {item.status === 'complete' && !item.warning ? null : (
        <span className="pointer-events-none absolute top-1.5 right-1.5 left-10 flex justify-end">
          <StatusBadge item={item} />
        </span>
      )}
      {item.progress ? (
        <div className="absolute inset-x-0 bottom-0">
          <ProgressBar fraction={item.progress.fraction} label={`Processing ${item.filename}`} />
        </div>
      ) : null}
    </div>
  );
}

/** The checkbox of a card. While it is not visible, pointing at the card or focus shows it, and touch screens show it always. */
function SelectBox({
  label,
  selected,
  visible,
  onClick,
}: {
  label: string;
  selected: boolean;
  visible: boolean;
  onClick: (event: MouseEvent) => void;
}) {
  return (
    <button
      type="button"
      role="checkbox"
      aria-checked={selected}
      aria-label={label}
      // By keyboard the card itself is selected, with Space or X.
      tabIndex={-1}
      onClick={onClick}
      className={clsx(
        'absolute top-1.5 left-1.5 grid size-6 place-items-center rounded-md border shadow-sm transition-opacity',
        selected ? 'border-accent bg-accent text-accent-ink' : 'border-white/80 bg-black/45 text-transparent',
        !visible && 'opacity-0 group-hover:opacity-100 focus-visible:opacity-100 pointer-coarse:opacity-100',
      )}
    >
      <Check className="size-4" aria-hidden />
    </button>
  );
}

/** Stands in the grid while an item loads. */
export function MediaCardSkeleton() {
  return (
    <div className="overflow-hidden rounded-card border border-line bg-surface">
      <div className="aspect-video animate-pulse bg-raised" />
      <div className="px-2.5 py-3">
        <div className="h-3 w-2/3 animate-pulse rounded bg-raised" />
      </div>
    </div>
  );
}
