import { clsx } from 'clsx';
import { useRef, useState } from 'react';
import type { MapLabel, MapPoint } from '../../api/generated/api/index.ts';
import { formatCount } from '../../lib/format.ts';
import { useElementSize } from '../../lib/use-element-size.ts';
import type { MapBox } from './map-box.ts';
import { MapLabels } from './map-labels.tsx';
import { MapTip } from './map-tip.tsx';
import { type DragMode, MapToolbar } from './map-toolbar.tsx';
import { useMapCanvas } from './use-map-canvas.ts';
import { useMapKeys } from './use-map-keys.ts';
import { type Brush, useMapPointer } from './use-map-pointer.ts';
import { useMapView } from './use-map-view.ts';

type HighlightsMapProps = {
  /** The most unusual first. */
  points: readonly MapPoint[];
  labels: readonly MapLabel[];
  /** How many stand out. */
  standouts: number;
  /** Whether a better map is on its way. */
  unfinished: boolean;
  /** The selected area, or null. */
  box: MapBox | null;
  onBox: (box: MapBox | null) => void;
  onOpen: (chunkId: string) => void;
};

/**
 * Moments as pictures, similar ones near each other, and what groups of them show. Magnified, there are more pictures and finer names. Hover shows a moment,
 * a click opens it, dragging selects or moves, arrow keys go from one to the next and Enter opens.
 */
export function HighlightsMap({ points, labels, standouts, unfinished, box, onBox, onOpen }: HighlightsMapProps) {
  const ref = useRef<HTMLCanvasElement>(null);
  const size = useElementSize(ref);
  const [mode, setMode] = useState<DragMode>('move');
  const selecting = mode === 'select';
  const { view, zoom, showAll, reveal } = useMapView(ref, size, selecting);
  const [marked, setMarked] = useState<MapPoint | null>(null);
  const { spots, shownCount } = useMapCanvas(ref, points, standouts, { size, view, box, marked });
  const { brush, handlers } = useMapPointer({
    spots,
    size,
    view,
    selecting,
    onMark: setMarked,
    onOpen,
    onBox: (next) => {
      if (next ?? box) onBox(next);
    },
  });
  const mark = (point: MapPoint | null) => {
    setMarked(point);
    if (point) reveal(point);
  };
  const onKeyDown = useMapKeys({ points, marked, onMark: mark, onOpen, onZoom: zoom, box, onBox });

  return (
    <figure className="relative mb-5 overflow-hidden rounded-card border border-line bg-surface">
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a map is operated by keys */}
      <div
        role="application"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a map that is operated by keys
        tabIndex={0}
        aria-label={`Map of ${formatCount(points.length)} moments. Arrow keys go to the next one in their direction, Page Down through all from the most unusual one on, Enter opens.`}
        onKeyDown={onKeyDown}
        onBlur={() => setMarked(null)}
        className="-outline-offset-2"
      >
        <canvas
          ref={ref}
          {...handlers}
          data-shown={shownCount}
          className={clsx(
            'block touch-none',
            mapHeight,
            selecting ? 'cursor-crosshair' : marked ? 'cursor-pointer' : 'cursor-grab',
          )}
        />
      </div>
      <MapLabels labels={labels} size={size} view={view} />
      {brush ? <BrushOverlay {...brush} /> : null}
      {marked ? <MapTip point={marked} view={view} size={size} /> : null}
      <MapToolbar mode={mode} onMode={setMode} onZoom={zoom} onShowAll={showAll} />
      {unfinished ? <FirstOverview /> : null}
    </figure>
  );
}

/** Says that a better map is on its way. */
const FirstOverview = () => (
  <p
    role="status"
    className="pointer-events-none absolute bottom-2.5 left-2.5 rounded-control border border-line bg-surface px-2.5 py-1 text-xs text-ink"
  >
    A first overview. Groups are being formed…
  </p>
);

/** The size of the map, which its skeleton has too. */
const mapHeight = 'h-[min(72dvh,52rem)] w-full';

/** The area that is being dragged out. */
const BrushOverlay = ({ from, to }: Brush) => (
  <span
    aria-hidden
    className="pointer-events-none absolute rounded-sm border border-accent bg-accent/15"
    style={{
      left: Math.min(from[0], to[0]),
      top: Math.min(from[1], to[1]),
      width: Math.abs(from[0] - to[0]),
      height: Math.abs(from[1] - to[1]),
    }}
  />
);
