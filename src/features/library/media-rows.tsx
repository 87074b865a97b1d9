import { useQueries, useQueryClient } from '@tanstack/react-query';
import {
  type DragEvent,
  type ReactNode,
  type RefObject,
  Suspense,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useLocation } from 'react-router';
import { listMediaQueryKey, type ListMediaResponse, type MediaItem } from '../../api/generated/api/index.ts';
import { lazyPart } from '../../api/parts.ts';
import { type MediaFilter, mediaPageOptions } from '../../api/queries.ts';
import { maxPerPage } from '../../api/whole-list.ts';
import { forgetViewed, lastViewed } from '../../lib/last-viewed.ts';
import { itemsByName, type SelectedView } from '../../lib/selected-items.ts';
import { firstIn, type GridLayout, type GridRow } from './grid-layout.ts';
import type { CardProps } from './media-card.tsx';
import { useRate } from './rating.ts';
import { useGridKeys } from './use-grid-keys.ts';
import { type GridView, type GridWidth, useGridRows } from './use-grid-rows.ts';

/** Positions from one to another, both included. */
export type Range = readonly [first: number, last: number];

export type MediaGridProps = {
  filter: MediaFilter;
  total: number;
  selected: SelectedView;
  /** `extend`: selects all from the position that was selected last. */
  onSelect: (position: number, id: string, extend: boolean) => void;
  /** Selects all from one position to another, or deselects them. */
  onSelectRange: (first: number, last: number, on?: boolean) => void;
  onDrag: (event: DragEvent, id: string) => void;
};

/** Loaded once the grid is shown. */
const Gestures = lazyPart(async () => (await import('./grid-gestures.tsx')).GridGestures);

type RowsProps = MediaGridProps & {
  /** Lays the items out for a width; another one, another layout. */
  createLayout: (width: GridWidth) => GridLayout;
  /** Shows an item in its place. */
  Item: (props: CardProps) => ReactNode;
  /** Stands above a section. */
  Heading?: (props: { section: number; layout: GridLayout; list: MediaGridProps }) => ReactNode;
  /** Stands in the place of an item that loads. */
  Skeleton: () => ReactNode;
  /** What stands beside; it says when the page moves too fast to read what it passes. */
  renderAside?: (view: GridView, onMove: (moving: boolean) => void) => ReactNode;
  /** Called with the factor by which pictures are made larger, by two fingers or by the wheel. */
  onResize?: (factor: number) => void;
};

/**
 * All items of a filter, as a layout places them. Only the visible rows are laid out and requested, so 100,000 items scroll like a hundred,
 * and a position far down can be reached at once.
 */
export function MediaRows({ createLayout, Item, Heading, Skeleton, renderAside, onResize, ...list }: RowsProps) {
  const ref = useRef<HTMLUListElement>(null);
  const { view, rows, items, steady, handlers, stateOf, setMoving, setPreview } = useRows(ref, list, createLayout);
  const { layout } = view;
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the links in it take the focus; their keys are handled here */}
      <ul
        ref={ref}
        aria-label="Media"
        tabIndex={-1}
        className="relative outline-none select-none [overflow-anchor:none] max-md:-mx-4"
        style={{ height: layout.height }}
        {...handlers}
      >
        {/* Flat, so that a card stays the same when rows above it come or go. */}
        {rows.flatMap((row) =>
          row.kind === 'heading' ? (
            <li key={`section ${row.section}`} data-heading className="absolute inset-x-0" style={boxOf(row)}>
              {Heading ? <Heading section={row.section} layout={layout} list={list} /> : null}
            </li>
          ) : (
            row.lefts.map((left, column) => {
              const place = row.first + column;
              const width = row.widths[column] ?? 0;
              const item = items.get(place);
              return (
                <li
                  key={item?.id ?? `position ${place}`}
                  aria-setsize={layout.total}
                  aria-posinset={place + 1}
                  data-position={place}
                  className="absolute [contain:layout_style] focus-within:z-1"
                  style={{ ...boxOf(row), left, width }}
                >
                  {item ? <Item {...steady} {...{ item, place, width }} {...stateOf(item, place)} /> : <Skeleton />}
                </li>
              );
            })
          ),
        )}
      </ul>
      <Suspense>
        <Gestures grid={ref} {...{ layout, onResize }} onPreview={setPreview} {...steady} />
      </Suspense>
      {renderAside?.(view, setMoving)}
    </>
  );
}

