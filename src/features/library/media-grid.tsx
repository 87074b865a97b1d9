import { useQueries } from '@tanstack/react-query';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type DragEvent, type RefObject, useLayoutEffect, useRef, useState } from 'react';
import type { MediaItem } from '../../api/generated/api/index.ts';
import { type MediaFilter, mediaPageOptions } from '../../api/queries.ts';
import { maxPerPage } from '../../api/whole-list.ts';
import type { Density } from './library-search.ts';
import { MediaCard, MediaCardSkeleton } from './media-card.tsx';
import { useGridKeys } from './use-grid-keys.ts';

/** The narrowest card, pixels. */
const minCardWidth: Record<Density, number> = { comfortable: 220, compact: 140 };
/** On a phone, where cards are narrower than that. */
const minColumns: Record<Density, number> = { comfortable: 2, compact: 3 };
/** Between cards, pixels. */
const gap = 12;
/** Below the image of a card: file name and borders, pixels. */
const captionHeight = 38;

type GridProps = {
  filter: MediaFilter;
  total: number;
  density: Density;
  selected: ReadonlySet<string>;
  /** `extend`: selects all from the position that was selected last. */
  onSelect: (position: number, id: string, extend: boolean) => void;
  onDrag: (event: DragEvent, id: string) => void;
};

/**
 * All items of a filter in an endless grid. Only the visible rows are laid out and requested, so 100,000 items scroll like a hundred, and a
 * position far down can be reached at once.
 */
export function MediaGrid({ filter, total, density, selected, onSelect, onDrag }: GridProps) {
  const ref = useRef<HTMLUListElement>(null);
  const { rows, columns, height, ...view } = useGridRows(ref, total, density);
  const first = (rows[0]?.index ?? 0) * columns;
  const last = Math.min(total, ((rows.at(-1)?.index ?? 0) + 1) * columns) - 1;
  const items = useItems(filter, first, last);
  const { tabStop, ...keys } = useGridKeys(ref, {
    ...view,
    total,
    columns,
    laidOut: [first, last],
    onSelect: (position, extend) => onSelect(position, items.get(position)?.id ?? '', extend),
  });
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the links in it take the focus; their keys are handled here
    <ul ref={ref} aria-label="Media" tabIndex={-1} className="relative outline-none" style={{ height }} {...keys}>
      {rows.flatMap((row) =>
        Array.from({ length: Math.min(columns, total - row.index * columns) }, (_, column) => {
          const position = row.index * columns + column;
          const item = items.get(position);
          return (
            <li
              key={item?.id ?? `position ${position}`}
              aria-setsize={total}
              aria-posinset={position + 1}
              data-position={position}
              className="absolute"
              style={{ top: row.top, ...columnStyle(column, columns) }}
            >
              {item ? (
                <MediaCard
                  item={item}
                  selected={selected.has(item.id)}
                  selecting={selected.size > 0}
                  tabStop={position === tabStop}
                  dated={filter.sort?.endsWith('taken_at') ?? false}
                  spot={{ filter, place: position }}
                  onSelect={(extend) => onSelect(position, item.id, extend)}
                  onDrag={(event) => onDrag(event, item.id)}
                />
              ) : (
                <MediaCardSkeleton />
              )}
            </li>
          );
        }),
      )}
    </ul>
  );
}

const columnStyle = (column: number, columns: number) => ({
  left: `calc((100% + ${gap}px) / ${columns} * ${column})`,
  width: `calc((100% - ${gap * (columns - 1)}px) / ${columns})`,
});

/** Kept free above and below a card that is scrolled to: the bar at the top, the menu of a phone at the foot. Pixels. */
const scrollPadding = { start: 76, end: 72 };

/**
 * The visible rows and where each is in the grid, the number of columns, the height of the whole grid, and how to scroll to a position. Lengths
 * are in pixels.
 */
function useGridRows(ref: RefObject<HTMLElement | null>, total: number, density: Density) {
  const { width, top } = useBounds(ref);
  const columns = Math.max(minColumns[density], Math.floor((width + gap) / (minCardWidth[density] + gap)));
  const rowHeight = Math.round(((width - gap * (columns - 1)) / columns) * (9 / 16)) + captionHeight + gap;
  // oxlint-disable-next-line react/incompatible-library -- the compiler that this rule is about is not used here
  const virtualizer = useWindowVirtualizer({
    count: Math.ceil(total / columns),
    estimateSize: () => rowHeight,
    overscan: 4,
    scrollMargin: top,
    scrollPaddingStart: scrollPadding.start,
    scrollPaddingEnd: scrollPadding.end,
    getItemKey: (row) => `${columns}/${rowHeight}/${row}`,
  });
  const { scrollMargin } = virtualizer.options;
  const rows = virtualizer.getVirtualItems().map(({ index, start }) => ({ index, top: start - scrollMargin }));
  return {
    rows,
    columns,
    height: virtualizer.getTotalSize() - (total > 0 ? gap : 0),
    rowsInView: Math.floor((window.innerHeight - scrollPadding.start) / rowHeight),
    firstRowInView: virtualizer.range?.startIndex ?? 0,
    reveal: (position: number) => virtualizer.scrollToIndex(Math.floor(position / columns)),
  };
}

/** The items from one position to another by position, as far as they are loaded. */
function useItems(filter: MediaFilter, first: number, last: number): ReadonlyMap<number, MediaItem> {
  const firstPage = Math.floor(first / maxPerPage) + 1;
  const lastPage = Math.max(firstPage, Math.floor(last / maxPerPage) + 1);
  const pages = useQueries({
    queries: Array.from({ length: lastPage - firstPage + 1 }, (_, i) => mediaPageOptions(filter, firstPage + i)),
  });
  return new Map(
    pages.flatMap(({ data }, i) =>
      (data?.data ?? []).map((item, j) => [(firstPage + i - 1) * maxPerPage + j, item] as const),
    ),
  );
}

/** As measured last: a grid that is returned to has its height at once, so that its place can be scrolled to. */
let lastBounds = { width: 1000, top: 0 };

/** Width of the grid, and its distance from the top of the page, pixels. */
function useBounds(ref: RefObject<HTMLElement | null>): { width: number; top: number } {
  const [bounds, setBounds] = useState(lastBounds);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return undefined;
    const measure = () => {
      const { width, top } = element.getBoundingClientRect();
      lastBounds = { width, top: top + window.scrollY };
      setBounds(lastBounds);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref]);
  return bounds;
}
