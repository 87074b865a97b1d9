import { clsx } from 'clsx';
import { AudioLines, Check, Film, Image, ScanText } from 'lucide-react';
import { type DragEvent, memo, type MouseEvent, useState } from 'react';
import { Link, useViewTransitionState } from 'react-router';
import type { MediaItem } from '../../api/generated/api/index.ts';
import { isReadingText } from '../../api/poll-interval.ts';
import type { MediaFilter } from '../../api/queries.ts';
import { formatTime } from '../../lib/format.ts';
import { trailState } from '../../lib/item-trail.ts';
import { formatTakenDay } from '../../lib/taken.ts';
import { paths } from '../../paths.ts';
import { ProgressBar } from '../../ui/progress-bar.tsx';
import { pictureBadge, StackBadge } from '../../ui/stack-badge.tsx';
import { StarCount } from '../../ui/stars.tsx';
import { OfflineMark } from './offline-mark.tsx';
import { ScrubThumbnail } from './scrub-thumbnail.tsx';
import { StatusBadge } from './status-badge.tsx';

const icons = { video: Film, image: Image, audio: AudioLines };

export type CardProps = {
  item: MediaItem;
  selected: boolean;
  /** Whether what is under way, such as a frame that is drawn, would select it. */
  previewed: boolean;
  /** Whether some item is selected: then a click selects this one as well. */
  selecting: boolean;
  /** Whether the Tab key stops at its link; the grid's keys lead to the others. */
  tabStop: boolean;
  /** Of its picture, pixels. */
  width: number;
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

/** The link of an item, which selects it as long as others are selected. It opens from its place, except where less motion is wanted. */
export function useItemLink({ item, selecting, tabStop, filter, place, from, onSelect, onDrag }: CardProps) {
  const to = paths.media(item.id);
  const isOpening = useViewTransitionState(to);
  const onClick = (event: MouseEvent) => {
    // By the Enter key (a click without a press) a card opens even while others are selected.
    if (event.detail === 0 || (!selecting && !event.shiftKey)) return;
    event.preventDefault();
    onSelect(place, item.id, event.shiftKey);
  };
  return {
    link: {
      to,
      state: trailState({ from, filter, place }),
      viewTransition: !window.matchMedia('(prefers-reduced-motion: reduce)').matches,
      tabIndex: tabStop ? 0 : -1,
      onClick,
      onDragStart: (event: DragEvent) => onDrag(event, item.id),
    },
    /** Of its picture, which becomes that of the page it opens, and comes back from there. */
    style: isOpening ? { viewTransitionName: 'opened-media' } : {},
  };
}

/** An item of the grid: its picture. Drawn again only when something of it changes: the grid is, with each step of scrolling. */
export const MediaCard = memo(function MediaCard(props: CardProps) {
  const { item, selected, previewed, selecting, width, filter, place, onSelect } = props;
  const [focused, setFocused] = useState(false);
  const { link, style } = useItemLink(props);
  const chosen = selected || previewed;
  return (
    <div className={clsx('group relative size-full rounded-md', chosen ? 'bg-accent-soft' : 'bg-raised')}>
      <Link
        {...link}
        onFocus={({ currentTarget }) => setFocused(currentTarget.matches(':focus-visible'))}
        onBlur={() => setFocused(false)}
        className="block size-full rounded-md outline-offset-1 [-webkit-touch-callout:none]"
      >
        <div
          style={style}
          className={clsx(
            'absolute overflow-hidden rounded-md transition-[inset] duration-quick',
            chosen ? 'inset-2 max-md:inset-1.5' : 'inset-0',
          )}
        >
          <Picture item={item} width={width} focused={focused} />
          <Caption item={item} dated={filter.sort?.endsWith('taken_at') ?? false} />
        </div>
      </Link>
      <SelectBox
        label={`Select ${item.filename}`}
        selected={selected}
        visible={chosen || selecting}
        onClick={(event) => onSelect(place, item.id, event.shiftKey)}
      />
    </div>
  );
});

/** The picture with length, status and progress on it. Its space is kept while it loads, so that nothing shifts. */
function Picture({ item, width, focused }: { item: MediaItem; width: number; focused: boolean }) {
  const Icon = icons[item.type];
  return (
    <>
      {item.thumbnail ? (
        <ScrubThumbnail item={item} thumbnail={item.thumbnail} width={width} focused={focused} />
      ) : (
        <span className="grid size-full place-items-center text-quiet">
          <Icon className="size-6 opacity-60" aria-hidden />
        </span>
      )}
      <span className="pointer-events-none absolute right-1 bottom-1 z-1 flex gap-1">
        {item.stack ? <StackBadge stack={item.stack} /> : null}
        {item.duration === null ? null : <span className={pictureBadge}>{formatTime(item.duration)}</span>}
      </span>
      {item.status === 'complete' && !item.warning && !item.source?.offline ? null : (
        <span className="pointer-events-none absolute top-1 right-1 left-8 flex items-center justify-end gap-1">
          <StatusBadge item={item} />
          <OfflineMark source={item.source} className="rounded bg-black/65 p-1 text-white forced-colors:bg-[Canvas]" />
        </span>
      )}
      {item.progress ? (
        <div className="absolute inset-x-0 bottom-0">
          <ProgressBar fraction={item.progress.fraction} label={`Processing ${item.filename}`} />
        </div>
      ) : null}
    </>
  );
}

/** What is known of the item in words, over the foot of its picture while the pointer or the keyboard is there; of a recording always. */
const Caption = ({ item, dated }: { item: MediaItem; dated: boolean }) => (
  <div
    className={clsx(
      'pointer-events-none absolute inset-x-0 bottom-0 flex flex-col items-start gap-0.5 bg-linear-to-t from-black/80 via-black/50 to-transparent px-2 pt-6 pb-1 text-xs text-white',
      // A waveform looks like any other.
      item.type === 'audio' ||
        'opacity-0 transition-opacity duration-quick group-focus-within:opacity-100 group-hover:opacity-100',
      (item.duration !== null || item.stack !== null) &&
        (item.duration === null || item.stack === null ? 'pr-12' : 'pr-24'),
    )}
  >
    {dated && item.taken_at ? (
      <span className="max-w-full truncate opacity-85">
        {formatTakenDay(item.taken_at, item.capture?.zone ?? null)}
      </span>
    ) : null}
    <span className="dark [&>span]:text-warm">
      <StarCount value={item.rating} />
    </span>
    <span className="flex max-w-full items-center gap-1.5">
      <span className="truncate font-medium" title={item.filename}>
        {item.filename}
      </span>
      <span className="sr-only">{item.type}</span>
      {item.status === 'complete' && isReadingText(item) ? <ReadingText /> : null}
    </span>
  </div>
);

/** Its words are not found yet: what is written and said in it is read behind its back. */
const ReadingText = () => (
  <span className="shrink-0" title="Its text is still being read">
    <ScanText className="size-3.5" aria-hidden />
    <span className="sr-only">Its text is still being read</span>
  </span>
);

/**
 * The checkbox of a card. While it is not visible, pointing at the card or focus shows it. On touch screens a long press begins to select: until
 * then a corner of a small picture must not be in the way of opening it.
 */
export function SelectBox({
  label,
  selected,
  visible,
  centred = false,
  onClick,
}: {
  label: string;
  selected: boolean;
  visible: boolean;
  /** In the middle of a line, not in the corner of a picture. */
  centred?: boolean;
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
        centred ? 'top-1/2 left-1 -translate-y-1/2 max-md:left-5' : 'top-1 left-1',
        'absolute grid size-6 place-items-center rounded-full border shadow-sm transition-opacity duration-quick before:absolute before:-inset-1 pointer-coarse:before:-inset-2.5',
        selected ? 'border-accent bg-accent text-accent-ink' : 'border-white/85 bg-black/40 text-transparent',
        !visible &&
          'opacity-0 group-hover:opacity-100 focus-visible:opacity-100 pointer-coarse:pointer-events-none pointer-coarse:opacity-0',
      )}
    >
      <Check className="size-4" aria-hidden />
    </button>
  );
}

/** Stands in the grid while an item loads. */
export const MediaCardSkeleton = () => <div className="size-full rounded-md bg-raised" />;
