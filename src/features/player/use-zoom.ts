import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react';
import { clampView, mostZoom, type Point, type Size, type View, wholeView, zoomAbout } from './zoom-view.ts';

const middle: Point = { x: 0, y: 0 };
/** How fast what was flung comes to rest: the part of its speed that is left after a millisecond. */
const friction = 0.995;

/**
 * Zooms and pans a picture in its place, also by the wheel.
 * @param fit the size at which all of it is shown
 * @param real the zoom at which each of its pixels is one of the screen
 */
export function useZoom(place: RefObject<HTMLElement | null>, fit: Size, room: Size, real: number) {
  const [view, setView] = useState<View>(wholeView);
  const frame = useRef(0);
  const most = mostZoom(real);
  const change = (next: (view: View) => View) => {
    cancelAnimationFrame(frame.current);
    setView((before) => clampView(next(before), fit, room));
  };
  const zoomTo = (k: number, about: Point) =>
    change((before) => zoomAbout(before, Math.min(most, Math.max(1, k)), about));
  const zoomBy = (factor: number, about = middle) =>
    change((before) => zoomAbout(before, Math.min(most, Math.max(1, before.k * factor)), about));
  const panBy = (by: Point) => change(({ k, x, y }) => ({ k, x: x + by.x, y: y + by.y }));
  useWheel(place, (factor, about) => zoomBy(factor, about));
  useEffect(() => () => cancelAnimationFrame(frame.current), []);
  return {
    // Another size of the window must not leave gaps.
    view: clampView(view, fit, room),
    isZoomed: view.k > 1.001,
    zoomBy,
    panBy,
    fit: () => change(() => wholeView),
    /** Shows all of it, or its pixels one to one, or a small picture at twice the size. */
    toggle: (about = middle) => zoomTo(view.k > 1.001 ? 1 : real > 1.05 ? real : 2, about),
    /** Moves a point of what is enlarged to the middle, as far as the picture reaches. @param at from the middle, in parts of the picture */
    moveTo: ({ x, y }: Point) => change(({ k }) => ({ k, x: -x * fit.width * k, y: -y * fit.height * k })),
    fling({ x, y }: Point) {
      let last = performance.now();
      let speed = 1;
      const step = (now: number) => {
        const elapsed = now - last;
        last = now;
        speed *= friction ** elapsed;
        setView(({ k, ...at }) =>
          clampView({ k, x: at.x + x * speed * elapsed, y: at.y + y * speed * elapsed }, fit, room),
        );
        if (speed * Math.hypot(x, y) > 0.02) frame.current = requestAnimationFrame(step);
      };
      frame.current = requestAnimationFrame(step);
    },
  };
}

/** Zooms by the wheel, about the pointer. With Ctrl, which is how a pinch of a touchpad arrives, in smaller steps. */
function useWheel(place: RefObject<HTMLElement | null>, onZoom: (factor: number, about: Point) => void): void {
  const turn = useEffectEvent((event: WheelEvent, element: HTMLElement) => {
    event.preventDefault();
    const { left, top, width, height } = element.getBoundingClientRect();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    const factor = 2 ** (-event.deltaY * lines * (event.ctrlKey ? 0.01 : 0.003));
    onZoom(factor, { x: event.clientX - left - width / 2, y: event.clientY - top - height / 2 });
  });
  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const listener = (event: WheelEvent) => turn(event, element);
    // React's own listener may not prevent the page from zooming.
    element.addEventListener('wheel', listener, { passive: false });
    return () => element.removeEventListener('wheel', listener);
  }, [place]);
}
