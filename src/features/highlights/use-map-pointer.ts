import { type PointerEvent, useRef, useState } from 'react';
import type { MapPoint } from '../../api/generated/api/index.ts';
import type { MapBox } from './map-box.ts';
import { type DrawnSpot, spotAt } from './map-levels.ts';
import { coordinatesOf, type Size, type View } from './map-view.ts';

/** A place on the canvas, CSS pixels. */
type Place = [left: number, top: number];

/** An area that is being dragged out. */
export type Brush = { from: Place; to: Place };

/** How far beside a picture a pointer may be, CSS pixels: a finger more than a mouse. */
const slackOf = ({ pointerType }: PointerEvent): number => (pointerType === 'mouse' ? 2 : 8);
/** A pointer that moves less than this between down and up clicks, CSS pixels. */
const maxClickMove = 5;

/**
 * The pointer on a map: hovering marks a point, a click opens one, dragging selects an area while `selecting` or with Shift.
 * @returns the area that is being dragged out, and the handlers of the canvas
 */
export function useMapPointer({
  spots,
  size,
  view,
  selecting,
  onMark,
  onOpen,
  onBox,
}: {
  /** What is drawn, the uppermost last. */
  spots: readonly DrawnSpot[];
  size: Size;
  view: View;
  selecting: boolean;
  onMark: (point: MapPoint | null) => void;
  onOpen: (chunkId: string) => void;
  /** Gets the selected area, or null after a click on no point. */
  onBox: (box: MapBox | null) => void;
}) {
  const [brush, setBrush] = useState<Brush | null>(null);
  const pressedAt = useRef<Place | null>(null);
  const pointAt = (place: Place, event: PointerEvent) => spotAt(spots, place, slackOf(event))?.spot.point ?? null;

  return {
    brush,
    handlers: {
      onPointerDown(event: PointerEvent<HTMLCanvasElement>) {
        const place = placeOfEvent(event);
        pressedAt.current = place;
        if (!selecting && !event.shiftKey) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        onMark(null);
        setBrush({ from: place, to: place });
      },
      onPointerMove(event: PointerEvent<HTMLCanvasElement>) {
        const place = placeOfEvent(event);
        if (brush) setBrush({ ...brush, to: place });
        else onMark(event.buttons === 0 ? pointAt(place, event) : null);
      },
      onPointerUp(event: PointerEvent<HTMLCanvasElement>) {
        const place = placeOfEvent(event);
        const from = pressedAt.current;
        pressedAt.current = null;
        setBrush(null);
        if (from && Math.hypot(place[0] - from[0], place[1] - from[1]) < maxClickMove) {
          const point = pointAt(place, event);
          if (point) onOpen(point.chunk_id);
          else onBox(null);
        } else if (brush) {
          onBox(toBox(unzoom(brush.from, view), unzoom(place, view), size));
        }
      },
      onPointerLeave: () => onMark(null),
    },
  };
}

function placeOfEvent({ currentTarget, clientX, clientY }: PointerEvent): Place {
  const { left, top } = currentTarget.getBoundingClientRect();
  return [clientX - left, clientY - top];
}

/** Where a place was before the map was moved and zoomed. */
const unzoom = ([left, top]: Place, view: View): Place => [(left - view.x) / view.k, (top - view.y) / view.k];

function toBox(from: Place, to: Place, size: Size): MapBox {
  const [a, b] = [coordinatesOf(...from, size), coordinatesOf(...to, size)];
  return [Math.min(a.x, b.x), Math.min(a.y, b.y), Math.max(a.x, b.x), Math.max(a.y, b.y)];
}
