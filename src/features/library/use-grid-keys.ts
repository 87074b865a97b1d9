import { type FocusEvent, type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import type { GridLayout } from './grid-layout.ts';
import { starsOf } from './rating.ts';

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
 * The keys of a grid of cards that is one stop of the Tab key: arrows, Home, End, Page Up and Page Down move the focus, Space or X selects, digits rate, and
 * Enter follows the card's link. The cards carry `data-position`; their links take `tabIndex` from `tabStop`.
 * @param reveal scrolls to a position; its card may be laid out and loaded only afterwards
 * @param firstRowInView its first card is the tab stop while the one of before is not laid out
 */
export function useGridKeys(
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
