import { type RefObject, useEffect } from 'react';
import type { MapPoint } from '../../api/generated/api/index.ts';
import { useThemeColor } from '../../lib/theme.ts';
import { drawMap, type Size, type View } from './draw-map.ts';
import { isInBox, type MapBox } from './map-box.ts';

/** Draws a map in the colours of the theme whenever something of it changes, at most once per frame. */
export function useMapCanvas(
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
