import { dot } from '../vectors.ts';
import type { MapPoint } from './map-layout.ts';

/** Points that decide where a new one goes. */
const decisive = 3;
/** How far from their mean, so that a copy does not hide what it is a copy of. */
const offset = 0.004;

/**
 * Places new vectors among those that have a place already: at the mean of the places of those that they are most like.
 * @param vectors new ones, of unit length
 * @param others those with a place, in the order of `places`
 */
export function placeAmong(
  vectors: readonly Float32Array[],
  others: readonly Float32Array[],
  places: readonly MapPoint[],
): MapPoint[] {
  return vectors.map((vector, turn) => {
    const nearest = nearestOf(vector, others).map((i) => places[i] as MapPoint);
    if (nearest.length === 0) return { x: 0.5, y: 0.5 };
    const [first] = nearest as [MapPoint];
    // Of two groups the nearest one decides: the mean of both would lie in neither.
    const near = nearest.filter(({ x, y }) => Math.hypot(x - first.x, y - first.y) < 0.1);
    const angle = turn * 2.4;
    const at = (sum: number, step: number) => Math.min(1, Math.max(0, sum / near.length + offset * step));
    return {
      x: at(
        near.reduce((sum, { x }) => sum + x, 0),
        Math.cos(angle),
      ),
      y: at(
        near.reduce((sum, { y }) => sum + y, 0),
        Math.sin(angle),
      ),
    };
  });
}

function nearestOf(vector: Float32Array, others: readonly Float32Array[]): number[] {
  const best: { place: number; likeness: number }[] = [];
  for (const [place, other] of others.entries()) {
    const likeness = dot(vector, other);
    if (best.length === decisive && likeness <= best.at(-1)!.likeness) continue;
    best.push({ place, likeness });
    best.sort((a, b) => b.likeness - a.likeness);
    best.length = Math.min(best.length, decisive);
  }
  return best.map(({ place }) => place);
}
