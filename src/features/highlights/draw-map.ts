import type { MapPoint } from '../../api/generated/api/index.ts';
import type { DrawnSpot } from './map-levels.ts';
import type { MapPicture } from './map-pictures.ts';
import type { Size } from './map-view.ts';

type MapColors = { empty: string; unusual: string; ring: string; ground: string };

/** A spot on its way: where it is drawn now, and how much of it is seen. */
export type MovingSpot = DrawnSpot & { alpha: number };

/** From this length of its sides on a picture is drawn whole, in its own shape, CSS pixels. */
export const largeFrom = 84;
/** Between a picture and what lies below it, CSS pixels. */
const border = 1.5;

/** How a map is drawn. */
export type MapDrawing = {
  size: Size;
  colors: MapColors;
  pictureOf: (spot: DrawnSpot) => MapPicture | undefined;
  isUnusual: (point: MapPoint) => boolean;
  /** Whether a point is in the selection; null when there is none. */
  isChosen: ((point: MapPoint) => boolean) | null;
  /** The point under the pointer or the keyboard. */
  marked: MapPoint | null;
};

/** Draws the pictures of a map in their order, that of the marked point above all. */
export function drawMap(canvas: HTMLCanvasElement, spots: readonly MovingSpot[], drawing: MapDrawing): void {
  const context = canvas.getContext('2d');
  if (!context) return;
  const density = window.devicePixelRatio;
  context.setTransform(density, 0, 0, density, 0, 0);
  context.clearRect(0, 0, drawing.size.width, drawing.size.height);
  for (const spot of spots) if (spot.spot.point !== drawing.marked) drawSpot(context, spot, drawing);
  const above = spots.find(({ spot }) => spot.point === drawing.marked);
  if (above) drawSpot(context, { ...above, side: above.side * 1.12 }, drawing);
  context.globalAlpha = 1;
}

function drawSpot(
  context: CanvasRenderingContext2D,
  drawn: MovingSpot,
  { colors, pictureOf, isUnusual, isChosen, marked }: MapDrawing,
): void {
  const { spot, x, y, side, alpha } = drawn;
  const picture = pictureOf(drawn);
  const isSquare = side < largeFrom;
  const [width, height] = isSquare ? [side, side] : shapeOf(picture, side);
  const [left, top] = [x - width / 2, y - height / 2];
  const radius = Math.min(10, side * 0.16);
  const isMarked = spot.point === marked;
  const edge = isMarked || isUnusual(spot.point) ? 2.5 : border;
  context.globalAlpha = alpha * (isChosen && !isChosen(spot.point) ? 0.2 : 1);
  context.beginPath();
  context.roundRect(left - edge, top - edge, width + 2 * edge, height + 2 * edge, radius + edge);
  context.fillStyle = isMarked ? colors.ring : isUnusual(spot.point) ? colors.unusual : colors.ground;
  context.fill();
  context.beginPath();
  context.roundRect(left, top, width, height, radius);
  if (!picture) {
    context.fillStyle = colors.empty;
    context.fill();
    return;
  }
  context.save();
  // Small pictures have round corners of their own: cutting each whenever it is drawn would take longer than drawing it.
  if (picture.isWhole) context.clip();
  const from = isSquare ? middleSquareOf(picture) : picture;
  context.drawImage(picture.source, from.left, from.top, from.width, from.height, left, top, width, height);
  context.restore();
}

/** The square in the middle of a picture, as small pictures show it. */
function middleSquareOf({
  left,
  top,
  width,
  height,
}: MapPicture): Pick<MapPicture, 'left' | 'top' | 'width' | 'height'> {
  const side = Math.min(width, height);
  return { left: left + (width - side) / 2, top: top + (height - side) / 2, width: side, height: side };
}

/** The sides of a picture in its own shape, as large as the square that it stands in. */
function shapeOf(picture: MapPicture | undefined, side: number): [number, number] {
  const ratio = picture ? Math.min(2.2, Math.max(0.5, picture.width / picture.height)) : 1;
  return [side * Math.sqrt(ratio), side / Math.sqrt(ratio)];
}

/** Milliseconds in which what moves has gone nearly all of its way. */
const calm = 160;

/**
 * Moves what is drawn towards where it belongs, and lets what is new appear and what is gone vanish.
 * @param before what was drawn last, by chunk; changed to what is drawn now
 * @param elapsed milliseconds since; Infinity: at once
 * @returns whether anything is still on its way
 */
export function advance(before: Map<string, MovingSpot>, target: readonly DrawnSpot[], elapsed: number): boolean {
  const share = 1 - Math.exp((-4 * elapsed) / calm);
  let moves = false;
  const left = new Set(before.keys());
  for (const drawn of target) {
    const id = drawn.spot.point.chunk_id;
    left.delete(id);
    const known = before.get(id);
    if (!known) {
      before.set(id, { ...drawn, alpha: share === 1 ? 1 : 0.01 });
      moves ||= share < 1;
      continue;
    }
    const step = (from: number, to: number) => (Math.abs(to - from) < 0.3 ? to : from + (to - from) * share);
    const alpha = known.alpha > 0.99 ? 1 : known.alpha + (1 - known.alpha) * share;
    const side = step(known.side, drawn.side);
    // Those that are there already move with the map at once: only their size and their appearing take time.
    Object.assign(known, { spot: drawn.spot, x: drawn.x, y: drawn.y, side, alpha });
    moves ||= alpha < 1 || side !== drawn.side;
  }
  for (const id of left) before.delete(id);
  return moves;
}
