import { type FocusEvent, type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { type GridLayout, positionBelow } from './grid-layout.ts';
import { starsOf } from './rating.ts';

/** The position that a key leads to from another one; undefined for a key that leads nowhere. */
function positionAfter(key: string, from: number, layout: GridLayout): number | undefined {
  const page = rowsOnScreen(layout, from);
  const last = layout.total - 1;
  switch (key) {
    case 'ArrowRight':
      return Math.min(last, from + 1);
    case 'ArrowLeft':
      return Math.max(0, from - 1);
    case 'ArrowDown':
      return positionBelow(layout, from, 1) ?? from;
    case 'ArrowUp':
      return positionBelow(layout, from, -1) ?? from;
    case 'PageDown':
      return positionBelow(layout, from, page) ?? (layout.rowOf(from) < layout.rowOf(last) ? last : from);
    case 'PageUp':
      return positionBelow(layout, from, -page) ?? Math.min(last, from - firstInRow(layout, from));
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return undefined;
  }
}

/** How many rows fill the screen, less one that is seen twice. */
function rowsOnScreen(layout: GridLayout, position: number): number {
  const height = layout.rowAt(layout.rowOf(position))?.height ?? 1;
  return Math.max(1, Math.floor((window.innerHeight - 76) / height) - 1);
}

function firstInRow(layout: GridLayout, position: number): number {
  const row = layout.rowAt(layout.rowOf(position));
  return row?.kind === 'items' ? row.first : position;
}

type GridKeys = {
  layout: GridLayout;
  firstInView: number;
  /** Positions of the first card that is laid out, and of the last. */
  laidOut: [first: number, last: number];
  reveal: (position: number) => void;
  /** `extend`: selects all from the position that was selected last. */
  onSelect: (position: number, extend: boolean) => void;
  /** Rates the item at a position; undefined where a selection is rated. */
  onRate: ((position: number, stars: number) => void) | undefined;
};

/**
 * The keys of a grid of cards that is one stop of the Tab key: arrows, Home, End, Page Up and Page Down move the focus, Space or X selects, and
 * Enter follows the card's link. The cards carry `data-position`; their links take `tabIndex` from `tabStop`.
 * @param reveal scrolls to a position; its card may be laid out and loaded only afterwards
 * @param firstInView its card is the tab stop while the one of before is not laid out
 */
export function useGridKeys(
  ref: RefObject<HTMLElement | null>,
  { layout, firstInView, laidOut: [first, last], reveal, onSelect, onRate }: GridKeys,
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

  const goTo = (position: number) => {
    wanted.current = position;
    setActive(position);
    reveal(position);
  };
  return {
    tabStop: active >= first && active <= last ? active : firstInView,
    goTo,
    handlers: {
      onFocus(event: FocusEvent) {
        const position = positionOf(event.target);
        if (position !== null) setActive(position);
      },
      onKeyDown(event: KeyboardEvent) {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        // Buttons between the cards, such as those of headings, have keys of their own.
        const own = positionOf(event.target as Element);
        if (own === null && event.target !== ref.current) return;
        const from = wanted.current ?? own ?? active;
        if (event.key === ' ' || event.key.toLowerCase() === 'x') {
          // A card that is still loading cannot be selected.
          if (wanted.current === null) onSelect(from, event.shiftKey);
        } else if (starsOf(event.key) !== undefined) {
          if (!onRate) return;
          if (wanted.current === null) onRate(from, starsOf(event.key) ?? 0);
        } else {
          const to = positionAfter(event.key, from, layout);
          if (to === undefined) return;
          goTo(to);
        }
        event.preventDefault();
      },
    },
  };
}

/** The position of the card that an element is in; null outside of cards. */
export function positionOf(element: Element): number | null {
  const text = element.closest('[data-position]')?.getAttribute('data-position');
  return text === null || text === undefined ? null : Number(text);
}
