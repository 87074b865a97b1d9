import { useQuery } from '@tanstack/react-query';
import { clsx } from 'clsx';
import { BoxSelect, Maximize, Minus, Move, Plus } from 'lucide-react';
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react';
import type { MapPoint } from '../../api/generated/api/index.ts';
import { clipsOptions } from '../../api/queries.ts';
import { formatCount, formatPercent, formatSpan } from '../../lib/format.ts';
import { useThemeColor } from '../../lib/theme.ts';
import { useElementSize } from '../../lib/use-element-size.ts';
import { IconButton } from '../../ui/button.tsx';
import { CardImage } from '../../ui/card-image.tsx';
import { Choice } from '../../ui/choice.tsx';
import { type Size, type View, drawMap, placeOf } from './draw-map.ts';
import { type MapBox, isInBox } from './map-box.ts';
import { type Brush, useMapPointer } from './use-map-pointer.ts';
import { useMapView } from './use-map-view.ts';

type HighlightsMapProps = {
  /** The most unusual first. */
  points: readonly MapPoint[];
  /** How many stand out. */
  standouts: number;
  /** The clips that stand out, by chunk. */
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

/** A clip that stands out: its thumbnail over its dot. */
function Standout({
  thumbnail,
  at: [left, top],
  view,
  faint,
}: {
  thumbnail: string | undefined;
  at: [number, number];
  view: View;
  faint: boolean;
}) {
  if (thumbnail === undefined) return null;
  return (
    <CardImage
      thumbnail={thumbnail}
      draggable={false}
      className={clsx(
        'pointer-events-none absolute top-0 left-0 aspect-video w-9 rounded-md border-2 border-accent bg-raised object-cover shadow-sm sm:w-14',
        faint && 'opacity-25',
      )}
      style={{
        transform: `translate(${view.k * left + view.x}px, ${view.k * top + view.y}px) translate(-50%, -50%)`,
      }}
    />
  );
}

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

/** Width of the tip and its approximate height, CSS pixels. */
const width = 192;
const height = 166;
/** A point is loaded when the pointer has been on it for this long. */
const restMs = 60;

/** What a point shows, beside it. */
function MapTip({ point, view, size }: { point: MapPoint; view: View; size: Size }) {
  const [rested, setRested] = useState(point.chunk_id);
  useEffect(() => {
    const timer = setTimeout(() => setRested(point.chunk_id), restMs);
    return () => clearTimeout(timer);
  }, [point.chunk_id]);
  const clip = useQuery({ ...clipsOptions([point.chunk_id]), enabled: rested === point.chunk_id }).data?.[0];
  const place = placeOf(point, size);
  const [left, top] = [view.k * place[0] + view.x, view.k * place[1] + view.y];
  const below = top + 18 + height < size.height;
  return (
    <figcaption
      role="status"
      className="pointer-events-none absolute overflow-hidden rounded-card border border-line bg-surface shadow-float"
      style={{
        width,
        left: Math.min(Math.max(8, left - width / 2), Math.max(8, size.width - width - 8)),
        top: below ? top + 18 : Math.max(8, top - 18 - height),
      }}
    >
      <span className="block aspect-video w-full bg-raised">
        {clip ? (
          <CardImage thumbnail={clip.thumbnail} thumbnails={clip.thumbnails} className="size-full object-cover" />
        ) : null}
      </span>
      <span className="block px-2.5 py-2 text-xs">
        <span className="block truncate">{clip?.filename ?? '…'}</span>
        <span className="flex justify-between text-quiet tabular-nums">
          <span>{clip ? formatSpan(clip) : ''}</span>
          <span>Uniqueness {formatPercent(point.score)}</span>
        </span>
      </span>
    </figcaption>
  );
}

/** What dragging does on a map. */
type DragMode = 'move' | 'select';

/** What dragging does, and zoom. */
const MapToolbar = ({
  mode,
  onMode,
  onZoom,
  onShowAll,
}: {
  mode: DragMode;
  onMode: (mode: DragMode) => void;
  onZoom: (direction: 'in' | 'out') => void;
  onShowAll: () => void;
}) => (
  <div className="absolute top-2.5 right-2.5 flex flex-wrap justify-end gap-2">
    <Choice
      label="Drag to"
      value={mode}
      options={[
        { value: 'move', text: 'Pan', icon: Move },
        { value: 'select', text: 'Select', icon: BoxSelect },
      ]}
      onChange={(value) => onMode(value ?? 'move')}
    />
    <div className="flex h-8 items-center rounded-control border border-line bg-surface">
      <IconButton icon={Plus} label="Zoom in" size="smallIcon" onClick={() => onZoom('in')} />
      <IconButton icon={Minus} label="Zoom out" size="smallIcon" onClick={() => onZoom('out')} />
      <IconButton icon={Maximize} label="Fit all" size="smallIcon" onClick={onShowAll} />
    </div>
  </div>
);

/** Draws a map in the colours of the theme whenever something of it changes, at most once per frame. */
function useMapCanvas(
  ref: RefObject<HTMLCanvasElement | null>,
  {
    points,
    size,
    view,
    box,
    standouts,
    marked,
  }: {
    points: readonly MapPoint[];
    size: Size;
    view: View;
    box: MapBox | null;
    standouts: number;
    marked: MapPoint | null;
  },
): void {
  const usual = useThemeColor('quiet');
  const unusual = useThemeColor('accent');
  const ring = useThemeColor('ink');
  const ground = useThemeColor('surface');

  useEffect(() => {
    const canvas = ref.current;
    if (!canvas || size.width === 0) return undefined;
    const frame = requestAnimationFrame(() => {
      const density = window.devicePixelRatio;
      const [width, height] = [Math.round(size.width * density), Math.round(size.height * density)];
      if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
      const chosen = box ? (point: MapPoint) => isInBox(point, box) : null;
      drawMap(canvas, points, view, { size, colors: { usual, unusual, ring, ground }, standouts, chosen, marked });
    });
    return () => cancelAnimationFrame(frame);
  }, [ref, points, size, view, box, standouts, marked, usual, unusual, ring, ground]);
}

const steps: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/**
 * The keys of a map: arrows visit the points from the most unusual one on, Enter opens, Escape clears, plus and minus zoom.
 * @returns the handler of key presses
 */
function useMapKeys({
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
