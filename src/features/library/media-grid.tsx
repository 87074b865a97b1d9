import { useQueries } from '@tanstack/react-query';
import {
  type DragEvent,
  type FocusEvent,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  Suspense,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useLocation } from 'react-router';
import type { MediaItem } from '../../api/generated/api/index.ts';
import { lazyPart } from '../../api/parts.ts';
import { type MediaFilter, mediaPageOptions } from '../../api/queries.ts';
import { maxPerPage } from '../../api/whole-list.ts';
import { countItems } from '../../lib/format.ts';
import type { GridLayout, GridRow, GridSection } from './grid-layout.ts';
import type { Density } from './library-search.ts';
import { MediaCard, MediaCardSkeleton } from './media-card.tsx';
import { starsOf, useRate } from './rating.ts';
import { gap, headingHeight, useGridRows } from './use-grid-rows.ts';

export type MediaGridProps = {
  filter: MediaFilter;
  total: number;
  density: Density;
  selected: ReadonlySet<string>;
  /** `extend`: selects all from the position that was selected last. */
  onSelect: (position: number, id: string, extend: boolean) => void;
  onDrag: (event: DragEvent, id: string) => void;
};

/** Loaded with the first grid of sections. */
const SectionScrubber = lazyPart(async () => (await import('./section-scrubber.tsx')).SectionScrubber);

/**
 * All items of a filter in an endless grid, in sections if they are given. Only the visible rows are laid out and requested, so 100,000 items
 * scroll like a hundred, and a position far down can be reached at once.
 * @param sections all items, in the order of the list
 */
export function MediaGrid({
  sections,
  ...list
}: MediaGridProps & { sections?: readonly (GridSection & { heading: string })[] }) {
  const ref = useRef<HTMLUListElement>(null);
  const [moving, setMoving] = useState(false);
  const { total, filter, selected } = list;
  const steady = useSteady(list);
  const whole = useMemo(() => [{ heading: undefined, count: total }], [total]);
  const { view, rows, ...scrolling } = useGridRows(ref, sections ?? whole, list.density);
  const { layout, height } = view;
  const first = layout.firstIn(rows[0]?.index ?? 0);
  const last = Math.min(layout.total, layout.firstIn(rows.at(-1)?.index ?? 0) + layout.columns) - 1;
  const items = useItems(filter, first, last, !moving);
  const rate = useRate();
  const { tabStop, ...keys } = useGridKeys(ref, {
    ...scrolling,
    layout,
    laidOut: [first, last],
    onSelect: (position, extend) => steady.onSelect(position, items.get(position)?.id ?? '', extend),
    onRate: selected.size > 0 ? undefined : (position, stars) => rate([items.get(position)?.id ?? ''], stars),
  });
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the links in it take the focus; their keys are handled here */}
      <ul ref={ref} aria-label="Media" tabIndex={-1} className="relative outline-none" style={{ height }} {...keys}>
        {rows.flatMap(({ index, top }) => {
          const row = layout.rowAt(index);
          if (row.kind === 'heading') {
            return <SectionHeading key={`section ${row.section}`} section={sections?.[row.section]} top={top} />;
          }
          return positionsOf(row).map((position, column) => {
            const item = items.get(position);
            return (
              <Cell key={item?.id ?? `position ${position}`} {...{ layout, position, column, top }}>
                {item ? (
                  <MediaCard
                    item={item}
                    selected={selected.has(item.id)}
                    selecting={selected.size > 0}
                    tabStop={position === tabStop}
                    dated={filter.sort?.endsWith('taken_at') ?? false}
                    place={position}
                    {...steady}
                  />
                ) : (
                  <MediaCardSkeleton />
                )}
              </Cell>
            );
          });
        })}
      </ul>
      <Suspense>{sections ? <SectionScrubber sections={sections} view={view} onMove={setMoving} /> : null}</Suspense>
    </>
  );
}

/** What all cards of a list have, the same while the list is scrolled, so that they need not be drawn again. */
function useSteady(list: MediaGridProps): Pick<MediaGridProps, 'filter' | 'onSelect' | 'onDrag'> & { from: string } {
  const { pathname, search } = useLocation();
  const latest = useRef(list);
  useLayoutEffect(() => {
    latest.current = list;
  });
  return useMemo(
    () => ({
      filter: list.filter,
      from: pathname + search,
      onSelect: (...of) => latest.current.onSelect(...of),
      onDrag: (...of) => latest.current.onDrag(...of),
    }),
    [list.filter, pathname, search],
  );
}

/** The place of an item. @param top from that of the grid, pixels */
const Cell = ({
  layout: { total, columns },
  position,
  column,
  top,
  children,
}: {
  layout: GridLayout;
  position: number;
  column: number;
  top: number;
  children: ReactNode;
}) => (
  <li
    aria-setsize={total}
    aria-posinset={position + 1}
    data-position={position}
    className="absolute [contain:layout_style]"
    style={{ top, ...columnStyle(column, columns) }}
  >
    {children}
  </li>
);

