import type { MapPoint } from '../../api/generated/api/index.ts';

/** How a map is moved and magnified: what lies at `p` is drawn at `k * p + (x, y)`, in CSS pixels. */
export type View = { k: number; x: number; y: number };
export type Size = { width: number; height: number };

/** Kept free at the edges, CSS pixels. */
const margin = 28;

/** Where a point lies on the map before it is moved or magnified, CSS pixels. Both sides are filled: only nearness counts. */
export const placeOf = ({ x, y }: Pick<MapPoint, 'x' | 'y'>, { width, height }: Size): [number, number] => [
  margin + x * (width - 2 * margin),
  margin + y * (height - 2 * margin),
];

/** The coordinates, 0..1 where points can be, of a place that `placeOf` would give. */
export const coordinatesOf = (left: number, top: number, { width, height }: Size): { x: number; y: number } => ({
  x: (left - margin) / (width - 2 * margin),
  y: (top - margin) / (height - 2 * margin),
});

/** Where a place of the map is drawn. */
export const toScreen = ([left, top]: [number, number], { k, x, y }: View): [number, number] => [
  k * left + x,
  k * top + y,
];
