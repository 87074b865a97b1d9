import { type RefObject, useEffect } from 'react';
import { startAutoScroll } from './auto-scroll.ts';
import type { GestureTarget } from './grid-gestures.tsx';
import { positionAt } from './grid-layout.ts';
import { positionOf } from './use-grid-keys.ts';

/** How long a finger rests on a card until it begins to select, ms. */
const longPressMs = 450;

/** A finger that moves further scrolls, pixels. */
const tolerance = 10;

/**
 * Selects by touch: a long press on a card begins, and drawing on selects all up to where the finger is. Before that the page scrolls as
 * always. Two fingers make pictures larger or smaller.
 */
export function useTouchSelect(target: RefObject<GestureTarget>): void {
  useEffect(() => {
    const element = target.current.grid.current;
    if (!element) return undefined;
    const press = createLongPress(target);
    const pinch = createPinch(target);
    let touching = new AbortController();
    const onMove = (event: TouchEvent) => (event.touches.length === 2 ? pinch.move(event) : press.move(event));
    const onEnd = (event: TouchEvent) => {
      // Otherwise it would be a click on the card as well.
      if (press.end() && event.cancelable) event.preventDefault();
      if (event.touches.length === 0) touching.abort();
    };
    const onStart = (event: TouchEvent) => {
      press.end();
      if (event.touches.length === 1) touching = new AbortController();
      // What was touched gets all that follows, also once it is no longer in the grid, which has other cards by then.
      const how = { signal: touching.signal, passive: false };
      const touched = event.target as HTMLElement;
      touched.addEventListener('touchmove', onMove, how);
      touched.addEventListener('touchend', onEnd, how);
      touched.addEventListener('touchcancel', onEnd, how);
      if (event.touches.length === 2) pinch.start(event);
      else if (event.touches.length === 1) press.start(event);
    };
    // What a browser does at a long press: it would take the finger away from the page.
    const keep = (event: Event) => {
      if (press.isUnderWay()) event.preventDefault();
    };
    element.addEventListener('touchstart', onStart, { passive: false });
    element.addEventListener('contextmenu', keep);
    element.addEventListener('dragstart', keep);
    return () => {
      element.removeEventListener('touchstart', onStart);
      element.removeEventListener('contextmenu', keep);
      element.removeEventListener('dragstart', keep);
      touching.abort();
      press.end();
    };
  }, [target]);
}

function createLongPress(target: RefObject<GestureTarget>) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let start: { x: number; y: number; position: number } | null = null;
  let finger = { x: 0, y: 0 };
  let range: [number, number] | null = null;
  const show = () => {
    const { layout, grid, onPreview } = target.current;
    const box = grid.current?.getBoundingClientRect();
    if (!box || !start || !range) return;
    const last = positionAt(layout, finger.x - box.left, finger.y - box.top);
    range = [Math.min(start.position, last), Math.max(start.position, last)];
    onPreview([range]);
  };
  const scrolling = startAutoScroll(show);
  const begin = () => {
    if (!start) return;
    range = [start.position, start.position];
    target.current.onSelectRange(...range);
    navigator.vibrate?.(10);
  };
  return {
    isUnderWay: () => start !== null,
    start({ touches, target: pressed }: TouchEvent) {
      const [touch] = touches;
      const position = pressed instanceof Element ? positionOf(pressed) : null;
      if (!touch || position === null) return;
      start = { x: touch.clientX, y: touch.clientY, position };
      finger = { ...start };
      timer = setTimeout(begin, longPressMs);
    },
    move(event: TouchEvent) {
      const [touch] = event.touches;
      if (!touch || !start) return;
      finger = { x: touch.clientX, y: touch.clientY };
      if (range) {
        event.preventDefault();
        scrolling.follow(finger.y);
        show();
      } else if (Math.hypot(finger.x - start.x, finger.y - start.y) > tolerance) {
        clearTimeout(timer);
        start = null;
      }
    },
    /** @returns whether it selected something */
    end(): boolean {
      clearTimeout(timer);
      scrolling.stop();
      const selected = range;
      start = null;
      range = null;
      if (!selected) return false;
      target.current.onPreview([]);
      if (selected[0] !== selected[1]) target.current.onSelectRange(...selected);
      return true;
    },
  };
}

function createPinch(target: RefObject<GestureTarget>) {
  let distance = 0;
  return {
    start: ({ touches }: TouchEvent) => {
      distance = distanceOf(touches);
    },
    move(event: TouchEvent) {
      if (!target.current.onResize) return;
      event.preventDefault();
      const now = distanceOf(event.touches);
      if (distance > 0 && now > 0) target.current.onResize(now / distance);
      distance = now;
    },
  };
}

function distanceOf({ 0: one, 1: other }: TouchList): number {
  return one && other ? Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY) : 0;
}
