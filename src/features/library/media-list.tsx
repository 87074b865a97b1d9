import { useQuery } from '@tanstack/react-query';
import { clsx } from 'clsx';
import { ArrowDown, ArrowUp, AudioLines, Film, Image } from 'lucide-react';
import { createContext, memo, useCallback, useContext, useMemo } from 'react';
import { Link } from 'react-router';
import type { MediaItem } from '../../api/generated/api/index.ts';
import { collectionsOptions, tagsOptions } from '../../api/item-groups.ts';
import { categoriesOptions, creatorsOptions } from '../../api/labels.ts';
import type { MediaSort } from '../../api/queries.ts';
import { formatBytes, formatTime } from '../../lib/format.ts';
import { formatTakenDay } from '../../lib/taken.ts';
import { CardImage } from '../../ui/card-image.tsx';
import { StarCount } from '../../ui/stars.tsx';
import { useSearchState } from '../../use-search-state.ts';
import { createListLayout } from './grid-layout.ts';
import { sortChange } from './library-search.ts';
import { type CardProps, SelectBox, useItemLink } from './media-card.tsx';
import { type MediaGridProps, MediaRows } from './media-rows.tsx';
import { OfflineMark } from './offline-mark.tsx';
import { StatusBadge } from './status-badge.tsx';
import type { GridWidth } from './use-grid-rows.ts';

/** The columns from the name on; a phone has two lines instead. */
const columns =
  'md:grid md:grid-cols-[minmax(8rem,3fr)_4rem_6rem_minmax(4rem,2fr)_4.5rem] lg:grid-cols-[minmax(9rem,3fr)_4rem_5rem_6.5rem_minmax(5rem,2fr)_4.5rem] md:items-center md:gap-3';

/** The names of all labels by their identifiers. */
const Names = createContext<ReadonlyMap<string, string>>(new Map());

/** All items of a filter in lines with what is known of them. */
export function MediaList(props: MediaGridProps) {
  const { total, filter } = props;
  const names = useNames();
  const createLayout = useCallback(
    ({ width }: GridWidth) => createListLayout(total, width, width < 640 ? 64 : 52),
    [total],
  );
  return (
    <Names value={names}>
      <Head sort={filter.sort ?? '-created_at'} />
      <MediaRows {...props} createLayout={createLayout} Item={MediaLine} Skeleton={LineSkeleton} />
    </Names>
  );
}

/** The names of the columns, which sort by them: pressed again the other way. On a phone the menu of orders does. */
function Head({ sort }: { sort: MediaSort }) {
  const [, set] = useSearchState();
  const by = (text: string, first: MediaSort, className = '') => {
    const name = first.replace('-', '');
    const isSorted = sort.replace('-', '') === name;
    const descends = sort.startsWith('-');
    const Arrow = descends ? ArrowDown : ArrowUp;
    const next = isSorted ? ((descends ? name : `-${name}`) as MediaSort) : first;
    return (
      <button
        type="button"
        aria-pressed={isSorted}
        title={`Sort by ${text.toLowerCase()}`}
        onClick={() => set(sortChange(next, 'list'))}
        className={clsx(
          'flex h-8 items-center gap-1 rounded-control text-left hover:text-ink',
          isSorted && 'font-semibold text-ink',
          className,
        )}
      >
        {text}
        {isSorted ? (
          <>
            <Arrow className="size-3.5" aria-hidden />
            <span className="sr-only">({descends ? 'descending' : 'ascending'})</span>
          </>
        ) : null}
      </button>
    );
  };
  return (
    <div className="border-b border-line pr-2 pl-28 text-label text-quiet max-md:hidden">
      <div className={columns}>
        {by('Name', 'filename')}
        {by('Length', '-duration')}
        {by('Size', '-size', 'max-lg:hidden')}
        {by('Date', '-taken_at')}
        <span>Labels</span>
        {by('Rating', '-rating')}
      </div>
    </div>
  );
}

const icons = { video: Film, image: Image, audio: AudioLines };

