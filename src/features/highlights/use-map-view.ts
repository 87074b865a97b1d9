import { select } from 'd3-selection';
import { type D3ZoomEvent, zoom, type ZoomBehavior, zoomIdentity } from 'd3-zoom';
import { type RefObject, useEffect, useRef, useState } from 'react';
import type { Size, View } from './draw-map.ts';

const largest = 40;

/**
 * Moves a map by dragging (unless `selecting`, when dragging selects) and magnifies it by pinching or by the wheel with Ctrl; the
 * bare wheel scrolls the page, as everywhere.
 */
export function useMapView(ref: RefObject<HTMLCanvasElement | null>, { width, height }: Size, selecting: boolean) {
  const [view, setView] = useState<View>({ k: 1, x: 0, y: 0 });
  const behavior = useRef<ZoomBehavior<HTMLCanvasElement, unknown> | null>(null);

  useEffect(() => {
    const canvas = ref.current;
    if (!canvas) return undefined;
    const area: [[number, number], [number, number]] = [
      [0, 0],
      [width, height],
    ];
    behavior.current = zoom<HTMLCanvasElement, unknown>()
      .scaleExtent([1, largest])
      .extent(area)
      .translateExtent(area)
      .filter((event: MouseEvent) =>
        event.type === 'wheel' ? event.ctrlKey || event.metaKey : !selecting && !event.shiftKey && event.button === 0,
      )
      .on('zoom', ({ transform: { k, x, y } }: D3ZoomEvent<HTMLCanvasElement, unknown>) => setView({ k, x, y }));
    const selection = select(canvas);
    selection.call(behavior.current).on('dblclick.zoom', null);
    return () => {
      selection.on('.zoom', null);
    };
  }, [ref, width, height, selecting]);

  return {
    view,
    /** Magnifies about the middle; 0 shows all again. */
    magnify: (factor: number): void => {
      if (!ref.current || !behavior.current) return;
      const canvas = select(ref.current);
      if (factor === 0) behavior.current.transform(canvas, zoomIdentity);
      else behavior.current.scaleBy(canvas, factor);
    },
  };
}
