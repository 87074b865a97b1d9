import type { KeyboardEvent } from 'react';
import type { MapPoint } from '../../api/generated/api/index.ts';
import type { MapBox } from './map-box.ts';

const steps: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/**
 * The keys of a map: arrows visit the points from the most unusual one on, Enter opens, Escape clears, plus and minus zoom.
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
    const step = steps[event.key];
    if (step !== undefined) {
      const next = marked ? points.indexOf(marked) + step : 0;
      onMark(points[Math.min(points.length - 1, Math.max(0, next))] ?? null);
    } else if (event.key === 'Enter' && marked) onOpen(marked.chunk_id);
    else if (event.key === 'Escape' && (marked || box)) {
      onMark(null);
      onBox(null);
    } else if (event.key === '+' || event.key === '=') onZoom('in');
    else if (event.key === '-') onZoom('out');
    else return;
    event.preventDefault();
  };
}
