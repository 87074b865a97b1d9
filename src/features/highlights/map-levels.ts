import type { MapPoint } from '../../api/generated/api/index.ts';
import { placeOf, type Size, toScreen, type View } from './map-view.ts';

/** A point that is shown by its picture, and stands for those of its cell that are not. Lengths are CSS pixels before the map is moved or magnified. */
export type Spot = { point: MapPoint; left: number; top: number; count: number };

/** A spot as it is drawn: its middle and the length of its sides on the screen. */
export type DrawnSpot = { spot: Spot; x: number; y: number; side: number };

/** Sides of a cell at its smallest, CSS pixels: twice as long just before it is divided. */
const cellSide = (size: Size): number => (size.width < 600 ? 38 : 50);
/** Cells are not divided any further: from here on pictures only grow. */
const maxLevel = 6;
/** The longest sides of a picture, CSS pixels. */
const maxSide = 168;
/** How much longer sides may become where there is room, at the least magnification. */
const growth = 1.5;
/** How far a picture is moved towards the middle of its cell, where it overlaps less: 0 for not at all. */
const towardsMiddle = 0.5;

/**
 * Which points of a map are shown at each magnification: one of each cell of a grid, whose cells are divided as the map is magnified. What was shown stays shown.
 * @param points the most unusual first
 * @param standouts so many of them are preferred, because people look for them
 */
export function createLevels(points: readonly MapPoint[], size: Size, standouts: number) {
  const levels: Spot[][] = [];
  const side = cellSide(size);
  const unusual = new Set(points.slice(0, standouts));
  const standsOut = (point: MapPoint): boolean => unusual.has(point);

  function spotsAt(level: number): Spot[] {
    const known = levels[level];
    if (known) return known;
    const before = level === 0 ? new Set<MapPoint>() : new Set(spotsAt(level - 1).map(({ point }) => point));
    const spots = [...cellsOf(points, size, side / 2 ** level).values()].map((cell) =>
      chooseSpot(cell, { size, before, standsOut }),
    );
    const weight = ({ point, count }: Spot) => count + (standsOut(point) ? points.length : 0);
    const ordered = spots.toSorted((a, b) => weight(a) - weight(b));
    levels[level] = ordered;
    return ordered;
  }

  const levelOf = ({ k }: View): number => Math.min(maxLevel, Math.max(0, Math.floor(Math.log2(k))));

  return {
    /** The spots that lie on the screen; last those that stand out or stand for most, so that they are drawn above others. */
    spotsIn(view: View): DrawnSpot[] {
      const level = levelOf(view);
      const cell = (side * view.k) / 2 ** level;
      const drawn = spotsAt(level)
        .map((spot): DrawnSpot => {
          const [x, y] = toScreen([spot.left, spot.top], view);
          return { spot, x, y, side: Math.min(maxSide, cell * sizeFactor(spot.count)) };
        })
        .filter(({ x, y, side: own }) => x > -own && y > -own && x < size.width + own && y < size.height + own);
      const most = Math.min(maxSide, cell * growth * Math.sqrt(view.k));
      return drawn.map((one) => ({ ...one, side: Math.max(one.side, Math.min(most, 0.9 * roomAround(one, drawn))) }));
    },

    /** How many points are shown at a magnification, on the screen or not. */
    countAt: (view: View): number => spotsAt(levelOf(view)).length,
  };
}

/** How far a picture is from the nearest other one, as squares fill it. */
function roomAround({ spot, x, y }: DrawnSpot, all: readonly DrawnSpot[]): number {
  let least = Infinity;
  for (const other of all) {
    if (other.spot !== spot) least = Math.min(least, Math.max(Math.abs(other.x - x), Math.abs(other.y - y)));
  }
  return least;
}

/** More points have a larger picture. */
const sizeFactor = (count: number): number => 0.74 + 0.24 * Math.min(1, Math.log2(count) / 4);

type Cell = { members: number[]; left: number; top: number; points: readonly MapPoint[] };

function cellsOf(points: readonly MapPoint[], size: Size, side: number): Map<number, Cell> {
  const cells = new Map<number, Cell>();
  for (const [place, point] of points.entries()) {
    const [left, top] = placeOf(point, size);
    const [column, row] = [Math.floor(left / side), Math.floor(top / side)];
    const key = row * 65_536 + column;
    const cell = cells.get(key);
    if (cell) cell.members.push(place);
    else cells.set(key, { members: [place], left: (column + 0.5) * side, top: (row + 0.5) * side, points });
  }
  return cells;
}

/** The point that stands for a cell: one that was shown before, one that stands out, or the one in the middle of all. */
function chooseSpot(
  { members, points, left, top }: Cell,
  { size, before, standsOut }: { size: Size; before: ReadonlySet<MapPoint>; standsOut: (point: MapPoint) => boolean },
): Spot {
  const place =
    members.find((member) => before.has(points[member] as MapPoint)) ??
    members.find((member) => standsOut(points[member] as MapPoint)) ??
    middleOf(members, points);
  const point = points[place] as MapPoint;
  const [ownLeft, ownTop] = placeOf(point, size);
  return {
    point,
    left: ownLeft + (left - ownLeft) * towardsMiddle,
    top: ownTop + (top - ownTop) * towardsMiddle,
    count: members.length,
  };
}

function middleOf(members: readonly number[], points: readonly MapPoint[]): number {
  const at = (place: number) => points[place] as MapPoint;
  const x = members.reduce((sum, place) => sum + at(place).x, 0) / members.length;
  const y = members.reduce((sum, place) => sum + at(place).y, 0) / members.length;
  const gap = (place: number) => (at(place).x - x) ** 2 + (at(place).y - y) ** 2;
  return members.reduce((best, place) => (gap(place) < gap(best) ? place : best));
}

/** The drawn spot at a place on the screen; the uppermost one of several. */
export const spotAt = (spots: readonly DrawnSpot[], [left, top]: [number, number], slack: number): DrawnSpot | null =>
  spots.findLast(({ x, y, side }) => Math.abs(left - x) <= side / 2 + slack && Math.abs(top - y) <= side / 2 + slack) ??
  null;
