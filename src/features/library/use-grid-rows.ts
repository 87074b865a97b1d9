import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useLayoutEffect, useMemo, useState } from 'react';
import { createGridLayout, type GridLayout, type GridSection } from './grid-layout.ts';
import type { Density } from './library-search.ts';

/** The narrowest card, pixels. */
const minCardWidth: Record<Density, number> = { comfortable: 220, compact: 140 };
/** On a phone, where cards are narrower than that. */
const minColumns: Record<Density, number> = { comfortable: 2, compact: 3 };
/** Between cards, pixels. */
export const gap = 12;
/** Below the image of a card: file name and borders, pixels. */
const captionHeight = 38;
/** Height of a section's heading with the space around it, pixels. */
export const headingHeight = 48;

/** Kept free above and below a card that is scrolled to: the bar at the top, the menu of a phone at the foot. Pixels. */
const scrollPadding = { start: 76, end: 72 };

/** What a part beside the grid needs to know of it, to go to places in it. */
export type GridView = {
  layout: GridLayout;
  /** Height of the whole grid, pixels. */
  height: number;
  /** The first row that can be seen below the bar at the top. */
  rowAtTop: number;
  /** How far the page is scrolled when a row is the first that can be seen, pixels. */
  scrollOf: (row: number) => number;
};

/** The visible rows and where each is in the grid, and how to scroll to a position. Lengths are in pixels. */
export function useGridRows(ref: RefObject<HTMLElement | null>, sections: readonly GridSection[], density: Density) {
  const { width, top } = useBounds(ref);
  const columns = Math.max(minColumns[density], Math.floor((width + gap) / (minCardWidth[density] + gap)));
  const rowHeight = Math.round(((width - gap * (columns - 1)) / columns) * (9 / 16)) + captionHeight + gap;
  const layout = useMemo(() => createGridLayout(sections, columns), [sections, columns]);
  // oxlint-disable-next-line react/incompatible-library -- the compiler that this rule is about is not used here
  const virtualizer = useWindowVirtualizer({
    count: layout.rows,
    estimateSize: (row) => (layout.rowAt(row).kind === 'heading' ? headingHeight : rowHeight),
    overscan: 4,
    scrollMargin: top,
    scrollPaddingStart: scrollPadding.start,
    scrollPaddingEnd: scrollPadding.end,
    // Another layout is measured again, and the same one is not.
    getItemKey: useCallback((row: number) => `${layout.columns}/${rowHeight}/${row}`, [layout, rowHeight]),
  });
  const { scrollMargin } = virtualizer.options;
  const view: GridView = {
    layout,
    height: virtualizer.getTotalSize() - (layout.total > 0 ? gap : 0),
    rowAtTop: virtualizer.getVirtualItemForOffset((virtualizer.scrollOffset ?? 0) + scrollPadding.start)?.index ?? 0,
    scrollOf: (row) => virtualizer.getOffsetForIndex(row, 'start')?.[0] ?? 0,
  };
  return {
    view,
    rows: virtualizer.getVirtualItems().map(({ index, start }) => ({ index, top: start - scrollMargin })),
    firstRowInView: virtualizer.range?.startIndex ?? 0,
    rowsInView: Math.floor((window.innerHeight - scrollPadding.start) / rowHeight),
    reveal: (position: number) => virtualizer.scrollToIndex(layout.rowOf(position)),
  };
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
