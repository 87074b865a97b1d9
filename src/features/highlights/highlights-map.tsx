import { clsx } from 'clsx';
import { useRef, useState } from 'react';
import type { MapPoint } from '../../api/generated/api/index.ts';
import { formatCount } from '../../lib/format.ts';
import { useElementSize } from '../../lib/use-element-size.ts';
import { placeOf } from './draw-map.ts';
import { isInBox, type MapBox } from './map-box.ts';
import { BrushOverlay, Standout } from './map-overlays.tsx';
import { MapTip } from './map-tip.tsx';
import { type DragMode, MapToolbar } from './map-toolbar.tsx';
import { useMapCanvas } from './use-map-canvas.ts';
import { useMapKeys } from './use-map-keys.ts';
import { useMapPointer } from './use-map-pointer.ts';
import { useMapView } from './use-map-view.ts';

type HighlightsMapProps = {
  /** The most unusual first. */
  points: readonly MapPoint[];
  /** How many stand out. */
  standouts: number;
  /** Of those that stand out, by chunk. */
  thumbnails: ReadonlyMap<string, string>;
  /** The selected area, or null. */
  box: MapBox | null;
  onBox: (box: MapBox | null) => void;
  onOpen: (chunkId: string) => void;
};

/**
 * Clips as points, similar ones near each other. Hover shows a clip, a click plays it, dragging selects or moves, the arrow keys visit
 * the points from the most unusual one on and Enter plays.
 */
export function HighlightsMap({ points, standouts, thumbnails, box, onBox, onOpen }: HighlightsMapProps) {
  const ref = useRef<HTMLCanvasElement>(null);
  const size = useElementSize(ref);
  const [mode, setMode] = useState<DragMode>('move');
  const selecting = mode === 'select';
  const { view, zoom, showAll } = useMapView(ref, size, selecting);
  const [marked, setMarked] = useState<MapPoint | null>(null);
  useMapCanvas(ref, { points, size, view, box, standouts, marked });
  const { brush, handlers } = useMapPointer({
    points,
    size,
    view,
    selecting,
    onMark: setMarked,
    onOpen,
    onBox: (next) => {
      if (next ?? box) onBox(next);
    },
  });

  const onKeyDown = useMapKeys({ points, marked, onMark: setMarked, onOpen, onZoom: zoom, box, onBox });

  return (
    <figure className="relative mb-5 overflow-hidden rounded-card border border-line bg-surface">
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a map is operated by keys */}
      <div
        role="application"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a map that is operated by keys
        tabIndex={0}
        aria-label={`Map of ${formatCount(points.length)} scenes. Use the arrow keys to go through them, most unique first, and Enter to play.`}
        onKeyDown={onKeyDown}
        onBlur={() => setMarked(null)}
        className="-outline-offset-2"
      >
        <canvas
          ref={ref}
          {...handlers}
          className={clsx(
            'block h-[min(64dvh,44rem)] w-full touch-none',
            selecting ? 'cursor-crosshair' : marked ? 'cursor-pointer' : 'cursor-grab',
          )}
        />
      </div>
      {points.slice(0, standouts).map((point) => (
        <Standout
          key={point.chunk_id}
          thumbnail={thumbnails.get(point.chunk_id)}
          at={placeOf(point, size)}
          view={view}
          faint={box !== null && !isInBox(point, box)}
        />
      ))}
      {brush ? <BrushOverlay {...brush} /> : null}
      {marked ? <MapTip point={marked} view={view} size={size} /> : null}
      <MapToolbar mode={mode} onMode={setMode} onZoom={zoom} onShowAll={showAll} />
    </figure>
  );
}