/** An item in a line. */
const MediaLine = memo(function MediaLine(props: CardProps) {
  const { item, selected, previewed, selecting, place, onSelect } = props;
  const { link, style } = useItemLink(props);
  const chosen = selected || previewed;
  const Icon = icons[item.type];
  const date = item.taken_at ? formatTakenDay(item.taken_at, item.capture?.zone ?? null) : '';
  return (
    <div
      className={clsx(
        'group relative h-full border-b border-line transition-colors duration-quick',
        chosen ? 'bg-accent-soft' : 'hover:bg-raised',
      )}
    >
      <Link {...link} className="flex h-full items-center gap-3 pr-2 pl-9 -outline-offset-2 max-md:px-4">
        <span style={style} className="grid h-10 w-16 shrink-0 place-items-center overflow-hidden rounded bg-raised">
          <LinePicture item={item} />
        </span>
        <span className={clsx(columns, 'min-w-0 flex-1 text-label')}>
          <span className="flex min-w-0 items-center gap-2">
            <Icon className="size-3.5 shrink-0 text-quiet" aria-hidden />
            <span className="truncate text-sm font-medium" title={item.filename}>
              {item.filename}
            </span>
            <span className="sr-only">{item.type}</span>
            <StatusBadge item={item} />
            <OfflineMark source={item.source} className="text-quiet" />
          </span>
          <Cell>{item.duration === null ? '' : formatTime(item.duration)}</Cell>
          <Cell className="max-lg:hidden">{formatBytes(item.size)}</Cell>
          <Cell>{date}</Cell>
          <Labels item={item} />
          <span className="max-md:hidden [&>span]:text-warm">
            <StarCount value={item.rating} />
          </span>
          <SecondLine item={item} date={date} />
        </span>
      </Link>
      <SelectBox
        label={`Select ${item.filename}`}
        selected={selected}
        visible={chosen || selecting}
        centred
        onClick={(event) => onSelect(place, item.id, event.shiftKey)}
      />
    </div>
  );
});

/** What the item shows, or what it is. */
function LinePicture({ item: { thumbnail, thumbnails, type } }: { item: MediaItem }) {
  const Icon = icons[type];
  if (!thumbnail) return <Icon className="size-4 text-quiet" aria-hidden />;
  const picture = { thumbnail, thumbnails, draggable: false, className: 'size-full object-cover' };
  return <CardImage {...picture} sizes="64px" />;
}

/** What a phone shows below the name. */
const SecondLine = ({ item, date }: { item: MediaItem; date: string }) => (
  <span className="flex items-center gap-2 truncate text-quiet tabular-nums md:hidden">
    {[item.duration === null ? null : formatTime(item.duration), date, formatBytes(item.size)]
      .filter(Boolean)
      .join(' · ')}
    <span className="[&>span]:text-warm">
      <StarCount value={item.rating} />
    </span>
  </span>
);

const Cell = ({ className, children }: { className?: string; children: string }) => (
  <span className={clsx('truncate text-quiet tabular-nums max-md:hidden', className)}>{children}</span>
);

/** What people filed an item under, as far as there is room. */
function Labels({ item }: { item: MediaItem }) {
  const names = useContext(Names);
  const own = [item.creator_id, item.category_id, ...item.collection_ids, ...item.tag_ids]
    .map((id) => names.get(id ?? ''))
    .filter((name) => name !== undefined);
  return (
    <span className="truncate text-quiet max-md:hidden" title={own.join(', ')}>
      {own.join(', ')}
    </span>
  );
}

/** Reads them; none until they have been read. */
function useNames(): ReadonlyMap<string, string> {
  const creators = useQuery(creatorsOptions).data;
  const categories = useQuery(categoriesOptions).data;
  const collections = useQuery(collectionsOptions).data;
  const tags = useQuery(tagsOptions).data;
  return useMemo(
    () =>
      new Map(
        [creators, categories, collections, tags].flatMap((labels) => (labels ?? []).map(({ id, name }) => [id, name])),
      ),
    [creators, categories, collections, tags],
  );
}

/** Stands in the list while an item loads. */
const LineSkeleton = () => (
  <div className="flex h-full items-center gap-3 border-b border-line pl-9 max-md:pl-4">
    <span className="h-10 w-16 rounded bg-raised" />
    <span className="h-3 w-40 rounded bg-raised" />
  </div>
);
