import { type RefObject, useEffect, useMemo, useRef } from 'react';
import type { MapPoint } from '../../api/generated/api/index.ts';
import { useThemeColor } from '../../lib/theme.ts';
import { advance, drawMap, largeFrom, type MovingSpot } from './draw-map.ts';
import { isInBox, type MapBox } from './map-box.ts';
import { createLevels, type DrawnSpot } from './map-levels.ts';
import { createMapPictures, type MapPictures } from './map-pictures.ts';
import type { Size, View } from './map-view.ts';

/** Pixels of the screen from which on a small picture of 64 is too little. */
const blurredFrom = 112;
/** Pictures are asked for when the map has rested for this long, so that nothing is loaded that only flies past. */
const restMs = 60;

const prefersStill = window.matchMedia('(prefers-reduced-motion: reduce)');

/** What is drawn, and how. */
type Shown = {
  spots: DrawnSpot[];
  size: Size;
  box: MapBox | null;
  marked: MapPoint | null;
  /** The points that stand out. */
  unusual: ReadonlySet<MapPoint>;
};

/**
 * Draws a map in the colours of the theme whenever something of it changes, at most once a frame, and loads its pictures.
 * @param standouts how many points stand out; the most unusual come first
 * @returns what is drawn, the uppermost last, and how many points are shown in all
 */
export function useMapCanvas(
  ref: RefObject<HTMLCanvasElement | null>,
  points: readonly MapPoint[],
  standouts: number,
  { size, view, box, marked }: { size: Size; view: View; box: MapBox | null; marked: MapPoint | null },
): { spots: DrawnSpot[]; shownCount: number } {
  const levels = useMemo(() => createLevels(points, size, standouts), [points, size, standouts]);
  const spots = useMemo(() => (size.width === 0 ? [] : levels.spotsIn(view)), [levels, view, size]);
  const unusual = useMemo(() => new Set(points.slice(0, standouts)), [points, standouts]);
  const pictures = useDrawing(ref, { spots, size, box, marked, unusual });
  useEffect(() => {
    const timer = setTimeout(() => {
      // Those drawn uppermost are looked at first.
      const ids = spots.toReversed().map(({ spot }) => spot.point.chunk_id);
      pictures.current?.want(
        ids,
        spots.filter(isLarge).map(({ spot }) => spot.point.chunk_id),
      );
    }, restMs);
    return () => clearTimeout(timer);
  }, [spots, pictures]);
  return { spots, shownCount: levels.countAt(view) };
}

/** Whether a small picture would be blurred: one of its pixels would fill nearly two of the screen. */
const isLarge = ({ side }: DrawnSpot): boolean => side >= largeFrom || side * window.devicePixelRatio >= blurredFrom;

/** @returns the pictures of the map, for as long as it is there */
function useDrawing(
  ref: RefObject<HTMLCanvasElement | null>,
  { spots, size, box, marked, unusual }: Shown,
): RefObject<MapPictures | null> {
  const pictures = useRef<MapPictures | null>(null);
  /** Draws the same again, for pictures that came. */
  const redraw = useRef<() => void>(() => undefined);
  useEffect(() => {
    const created = createMapPictures(() => redraw.current());
    pictures.current = created;
    return () => created.stop();
  }, []);
  const empty = useThemeColor('raised');
  const accented = useThemeColor('warm');
  const ring = useThemeColor('accent');
  const ground = useThemeColor('surface');
  const moving = useRef(new Map<string, MovingSpot>());

  useEffect(() => {
    const canvas = ref.current;
    if (!canvas || size.width === 0) return undefined;
    let last = performance.now();
    let frame = 0;
    const draw = () => {
      const now = performance.now();
      const moves = advance(moving.current, spots, prefersStill.matches ? Infinity : now - last);
      last = now;
      fit(canvas, size);
      const drawn = spots.flatMap(({ spot }) => moving.current.get(spot.point.chunk_id) ?? []);
      drawMap(canvas, drawn, {
        size,
        colors: { empty, unusual: accented, ring, ground },
        pictureOf: (one) => pictures.current?.get(one.spot.point.chunk_id, isLarge(one)),
        isUnusual: (point) => unusual.has(point),
        isChosen: box ? (point) => isInBox(point, box) : null,
        marked,
      });
      // For tests, which cannot see what a canvas shows.
      canvas.dataset['pictures'] = String(
        drawn.filter((one) => pictures.current?.get(one.spot.point.chunk_id, false)).length,
      );
      canvas.dataset['drawn'] = String(drawn.length);
      if (moves) frame = requestAnimationFrame(draw);
    };
    redraw.current = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(draw);
    };
    redraw.current();
    return () => cancelAnimationFrame(frame);
  }, [ref, spots, size, box, marked, unusual, empty, accented, ring, ground]);
  return pictures;
}

/** As many pixels as the screen has. */
function fit(canvas: HTMLCanvasElement, size: Size): void {
  const density = window.devicePixelRatio;
  const [width, height] = [Math.round(size.width * density), Math.round(size.height * density)];
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
}
