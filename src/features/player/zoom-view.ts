/** Pixels of the screen as CSS counts them. */
export type Size = { width: number; height: number };
export type Point = { x: number; y: number };

/** How a picture is shown: `k` times as large as where all of it fits, its middle `x` and `y` pixels from that of its place. */
export type View = Point & { k: number };

export const wholeView: View = { k: 1, x: 0, y: 0 };

/** A picture that is smaller than its place grows to so many times its own pixels. */
const mostGrowth = 2;

/**
 * The size at which all of a picture fits.
 * @param natural its pixels
 * @param density pixels of the screen for each of CSS
 */
export function fitSize(natural: Size, room: Size, density: number): Size {
  const scale = Math.min(room.width / natural.width, room.height / natural.height, mostGrowth / density);
  return { width: natural.width * scale, height: natural.height * scale };
}

/** The zoom at which each pixel of a picture is one of the screen. */
export const realZoom = (natural: Size, fit: Size, density: number): number =>
  fit.width === 0 ? 1 : natural.width / density / fit.width;

/** The largest zoom: twice its pixels, and at least something for a picture that is small. */
export const mostZoom = (real: number): number => Math.max(4, 2 * real);

/** The view with another zoom about a point, which stays where it is. @param point pixels from the middle of the place */
export function zoomAbout(view: View, k: number, point: Point): View {
  const factor = k / view.k;
  return { k, x: point.x - (point.x - view.x) * factor, y: point.y - (point.y - view.y) * factor };
}

/** The nearest view that leaves no gap beside a picture that is larger than its place. */
export function clampView({ k, x, y }: View, fit: Size, room: Size): View {
  const within = (at: number, length: number, place: number) => {
    const reach = Math.max(0, (length * k - place) / 2);
    return Math.min(reach, Math.max(-reach, at));
  };
  return { k, x: within(x, fit.width, room.width), y: within(y, fit.height, room.height) };
}
