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

export type MapColors = { usual: string; unusual: string; ring: string; ground: string };

/**
 * Draws all points, the usual ones small and faint, the most unusual last, large and in colour.
 * @param points the most unusual first
 * @param standouts how many stand out
 * @param chosen whether a point is in the selection; null when there is none
 */
export function drawMap(
  canvas: HTMLCanvasElement,
  points: readonly MapPoint[],
  view: View,
  {
    size,
    colors,
    standouts,
    chosen,
    marked,
  }: {
    size: Size;
    colors: MapColors;
    standouts: number;
    chosen: ((point: MapPoint) => boolean) | null;
    /** The point under the pointer or the keyboard. */
    marked: MapPoint | null;
  },
): void {
  const context = canvas.getContext('2d');
  if (!context) return;
  const density = window.devicePixelRatio;
  context.setTransform(density, 0, 0, density, 0, 0);
  context.clearRect(0, 0, size.width, size.height);
  const growth = Math.min(2, Math.sqrt(view.k));
  const usual = dot(3 * growth, colors.usual, null, density);
  const unusual = dot(5.5 * growth, colors.unusual, colors.ground, density);
  for (let i = points.length - 1; i >= 0; i--) {
    const point = points[i] as MapPoint;
    const [left, top] = placeOf(point, size);
    const at: [number, number] = [view.k * left + view.x, view.k * top + view.y];
    if (at[0] < -20 || at[1] < -20 || at[0] > size.width + 20 || at[1] > size.height + 20) continue;
    const image = i < standouts ? unusual : usual;
    context.globalAlpha = chosen && !chosen(point) ? 0.18 : i < standouts ? 1 : 0.75;
    const side = image.width / density;
    context.drawImage(image, at[0] - side / 2, at[1] - side / 2, side, side);
  }
  context.globalAlpha = 1;
  if (!marked) return;
  const [left, top] = placeOf(marked, size);
  context.beginPath();
  context.arc(view.k * left + view.x, view.k * top + view.y, 10 * growth, 0, 2 * Math.PI);
  context.lineWidth = 2.5;
  context.strokeStyle = colors.ring;
  context.stroke();
}

/** A dot as an image: drawing one 20,000 times is quicker than 20,000 circles. */
function dot(radius: number, fill: string, edge: string | null, density: number): HTMLCanvasElement {
  const image = document.createElement('canvas');
  const side = Math.ceil((radius * 2 + 3) * density);
  image.width = side;
  image.height = side;
  const context = image.getContext('2d');
  if (!context) return image;
  context.beginPath();
  context.arc(side / 2, side / 2, radius * density, 0, 2 * Math.PI);
  context.fillStyle = fill;
  context.fill();
  if (edge !== null) {
    context.lineWidth = 1.5 * density;
    context.strokeStyle = edge;
    context.stroke();
  }
  return image;
}
