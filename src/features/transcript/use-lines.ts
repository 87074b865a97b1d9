import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import {
  type FocusEvent,
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from 'react';

/** Height of a line of text before it is measured, pixels. */
const estimatedHeight = 36;
/** Lines by which Page up and Page down go: about as many as can be seen. */
const pageLines = 8;

/**
 * A list of lines of which only what can be seen is rendered. It keeps a row in view until the reader goes elsewhere, and is one stop of the
 * Tab key, within which the arrows go.
 * @param places what tells the rows apart, in their order
 * @param row the one to keep in view; -1 for none
 * @param query what the rows are filtered by: while it is, they are read from the first on
 */
export function useLines(places: readonly number[], row: number, query: string) {
  const scroller = useRef<HTMLDivElement>(null);
  const [focused, setFocused] = useState(0);
  const [isInside, setInside] = useState(false);
  const [following, setFollowing] = useState(true);
  // oxlint-disable-next-line react/incompatible-library -- the compiler that this rule is about is not used here
  const virtualizer = useVirtualizer({
    count: places.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => estimatedHeight,
    getItemKey: (index) => places[index] ?? index,
    overscan: 6,
    // The row with the focus stays rendered, or the focus would be lost.
    rangeExtractor: (range) => withRow(defaultRangeExtractor(range), isInside ? focused : -1, range.count),
  });
  const reveal = useEffectEvent((index: number) => virtualizer.scrollToIndex(index, { align: 'center' }));
  useEffect(() => {
    if (following && row >= 0) reveal(row);
  }, [following, row]);
  const begin = useEffectEvent(() => {
    setFollowing(query === '');
    if (query !== '') virtualizer.scrollToOffset(0);
  });
  useEffect(() => begin(), [query]);
  const rows = virtualizer.getVirtualItems();
  // The row with the focus may not be rendered any more.
  const stop = rows.some(({ index }) => index === focused) ? focused : (rows[0]?.index ?? 0);
  const release = () => setFollowing(false);
  const onKeyDown = useRowKeys(scroller, stop, places.length - 1, (to) => {
    release();
    setFocused(to);
    virtualizer.scrollToIndex(to);
  });
  return {
    scroller,
    rows,
    height: virtualizer.getTotalSize(),
    measure: virtualizer.measureElement,
    stop,
    following,
    /** Keeps to the row again. @param from where the focus is */
    follow: (from = stop) => {
      setFocused(from);
      setFollowing(true);
    },
    /** What the reader scrolls by. */
    handlers: {
      onWheel: release,
      onTouchMove: release,
      onFocus: () => setInside(true),
      onBlur: ({ currentTarget, relatedTarget }: FocusEvent) => setInside(currentTarget.contains(relatedTarget)),
      onKeyDown,
    },
  };
}

/**
 * Moves the focus from row to row by keys, as many rows as keys were pressed.
 * @param stop the row that has the focus
 * @param onMove has the row rendered that gets it
 */
function useRowKeys(
  scroller: RefObject<HTMLElement | null>,
  stop: number,
  last: number,
  onMove: (to: number) => void,
): (event: KeyboardEvent) => void {
  /** Where the focus goes as soon as its row is rendered. */
  const wanted = useRef<number | null>(null);
  return (event) => {
    const to = targetOf(event.key, wanted.current ?? stop, last);
    if (to === null) return;
    event.preventDefault();
    onMove(to);
    wanted.current = to;
    requestAnimationFrame(() => {
      wanted.current = null;
      scroller.current?.querySelector<HTMLElement>(`[data-index="${to}"] button`)?.focus();
    });
  };
}

/** Rows in their order, with one more where there is one. */
const withRow = (rows: number[], row: number, count: number): number[] =>
  row < 0 || row >= count || rows.includes(row) ? rows : [...rows, row].toSorted((a, b) => a - b);

/** Where a key leads from a row; null for keys that lead nowhere. */
function targetOf(key: string, row: number, last: number): number | null {
  const targets: Record<string, number> = {
    ArrowUp: row - 1,
    ArrowDown: row + 1,
    PageUp: row - pageLines,
    PageDown: row + pageLines,
    Home: 0,
    End: last,
  };
  const to = targets[key];
  return to === undefined ? null : Math.min(last, Math.max(0, to));
}
