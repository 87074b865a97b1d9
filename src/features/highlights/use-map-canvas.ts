import { type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import type { MapPoint } from '../../api/generated/api/index.ts';
import { useThemeColor } from '../../lib/theme.ts';
import { advance, drawMap, largeFrom, type MovingSpot } from './draw-map.ts';
import { isInBox, type MapBox } from './map-box.ts';
import { createLevels, type DrawnSpot } from './map-levels.ts';
import { createMapPictures, type MapPictures } from './map-pictures.ts';
import type { Size, View } from './map-view.ts';

/** Pictures are asked for when the map has rested for this long, so that nothing is loaded that only flies past. */
const restMs = 60;

const prefersStill = window.matchMedia('(prefers-reduced-motion: reduce)');

/** The pictures that are drawn now, at a magnification. */
type Shown = {
  spots: DrawnSpot[];
  size: Size;
  box: MapBox | null;
  marked: MapPoint | null;
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
): { spots: DrawnSpot[]; shownCount: number; pictureCount: number } {
  const levels = useMemo(() => createLevels(points, size, standouts), [points, size, standouts]);
  const spots = useMemo(() => (size.width === 0 ? [] : levels.spotsIn(view)), [levels, view, size]);
  const [loads, setLoads] = useState(0);
  const pictures = usePictures(() => setLoads((count) => count + 1));
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
  const unusual = useMemo(() => new Set(points.slice(0, standouts)), [points, standouts]);
  useDrawing(ref, pictures, { spots, size, box, marked }, unusual, loads);
  const pictureCount = spots.filter(({ spot }) => pictures.current?.get(spot.point.chunk_id, false)).length;
  return { spots, shownCount: levels.countAt(view), pictureCount };
}

const isLarge = ({ side }: DrawnSpot): boolean => side >= largeFrom || side * window.devicePixelRatio >= 2 * largeFrom;

function usePictures(onLoad: () => void): RefObject<MapPictures | null> {
  const pictures = useRef<MapPictures | null>(null);
  const told = useRef(onLoad);
  useEffect(() => {
    told.current = onLoad;
  });
  useEffect(() => {
    const created = createMapPictures(() => told.current());
    pictures.current = created;
    return () => created.stop();
  }, []);
  return pictures;
}

function useDrawing(
  ref: RefObject<HTMLCanvasElement | null>,
  pictures: RefObject<MapPictures | null>,
  { spots, size, box, marked }: Shown,
  unusual: ReadonlySet<MapPoint>,
  loads: number,
): void {
  const colors = {
    empty: useThemeColor('raised'),
    edge: useThemeColor('line'),
    unusual: useThemeColor('warm'),
    ring: useThemeColor('accent'),
    ground: useThemeColor('surface'),
  };
  const key = JSON.stringify(colors);
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
      drawMap(
        canvas,
        spots.flatMap(({ spot }) => moving.current.get(spot.point.chunk_id) ?? []),
        {
          size,
          colors: JSON.parse(key) as typeof colors,
          pictureOf: (drawn) => pictures.current?.get(drawn.spot.point.chunk_id, isLarge(drawn)),
          isUnusual: (point) => unusual.has(point),
          isChosen: box ? (point) => isInBox(point, box) : null,
          marked,
        },
      );
      if (moves) frame = requestAnimationFrame(draw);
    };
    frame = requestAnimationFrame(draw);
    return () => cancelAnimationFrame(frame);
  }, [ref, pictures, spots, size, box, marked, unusual, loads, key]);
}

/** As many pixels as the screen has. */
function fit(canvas: HTMLCanvasElement, size: Size): void {
  const density = window.devicePixelRatio;
  const [width, height] = [Math.round(size.width * density), Math.round(size.height * density)];
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
}
