import { type MouseEvent, type PointerEvent, useRef } from 'react';
import { useStage, wantsStillness } from '../../lib/stage.ts';
import { type Axis, useSwipe } from './use-swipe.ts';
import type { Point } from './zoom-view.ts';

/** What fingers and the mouse do to what can be enlarged. Points are pixels from the middle of the element. */
type ZoomActions = {
  isZoomed: boolean;
  panBy: (by: Point) => void;
  /** The pointer was let go of while it moved, pixels per millisecond. */
  fling: (velocity: Point) => void;
  zoomBy: (factor: number, about: Point) => void;
  toggle: (about: Point) => void;
};

/** A pointer that moved less, pixels, pressed and did not drag. */
const slack = 8;
const doubleTapMs = 280;
/** A pointer that rested for so long before it was let go of was not flung. */
const restMs = 60;

type Mode = 'press' | 'pan' | 'pinch' | Axis;
type Track = { start: Point; last: Point; at: number; velocity: Point; mode: Mode };

const pointOf = ({ clientX: x, clientY: y }: PointerEvent): Point => ({ x, y });
const between = (from: Point, to: Point): Point => ({ x: to.x - from.x, y: to.y - from.y });
const lengthOf = ({ x, y }: Point): number => Math.hypot(x, y);

function fromMiddle(element: Element, { x, y }: Point): Point {
  const { left, top, width, height } = element.getBoundingClientRect();
  return { x: x - left - width / 2, y: y - top - height / 2 };
}

/**
 * What fingers and the mouse do on what fills the window: swipes (`useSwipe`), a tap that hides the bars or shows them. With `zoom` two
 * fingers zoom, a double tap enlarges, and what is enlarged is dragged.
 */
export function useGestures(zoom: ZoomActions | null) {
  const swipe = useSwipe();
  const tap = useTap(zoom);
  const pointers = useRef(new Map<number, Point>());
  const track = useRef<Track | null>(null);
  const dragged = useRef(false);

  const follow = (now: Track, to: Point, isMouse: boolean) => {
    if (now.mode === 'press') now.mode = modeOf(between(now.start, to), zoom?.isZoomed === true, isMouse);
    if (now.mode === 'press') return;
    const by = between(now.last, to);
    const elapsed = Math.max(1, performance.now() - now.at);
    Object.assign(now, { velocity: { x: by.x / elapsed, y: by.y / elapsed }, last: to, at: performance.now() });
    dragged.current = true;
    if (now.mode === 'pan') zoom?.panBy(by);
    else if (now.mode !== 'pinch') swipe.moveTo(now.mode, between(now.start, to));
  };
  const end = (event: PointerEvent, isCancelled: boolean) => {
    if (!pointers.current.delete(event.pointerId)) return;
    const now = track.current;
    // The last finger of several ends it.
    if (!now || pointers.current.size > 0) return;
    track.current = null;
    const { mode, start, last, at, velocity } = now;
    if (mode === 'pan' && performance.now() - at < restMs && !wantsStillness()) zoom?.fling(velocity);
    if (mode === 'press' && !isCancelled && event.pointerType !== 'mouse') tap(event.currentTarget, pointOf(event));
    if (mode !== 'across' && mode !== 'down') return;
    if (isCancelled) swipe.cancel();
    else swipe.end(mode, between(start, last), velocity, event.currentTarget.getBoundingClientRect());
  };
  return {
    offset: swipe.offset,
    settling: swipe.settling,
    handlers: {
      onPointerDown: (event: PointerEvent) => {
        if (event.pointerType === 'mouse' && event.button !== 0) return;
        const at = pointOf(event);
        pointers.current.set(event.pointerId, at);
        dragged.current = false;
        // What is enlarged is dragged beyond the window too. Elsewhere the click of a press would be that of this element.
        if (zoom?.isZoomed) event.currentTarget.setPointerCapture(event.pointerId);
        const mode = pointers.current.size > 1 ? 'pinch' : 'press';
        track.current = { start: at, last: at, at: performance.now(), velocity: { x: 0, y: 0 }, mode };
      },
      onPointerMove: (event: PointerEvent) => {
        const now = track.current;
        if (!now || !pointers.current.has(event.pointerId)) return;
        const to = pointOf(event);
        if (now.mode === 'pinch') dragged.current = pinch(zoom, pointers.current, event) || dragged.current;
        else follow(now, to, event.pointerType === 'mouse');
        pointers.current.set(event.pointerId, to);
        if (dragged.current) event.currentTarget.setPointerCapture(event.pointerId);
      },
      onPointerUp: (event: PointerEvent) => end(event, false),
      onPointerCancel: (event: PointerEvent) => end(event, true),
      onClickCapture: (event: MouseEvent) => {
        if (dragged.current) event.stopPropagation();
        dragged.current = false;
      },
    },
  };
}

/** Zooms by two fingers, one of which moves. @returns whether there are two, and something to zoom */
function pinch(zoom: ZoomActions | null, pointers: ReadonlyMap<number, Point>, event: PointerEvent): boolean {
  const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
  const from = pointers.get(event.pointerId);
  if (!zoom || !other || !from) return false;
  const to = pointOf(event);
  const by = between(from, to);
  zoom.panBy({ x: by.x / 2, y: by.y / 2 });
  const factor = lengthOf(between(other, to)) / Math.max(1, lengthOf(between(other, from)));
  zoom.zoomBy(factor, fromMiddle(event.currentTarget, { x: (to.x + other.x) / 2, y: (to.y + other.y) / 2 }));
  return true;
}

/** What a drag is once it has begun. The mouse drags only what is enlarged. */
function modeOf(by: Point, isZoomed: boolean, isMouse: boolean): Mode {
  if (lengthOf(by) < slack) return 'press';
  if (isZoomed) return 'pan';
  if (isMouse) return 'press';
  return Math.abs(by.x) > Math.abs(by.y) ? 'across' : 'down';
}

/** Tells a tap from a double tap, which zooms. */
function useTap(zoom: ZoomActions | null): (element: Element, at: Point) => void {
  const { onTap } = useStage();
  const last = useRef<{ at: number; timer?: ReturnType<typeof setTimeout> }>({ at: -doubleTapMs });
  return (element, at) => {
    const now = performance.now();
    clearTimeout(last.current.timer);
    const isDouble = now - last.current.at < doubleTapMs;
    if (zoom && isDouble) {
      last.current = { at: -doubleTapMs };
      zoom.toggle(fromMiddle(element, at));
    } else {
      last.current = { at: now, timer: setTimeout(onTap, zoom ? doubleTapMs : 0) };
    }
  };
}
