import type { KeyboardEvent } from 'react';
import type { MapPoint } from '../../api/generated/api/index.ts';
import type { MapBox } from './map-box.ts';
import { nearestTowards, type Direction } from './nearest-towards.ts';

const directions: Record<string, Direction> = {
  ArrowRight: [1, 0],
  ArrowDown: [0, 1],
  ArrowLeft: [-1, 0],
  ArrowUp: [0, -1],
};
/** Through all points, from the most unusual one on. */
const steps: Record<string, number> = { PageDown: 1, PageUp: -1 };

/**
 * The keys of a map: arrows go to the nearest point in their direction, Page Down and Page Up through all from the most unusual one on, Home to that one;
 * Enter opens, Escape clears, plus and minus zoom.
 * @returns the handler of key presses
 */
export function useMapKeys({
  points,
  marked,
  onMark,
  onOpen,
  onZoom,
  box,
  onBox,
}: {
  points: readonly MapPoint[];
  marked: MapPoint | null;
  onMark: (point: MapPoint | null) => void;
  onOpen: (chunkId: string) => void;
  onZoom: (direction: 'in' | 'out') => void;
  box: MapBox | null;
  onBox: (box: MapBox | null) => void;
}) {
  return (event: KeyboardEvent) => {
    const { key } = event;
    const direction = directions[key];
    const step = steps[key];
    const first = points[0] ?? null;
    if (key === 'Home' || ((direction || step !== undefined) && !marked)) onMark(first);
    else if (direction && marked) onMark(nearestTowards(points, marked, direction));
    else if (step !== undefined && marked) onMark(points[points.indexOf(marked) + step] ?? marked);
    else if (key === 'Enter' && marked) onOpen(marked.chunk_id);
    else if (key === 'Escape' && (marked || box)) {
      onMark(null);
      onBox(null);
    } else if (key === '+' || key === '=') onZoom('in');
    else if (key === '-') onZoom('out');
    else return;
    event.preventDefault();
  };
}