/** What is laid out, and what is known and done there. */
function useRows(
  ref: RefObject<HTMLUListElement | null>,
  list: MediaGridProps,
  createLayout: (width: GridWidth) => GridLayout,
) {
  const { filter, selected } = list;
  const [moving, setMoving] = useState(false);
  const [preview, setPreview] = useState<readonly Range[]>([]);
  const viewed = useViewedPosition(filter);
  const { view, rows, firstRowInView, reveal } = useGridRows(ref, createLayout, viewed);
  const { layout } = view;
  const laidOut: [number, number] = [firstIn(rows[0], layout), lastIn(rows, layout)];
  const items = useItems(filter, ...laidOut, !moving);
  const steady = useSteady(list);
  const rate = useRate();
  const { tabStop, goTo, handlers } = useGridKeys(ref, {
    layout,
    laidOut,
    firstInView: firstIn(layout.rowAt(firstRowInView), layout),
    reveal,
    onSelect: (position, extend) => steady.onSelect(position, items.get(position)?.id ?? '', extend),
    onRate:
      selected.size > 0 ? undefined : (position, stars) => rate(itemsByName([items.get(position)?.id ?? '']), stars),
  });
  useReturn(viewed, goTo);
  const stateOf = ({ id }: MediaItem, place: number) => ({
    selected: selected.has(id),
    previewed: preview.some(([first, last]) => place >= first && place <= last),
    selecting: selected.size > 0,
    tabStop: place === tabStop,
  });
  return { view, rows, items, steady, handlers, stateOf, setMoving, setPreview };
}

const boxOf = ({ top, height }: GridRow) => ({ top, height });

function lastIn(rows: readonly GridRow[], layout: GridLayout): number {
  const row = rows.findLast(({ kind }) => kind === 'items');
  return row?.kind === 'items' ? row.first + row.count - 1 : Math.min(layout.total - 1, firstIn(rows[0], layout));
}

/**
 * What all cards of a list have, the same while the list is scrolled, so that they need not be drawn again; and the position that was selected
 * last.
 */
function useSteady(list: MediaGridProps): Pick<MediaGridProps, 'filter' | 'onSelect' | 'onSelectRange' | 'onDrag'> & {
  from: string;
  anchor: RefObject<number | null>;
} {
  const { pathname, search } = useLocation();
  const latest = useRef(list);
  const anchor = useRef<number>(null);
  useLayoutEffect(() => {
    latest.current = list;
  });
  return useMemo(
    () => ({
      filter: list.filter,
      from: pathname + search,
      anchor,
      onSelect: (...of) => {
        [anchor.current] = of;
        latest.current.onSelect(...of);
      },
      onSelectRange: (...of) => {
        [, anchor.current] = of;
        latest.current.onSelectRange(...of);
      },
      onDrag: (...of) => latest.current.onDrag(...of),
    }),
    [list.filter, pathname, search],
  );
}

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

/** Where the item that was viewed last stands in a list that is returned to; null: nowhere that is known. */
function useViewedPosition(filter: MediaFilter): number | null {
  const client = useQueryClient();
  const [position] = useState(() => {
    const viewed = lastViewed();
    if (viewed === null) return null;
    for (const [key, response] of client.getQueriesData<ListMediaResponse>({ queryKey: listMediaQueryKey() })) {
      const index = response?.data.findIndex(({ id }) => id === viewed) ?? -1;
      const page = response?.meta.page ?? 1;
      const own = mediaPageOptions(filter, page).queryKey;
      if (index >= 0 && JSON.stringify(own) === JSON.stringify(key)) return (page - 1) * maxPerPage + index;
    }
    return null;
  });
  return position;
}

/** Shows the item that was viewed last, and gives it the focus. */
function useReturn(position: number | null, goTo: (position: number) => void): void {
  const show = useEffectEvent(() => {
    if (position !== null) goTo(position);
  });
  useEffect(() => {
    forgetViewed();
    // Behind what scrolls the page to where it was.
    const frame = requestAnimationFrame(show);
    return () => cancelAnimationFrame(frame);
  }, []);
}
