import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { firstIn, type GridLayout, type GridRow } from './grid-layout.ts';

/** Kept free above and below a card that is scrolled to: the bar at the top, the menu of a phone at the foot. Pixels. */
const scrollPadding = { start: 76, end: 72 };

/** The page is followed in steps of so many pixels, and so many are laid out above and below what can be seen. */
const step = 200;
const overscan = 400;

/** Below this width rows are those of a phone, pixels. */
const narrow = 640;

/** What a part beside the grid needs to know of it, to go to places in it. */
export type GridView = {
  layout: GridLayout;
  /** From the top of the page to the grid, pixels. */
  top: number;
  /** How far the page is scrolled when a row is the first that can be seen, pixels. */
  scrollOf: (row: number) => number;
  /** The first row that can be seen below the bar at the top, as the page is scrolled now. */
  rowAtTop: () => number;
};

/** The width that rows fill, and the gap between pictures, pixels. */
export type GridWidth = { width: number; gap: number };

/**
 * The visible rows and how to scroll to a position. The picture at the top of the window stays there when the layout changes: a size is
 * chosen, the window gets wider, the shapes of what lies above become known.
 * @param createLayout lays the grid out for a width; another one, another layout
 * @param start the position that a grid is returned to, which is laid out at once
 */
export function useGridRows(
  ref: RefObject<HTMLElement | null>,
  createLayout: (width: GridWidth) => GridLayout,
  start: number | null,
) {
  const { width, top } = useBounds(ref);
  const gap = width < narrow ? 2 : 4;
  const layout = useMemo(() => createLayout({ width, gap }), [createLayout, width, gap]);
  const [scrolled, setScrolled] = useState(() =>
    quantize(start === null ? window.scrollY : Math.max(0, placeOf(layout, start) + top - window.innerHeight / 2)),
  );
  useEffect(() => {
    const follow = () => setScrolled(quantize(window.scrollY));
    follow();
    window.addEventListener('scroll', follow, { passive: true });
    return () => window.removeEventListener('scroll', follow);
  }, []);
  useKeptPlace(layout, top, setScrolled);

  const view = useMemo(
    (): GridView => ({
      layout,
      top,
      scrollOf: (row) => Math.max(0, top + (layout.rowAt(row)?.top ?? 0) - scrollPadding.start),
      rowAtTop: () => layout.rowAtOffset(window.scrollY + scrollPadding.start - top),
    }),
    [layout, top],
  );
  const from = scrolled - top;
  const rows = rowsBetween(layout, from - overscan, from + window.innerHeight + step + overscan);
  return {
    view,
    rows,
    firstRowInView: layout.rowAtOffset(from + step / 2 + scrollPadding.start),
    reveal: (position: number) => reveal(layout, layout.rowOf(position), top),
  };
}

const quantize = (offset: number): number => Math.floor(offset / step) * step;

const placeOf = (layout: GridLayout, position: number): number => layout.rowAt(layout.rowOf(position))?.top ?? 0;

function rowsBetween(layout: GridLayout, from: number, to: number): GridRow[] {
  const rows: GridRow[] = [];
  for (let index = layout.rowAtOffset(from); index < layout.rowCount; index++) {
    const row = layout.rowAt(index);
    if (!row || row.top > to) break;
    rows.push(row);
  }
  return rows;
}

/** Scrolls the page until a row is in view, and no further; its heading too, where it has one right above. */
function reveal(layout: GridLayout, index: number, gridTop: number): void {
  const row = layout.rowAt(index);
  if (!row) return;
  const above = layout.rowAt(index - 1);
  const top = gridTop + (above?.kind === 'heading' ? above.top : row.top) - scrollPadding.start;
  const bottom = gridTop + row.top + row.height + scrollPadding.end - window.innerHeight;
  if (window.scrollY > top) window.scrollTo({ top });
  else if (window.scrollY < bottom) window.scrollTo({ top: bottom });
}

/** Keeps the first picture that can be seen where it is in the window, when another layout takes it elsewhere. */
function useKeptPlace(layout: GridLayout, top: number, onScroll: (to: number) => void): void {
  const last = useRef<{ layout: GridLayout; position: number; below: number; scrollY: number }>(null);
  // As it is before a lower grid makes the browser scroll up.
  const { scrollY } = window;
  useLayoutEffect(() => {
    const before = last.current;
    const offset = scrollY + scrollPadding.start - top;
    const anchor = () => {
      const row = (before?.layout ?? layout).rowAt((before?.layout ?? layout).rowAtOffset(offset));
      return { position: firstIn(row, before?.layout ?? layout), below: row ? (offset - row.top) / row.height : 0 };
    };
    // As long as nobody scrolls it is the same picture, or many small changes would lead away from it.
    const place = before?.scrollY === scrollY ? before : anchor();
    const isWithin = offset > 0 && before !== null && before.layout !== layout && before.layout.total === layout.total;
    if (isWithin) {
      const row = layout.rowAt(layout.rowOf(place.position));
      if (row) window.scrollTo({ top: Math.round(top + row.top + place.below * row.height - scrollPadding.start) });
      onScroll(quantize(window.scrollY));
    }
    last.current = { layout, position: place.position, below: place.below, scrollY: window.scrollY };
  }, [layout, top, scrollY, onScroll]);
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
      const measured = { width, top: Math.round(top + window.scrollY) };
      if (measured.width === lastBounds.width && measured.top === lastBounds.top) return;
      lastBounds = measured;
      setBounds(measured);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [ref]);
  return bounds;
}
