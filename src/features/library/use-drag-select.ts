import { type RefObject, useEffect } from 'react';
import { startAutoScroll } from './auto-scroll.ts';
import type { GestureTarget } from './grid-gestures.tsx';
import { type GridLayout, positionAt, positionsIn } from './grid-layout.ts';
import type { Range } from './media-rows.tsx';
import { positionOf } from './use-grid-keys.ts';

/** A press that moves less is a click, pixels. */
const least = 6;

/**
 * Selects with the mouse: what a frame meets that is drawn from a free place of the page, or all from the checkbox where the drawing begins to
 * where it ends. Escape gives it up.
 */
export function useDragSelect(target: RefObject<GestureTarget>, frame: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    let end: (() => void) | undefined;
    const onDown = (event: PointerEvent) => {
      if (event.button !== 0 || event.pointerType === 'touch' || !(event.target instanceof Element)) return;
      const { grid } = target.current;
      const box = event.target.closest('[data-position] [role=checkbox]');
      const first = box && grid.current?.contains(box) ? positionOf(box) : null;
      if (first === null && !isFree(event.target, grid.current, event.clientX)) return;
      end?.();
      end = draw(event, first, target, frame);
    };
    document.addEventListener('pointerdown', onDown);
    return () => {
      document.removeEventListener('pointerdown', onDown);
      end?.();
    };
  }, [target, frame]);
}

/** Whether a press on an element hits nothing: the page around the cards, or a gap between them. */
function isFree(element: Element, grid: Element | null, x: number): boolean {
  const page = document.querySelector('main');
  if (!grid || !page?.contains(element) || x >= document.documentElement.clientWidth) return false;
  return element.contains(grid) || (grid.contains(element) && element.matches('[data-heading], [data-heading] > div'));
}

type Point = { x: number; y: number };

/**
 * Follows the pointer until it is let go.
 * @param first the position whose checkbox it began at; null: it draws a frame
 * @returns what gives up
 */
function draw(
  start: PointerEvent,
  first: number | null,
  target: RefObject<GestureTarget>,
  frame: RefObject<HTMLElement | null>,
): () => void {
  const scrolledAtStart = window.scrollY;
  let to: Point = { x: start.clientX, y: start.clientY };
  let ranges: readonly Range[] = [];
  let isDrawing = false;
  const listeners = new AbortController();
  const show = () => {
    const { layout, grid, onPreview } = target.current;
    const box = grid.current?.getBoundingClientRect();
    if (!box) return;
    const from = { x: start.clientX, y: start.clientY + scrolledAtStart - window.scrollY };
    ranges = first === null ? drawFrame(from, to, layout, box, frame.current) : rangeTo(first, to, layout, box);
    onPreview(ranges);
  };
  const scrolling = startAutoScroll(show);
  const stop = () => {
    listeners.abort();
    scrolling.stop();
    if (frame.current) frame.current.hidden = true;
    if (isDrawing) target.current.onPreview([]);
  };
  const on = <Name extends keyof DocumentEventMap>(name: Name, handle: (event: DocumentEventMap[Name]) => void) =>
    document.addEventListener(name, handle, { signal: listeners.signal, capture: true });
  on('pointermove', ({ clientX, clientY }) => {
    to = { x: clientX, y: clientY };
    isDrawing ||= Math.hypot(clientX - start.clientX, clientY - start.clientY) >= least;
    if (!isDrawing) return;
    scrolling.follow(clientY);
    show();
  });
  on('pointerup', () => {
    stop();
    if (!isDrawing) return;
    // Let go on the checkbox where it began, that is pressed.
    const chosen = ranges.filter(([one, other]) => one !== other || one !== first);
    for (const range of chosen) target.current.onSelectRange(...range);
  });
  on('pointercancel', stop);
  on('selectstart', (event) => event.preventDefault());
  on('keydown', (event) => {
    if (event.key !== 'Escape' || !isDrawing) return;
    event.preventDefault();
    stop();
  });
  return stop;
}

function rangeTo(first: number, to: Point, layout: GridLayout, grid: DOMRect): Range[] {
  const last = positionAt(layout, to.x - grid.left, to.y - grid.top);
  return [[Math.min(first, last), Math.max(first, last)]];
}

/** Draws the frame between two points of the window. Returns what it meets. */
function drawFrame(from: Point, to: Point, layout: GridLayout, grid: DOMRect, frame: HTMLElement | null): Range[] {
  const [left, right] = [Math.min(from.x, to.x), Math.max(from.x, to.x)];
  const [top, bottom] = [Math.min(from.y, to.y), Math.max(from.y, to.y)];
  if (frame) {
    frame.hidden = false;
    Object.assign(frame.style, {
      left: `${left}px`,
      top: `${top}px`,
      width: `${right - left}px`,
      height: `${bottom - top}px`,
    });
  }
  return positionsIn(layout, {
    left: left - grid.left,
    right: right - grid.left,
    top: top - grid.top,
    bottom: bottom - grid.top,
  });
}