const positionsOf = ({ first, count }: Extract<GridRow, { kind: 'items' }>): number[] =>
  Array.from({ length: count }, (_, column) => first + column);

const columnStyle = (column: number, columns: number) => ({
  left: `calc((100% + ${gap}px) / ${columns} * ${column})`,
  width: `calc((100% - ${gap * (columns - 1)}px) / ${columns})`,
});

const SectionHeading = ({ section, top }: { section: GridSection | undefined; top: number }) => (
  <li className="absolute inset-x-0 flex items-end gap-3 pb-2.5" style={{ top, height: headingHeight }}>
    <h2 className="text-title font-semibold">{section?.heading}</h2>
    <span className="text-label text-quiet tabular-nums">{countItems(section?.count ?? 0)}</span>
  </li>
);

/** The items from one position to another by position, as far as they are loaded. @param enabled whether what is missing is requested */
function useItems(filter: MediaFilter, first: number, last: number, enabled: boolean): ReadonlyMap<number, MediaItem> {
  const firstPage = Math.floor(first / maxPerPage) + 1;
  const lastPage = Math.max(firstPage, Math.floor(last / maxPerPage) + 1);
  const pages = useQueries({
    queries: Array.from({ length: lastPage - firstPage + 1 }, (_, i) => ({
      ...mediaPageOptions(filter, firstPage + i),
      enabled,
    })),
  });
  return new Map(
    pages.flatMap(({ data }, i) =>
      (data?.data ?? []).map((item, j) => [(firstPage + i - 1) * maxPerPage + j, item] as const),
    ),
  );
}

/** The position that a key leads to from another one; undefined for a key that leads nowhere. */
function positionAfter(key: string, from: number, layout: GridLayout, rowsInView: number): number | undefined {
  const page = Math.max(1, rowsInView - 1);
  const last = layout.total - 1;
  switch (key) {
    case 'ArrowRight':
      return Math.min(last, from + 1);
    case 'ArrowLeft':
      return Math.max(0, from - 1);
    case 'ArrowDown':
      return layout.below(from, 1) ?? from;
    case 'ArrowUp':
      return layout.below(from, -1) ?? from;
    case 'PageDown':
      return layout.below(from, page) ?? (layout.rowOf(from) < layout.rowOf(last) ? last : from);
    case 'PageUp':
      return layout.below(from, -page) ?? Math.min(last, from - layout.firstIn(layout.rowOf(from)));
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return undefined;
  }
}

/**
 * The keys of a grid of cards that is one stop of the Tab key: arrows, Home, End, Page Up and Page Down move the focus, Space or X selects, and
 * Enter follows the card's link. The cards carry `data-position`; their links take `tabIndex` from `tabStop`.
 * @param reveal scrolls to a position; its card may be laid out and loaded only afterwards
 * @param firstRowInView its first card is the tab stop while the one of before is not laid out
 */
function useGridKeys(
  ref: RefObject<HTMLElement | null>,
  {
    layout,
    rowsInView,
    firstRowInView,
    laidOut: [first, last],
    reveal,
    onSelect,
    onRate,
  }: {
    layout: GridLayout;
    rowsInView: number;
    firstRowInView: number;
    /** Positions of the first card that is laid out, and of the last. */
    laidOut: [first: number, last: number];
    reveal: (position: number) => void;
    /** `extend`: selects all from the position that was selected last. */
    onSelect: (position: number, extend: boolean) => void;
    /** Rates the item at a position; undefined where a selection is rated. */
    onRate: ((position: number, stars: number) => void) | undefined;
  },
) {
  const [active, setActive] = useState(0);
  /** Where the focus goes as soon as its card is there. */
  const wanted = useRef<number | null>(null);

  useEffect(() => {
    if (wanted.current === null) return;
    const link = ref.current?.querySelector<HTMLElement>(`[data-position="${wanted.current}"] a`);
    // Until the card has loaded the grid itself has the focus: the one of before may be gone, and its keys with it.
    (link ?? ref.current)?.focus({ preventScroll: true });
    if (link) wanted.current = null;
  });

  return {
    tabStop: active >= first && active <= last ? active : layout.firstIn(firstRowInView),
    onFocus(event: FocusEvent) {
      const position = positionOf(event.target);
      if (position !== null) setActive(position);
    },
    onKeyDown(event: KeyboardEvent) {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const from = wanted.current ?? positionOf(event.target as Element) ?? active;
      if (event.key === ' ' || event.key.toLowerCase() === 'x') {
        // A card that is still loading cannot be selected.
        if (wanted.current === null) onSelect(from, event.shiftKey);
      } else if (starsOf(event.key) !== undefined) {
        if (!onRate) return;
        if (wanted.current === null) onRate(from, starsOf(event.key) ?? 0);
      } else {
        const to = positionAfter(event.key, from, layout, rowsInView);
        if (to === undefined) return;
        wanted.current = to;
        setActive(to);
        reveal(to);
      }
      event.preventDefault();
    },
  };
}

function positionOf(element: Element): number | null {
  const text = element.closest('[data-position]')?.getAttribute('data-position');
  return text === null || text === undefined ? null : Number(text);
}
