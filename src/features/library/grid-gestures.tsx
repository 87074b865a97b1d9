import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import type { GridLayout } from './grid-layout.ts';
import type { Range } from './media-rows.tsx';
import { useDragSelect } from './use-drag-select.ts';
import { useShiftPreview } from './use-shift-preview.ts';
import { useTouchSelect } from './use-touch-select.ts';

export type GestureTarget = {
  grid: RefObject<HTMLElement | null>;
  layout: GridLayout;
  /** The position that was selected last. */
  anchor: RefObject<number | null>;
  /** Shows what is selected once the hand lets go. */
  onPreview: (ranges: readonly Range[]) => void;
  onSelectRange: (first: number, last: number) => void;
  /** Called with the factor by which pictures are made larger. */
  onResize?: ((factor: number) => void) | undefined;
};

/**
 * What hands do in a grid besides pressing one card: draw a frame from a free place, draw from one checkbox to another, hold Shift, press for
 * long and draw on, move two fingers apart, turn the wheel with Ctrl. The frame that is drawn is the only thing to see.
 */
export function GridGestures(target: GestureTarget) {
  const latest = useRef(target);
  useLayoutEffect(() => {
    latest.current = target;
  });
  const frame = useRef<HTMLDivElement>(null);
  useDragSelect(latest, frame);
  useTouchSelect(latest);
  useShiftPreview(latest);
  useWheelSize(latest);
  return (
    <div
      ref={frame}
      hidden
      aria-hidden
      className="pointer-events-none fixed z-10 rounded-sm border border-accent bg-accent/15"
    />
  );
}

/** Turning the wheel with Ctrl, or ⌘, makes pictures larger or smaller; on a touchpad that is what two fingers do. */
function useWheelSize(target: RefObject<GestureTarget>): void {
  useEffect(() => {
    const element = target.current.grid.current;
    const onWheel = (event: WheelEvent) => {
      const { onResize } = target.current;
      if (!onResize || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      onResize(Math.exp(-Math.max(-100, Math.min(100, event.deltaY)) * 0.003));
    };
    element?.addEventListener('wheel', onWheel, { passive: false });
    return () => element?.removeEventListener('wheel', onWheel);
  }, [target]);
}
