import type { MapPoint } from '../../api/generated/api/index.ts';

/** A direction on the map: right, down, left, up. */
export type Direction = [x: -1 | 0 | 1, y: -1 | 0 | 1];

/** How much more a point to the side counts than one straight ahead. */
const sideways = 2.5;

/**
 * The point that an arrow key leads to: the nearest one in its direction, where what lies to the side is further. The same where there is none.
 * @param points the identical objects of which `from` is one
 */
export function nearestTowards(points: readonly MapPoint[], from: MapPoint, [x, y]: Direction): MapPoint {
  let [best, least] = [from, Infinity];
  for (const point of points) {
    const [right, down] = [point.x - from.x, point.y - from.y];
    const ahead = right * x + down * y;
    const aside = Math.abs(right * y) + Math.abs(down * x);
    const gap = ahead + sideways * aside;
    // Of two in the same place neither lies ahead, so arrows never go back and forth between them.
    if (ahead > 0 && gap < least) [best, least] = [point, gap];
  }
  return best;
}
