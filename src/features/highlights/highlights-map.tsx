import { clsx } from 'clsx';
import { quadtree } from 'd3-quadtree';
import { BoxSelect, Maximize, Minus, Move, Plus } from 'lucide-react';
import { type KeyboardEvent, type PointerEvent, useEffect, useMemo, useRef, useState } from 'react';
import type { MapPoint } from '../../api/generated/api/index.ts';
import { formatCount } from '../../lib/format.ts';
import { useThemeColor } from '../../lib/theme.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { coordinatesOf, drawMap, placeOf, type Size, type View } from './draw-map.ts';
import { isInBox, type MapBox } from './map-box.ts';
import { MapTip } from './map-tip.tsx';
import { useMapView } from './use-map-view.ts';

/** How far from a point the pointer may be, pixels. */
const reach = 14;

/**
 * Clips as points, alike ones together. Hover shows a clip, a click plays it, dragging selects or moves, the arrow keys go through
 * the points from the most unusual one on and Enter plays.
 * @param points the most unusual first
 * @param standouts how many stand out
 * @param pictures thumbnails of those that stand out, by chunk
 */
export function HighlightsMap({
  points,
  standouts,
  pictures,
  box,
  onBox,
  onOpen,
}: {
  points: readonly MapPoint[];
  standouts: number;
  pictures: ReadonlyMap<string, string>;
  /** The selected part, or null. */
  box: MapBox | null;
  onBox: (box: MapBox | null) => void;
  onOpen: (chunkId: string) => void;
}) {
  const ref = useRef<HTMLCanvasElement>(null);
  const size = useSize(ref);
  const [mode, setMode] = useState<'move' | 'select'>('move');
  const { view, magnify } = useMapView(ref, size, mode === 'select');
  const [marked, setMarked] = useState<MapPoint | null>(null);
  const [drag, setDrag] = useState<{ from: [number, number]; to: [number, number] } | null>(null);
  const pressedAt = useRef<[number, number] | null>(null);
  const usual = useThemeColor('quiet');
  const unusual = useThemeColor('accent');
  const ring = useThemeColor('ink');
  const ground = useThemeColor('surface');
  const tree = useMemo(
    () =>
      quadtree<MapPoint>()
        .x((point) => placeOf(point, size)[0])
        .y((point) => placeOf(point, size)[1])
        .addAll([...points]),
    [points, size],
  );

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
  }, [points, size, view, box, standouts, marked, usual, unusual, ring, ground]);

  /** A place on the canvas, and on the map before it was moved or magnified. */
  const locate = (event: PointerEvent): { on: [number, number]; base: [number, number] } => {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    const on: [number, number] = [event.clientX - left, event.clientY - top];
    return { on, base: [(on[0] - view.x) / view.k, (on[1] - view.y) / view.k] };
  };
  const pointAt = (base: [number, number]) => tree.find(...base, reach / view.k) ?? null;

  const onPointerDown = (event: PointerEvent<HTMLCanvasElement>) => {
    const { on } = locate(event);
    pressedAt.current = on;
    if (mode !== 'select' && !event.shiftKey) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    setMarked(null);
    setDrag({ from: on, to: on });
  };
  const onPointerMove = (event: PointerEvent<HTMLCanvasElement>) => {
    const { on, base } = locate(event);
    if (drag) setDrag({ ...drag, to: on });
    else if (event.buttons === 0) setMarked(pointAt(base));
    else setMarked(null);
  };
  const onPointerUp = (event: PointerEvent<HTMLCanvasElement>) => {
    const { on, base } = locate(event);
    const still = pressedAt.current && Math.hypot(on[0] - pressedAt.current[0], on[1] - pressedAt.current[1]) < 5;
    pressedAt.current = null;
    setDrag(null);
    if (still) {
      const point = pointAt(base);
      if (point) onOpen(point.chunk_id);
      else if (box) onBox(null);
    } else if (drag) {
      const [a, b] = [drag.from, on].map(([left, top]) =>
        coordinatesOf((left - view.x) / view.k, (top - view.y) / view.k, size),
      ) as [{ x: number; y: number }, { x: number; y: number }];
      onBox([Math.min(a.x, b.x), Math.min(a.y, b.y), Math.max(a.x, b.x), Math.max(a.y, b.y)]);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      const next = marked ? points.indexOf(marked) + step : 0;
      setMarked(points[Math.min(points.length - 1, Math.max(0, next))] ?? null);
    } else if (event.key === 'Enter' && marked) onOpen(marked.chunk_id);
    else if (event.key === 'Escape' && (marked || box)) {
      setMarked(null);
      onBox(null);
    } else if (event.key === '+' || event.key === '=') magnify(1.6);
    else if (event.key === '-') magnify(1 / 1.6);
    else return;
    event.preventDefault();
  };

  const at = marked
    ? placeOf(marked, size).map((place, axis) => view.k * place + (axis === 0 ? view.x : view.y))
    : null;
  return (
    <figure className="relative mb-5 overflow-hidden rounded-card border border-line bg-surface">
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a map is worked by keys */}
      <div
        role="application"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a map that is worked by keys
        tabIndex={0}
        aria-label={`Map of ${formatCount(points.length)} clips. Arrow keys go through them, the most unusual first. Enter plays.`}
        onKeyDown={onKeyDown}
        onBlur={() => setMarked(null)}
        className="-outline-offset-2"
      >
        <canvas
          ref={ref}
          onPointerDown={onPointerDown}
          onPointerMove={onPointerMove}
          onPointerUp={onPointerUp}
          onPointerLeave={() => setMarked(null)}
          className={clsx(
            'block h-[min(64dvh,44rem)] w-full touch-none',
            mode === 'select' ? 'cursor-crosshair' : marked ? 'cursor-pointer' : 'cursor-grab',
          )}
        />
      </div>
      {points.slice(0, standouts).map((point) => (
        <Standout
          key={point.chunk_id}
          picture={pictures.get(point.chunk_id)}
          at={placeOf(point, size)}
          view={view}
          faint={box !== null && !isInBox(point, box)}
        />
      ))}
      {drag ? <Brush {...drag} /> : null}
      {marked && at ? <MapTip point={marked} left={at[0] ?? 0} top={at[1] ?? 0} size={size} /> : null}
      <div className="absolute top-2.5 right-2.5 flex flex-wrap justify-end gap-2">
        <Choice
          label="Dragging"
          value={mode}
          options={[
            { value: 'move', text: 'Move', icon: Move },
            { value: 'select', text: 'Select', icon: BoxSelect },
          ]}
          onChange={(value) => setMode(value ?? 'move')}
        />
        <div className="flex rounded-control border border-line bg-surface">
          <Button look="quiet" size="small" aria-label="Magnify" onClick={() => magnify(1.6)}>
            <Plus aria-hidden />
          </Button>
          <Button look="quiet" size="small" aria-label="Shrink" onClick={() => magnify(1 / 1.6)}>
            <Minus aria-hidden />
          </Button>
          <Button look="quiet" size="small" aria-label="Show all" onClick={() => magnify(0)}>
            <Maximize aria-hidden />
          </Button>
        </div>
      </div>
    </figure>
  );
}

/** A clip that stands out, as a small picture over its dot. */
function Standout({
  picture,
  at: [left, top],
  view,
  faint,
}: {
  picture: string | undefined;
  at: [number, number];
  view: View;
  faint: boolean;
}) {
  if (picture === undefined) return null;
  return (
    <img
      src={picture}
      alt=""
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

const Brush = ({ from, to }: { from: [number, number]; to: [number, number] }) => (
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

function useSize(ref: { current: HTMLElement | null }): Size {
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  useEffect(() => {
    const element = ref.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => setSize({ width: element.clientWidth, height: element.clientHeight }));
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref]);
  return size;
}
