import { select } from 'd3-selection';
import { type D3ZoomEvent, type ZoomBehavior, zoom as createZoom, zoomIdentity } from 'd3-zoom';
import { type RefObject, useEffect, useRef, useState } from 'react';
import type { MapPoint } from '../../api/generated/api/index.ts';
import { placeOf, type Size, toScreen, type View } from './map-view.ts';

const maxZoom = 96;
/** A point that is nearer to the edge than this is not seen well, CSS pixels. */
const edge = 24;
/** The factor of one step by button or key. */
const zoomStep = 1.6;

/**
 * Moves a map by dragging (unless `selecting`, when dragging selects) and zooms it by pinching or by the wheel with Ctrl. The wheel alone
 * scrolls the page.
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
    behavior.current = createZoom<HTMLCanvasElement, unknown>()
      .scaleExtent([1, maxZoom])
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
    /** Zooms by one step about the centre. */
    zoom: (direction: 'in' | 'out'): void => {
      if (ref.current) behavior.current?.scaleBy(select(ref.current), direction === 'in' ? zoomStep : 1 / zoomStep);
    },
    /** Moves the map so far that a point can be seen. */
    reveal: (point: MapPoint): void => {
      const [left, top] = toScreen(placeOf(point, { width, height }), view);
      const short = (at: number, length: number) => Math.min(0, length - edge - at) + Math.max(0, edge - at);
      const [right, down] = [short(left, width), short(top, height)];
      if (ref.current && (right !== 0 || down !== 0))
        behavior.current?.translateBy(select(ref.current), right / view.k, down / view.k);
    },
    showAll: (): void => {
      if (ref.current) behavior.current?.transform(select(ref.current), zoomIdentity);
    },
  };
}
