export type Point = { x: number; y: number };

/** A rectangle of any direction, in pixels. */
export type RotatedRectangle = {
  centre: Point;
  /** Length along the direction, and across it. */
  width: number;
  height: number;
  /** Direction of the width: radians clockwise from the right, from -π/4 to π/4. */
  angle: number;
};

/** The smallest rectangle around points: one of its sides lies on a side of their convex hull (Freeman & Shapira 1975). */
export function minAreaRectangle(points: Point[]): RotatedRectangle {
  const hull = convexHull(points);
  let best: RotatedRectangle | undefined;
  for (const [i, from] of hull.entries()) {
    const to = hull[(i + 1) % hull.length] as Point;
    const rectangle = boundAlong(hull, Math.atan2(to.y - from.y, to.x - from.x));
    if (!best || rectangle.width * rectangle.height < best.width * best.height) best = rectangle;
  }
  if (!best) throw new Error('There are no points.');
  return toLevel(best);
}

/** The corners, clockwise from the one that is at the top left when the rectangle is level. */
export function cornersOf({ centre, width, height, angle }: RotatedRectangle): [Point, Point, Point, Point] {
  const right = { x: (Math.cos(angle) * width) / 2, y: (Math.sin(angle) * width) / 2 };
  const down = { x: (-Math.sin(angle) * height) / 2, y: (Math.cos(angle) * height) / 2 };
  const corner = (a: number, b: number) => ({
    x: centre.x + a * right.x + b * down.x,
    y: centre.y + a * right.y + b * down.y,
  });
  return [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)];
}

/** Andrew's monotone chain (1979): the convex hull in order, without points on its sides. */
function convexHull(points: Point[]): Point[] {
  const sorted = [...points].sort((a, b) => a.x - b.x || a.y - b.y);
  if (sorted.length < 3) return sorted;
  const half = (ordered: Point[]) => {
    const chain: Point[] = [];
    for (const point of ordered) {
      while (chain.length >= 2 && turn(chain.at(-2) as Point, chain.at(-1) as Point, point) <= 0) chain.pop();
      chain.push(point);
    }
    return chain.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

/** Positive where the way from `a` by `b` to `c` turns clockwise on the screen. */
const turn = (a: Point, b: Point, c: Point): number => (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);

/** The rectangle of a direction around points. */
function boundAlong(points: Point[], angle: number): RotatedRectangle {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const along = points.map(({ x, y }) => x * cos + y * sin);
  const across = points.map(({ x, y }) => y * cos - x * sin);
  const [left, right, top, bottom] = [Math.min(...along), Math.max(...along), Math.min(...across), Math.max(...across)];
  const [u, v] = [(left + right) / 2, (top + bottom) / 2];
  return { centre: { x: u * cos - v * sin, y: u * sin + v * cos }, width: right - left, height: bottom - top, angle };
}

/** The same rectangle with the direction that is nearest to the right. */
function toLevel({ centre, width, height, angle }: RotatedRectangle): RotatedRectangle {
  const quarters = Math.round(angle / (Math.PI / 2));
  const level = angle - (quarters * Math.PI) / 2;
  return quarters % 2 === 0
    ? { centre, width, height, angle: level }
    : { centre, width: height, height: width, angle: level };
}
