import type { RgbImage } from '@media-search/media/rgb-image';

/** How strong the edges of a picture are at each pixel, 0..255: what stays of letters when light and background change. */
export type EdgePicture = { width: number; height: number; data: Uint8Array };

/** A distance in a picture, pixels to the right and down. */
export type Shift = { x: number; y: number };

/** A rectangle in pixels. */
export type PixelBox = { left: number; top: number; width: number; height: number };

/** Edges by central differences of the luma (BT.601), across and down. */
export function toEdgePicture({ width, height, data }: RgbImage): EdgePicture {
  const luma = new Uint8Array(width * height);
  for (let i = 0; i < luma.length; i++) {
    const [red, green, blue] = [data[3 * i] as number, data[3 * i + 1] as number, data[3 * i + 2] as number];
    luma[i] = (77 * red + 150 * green + 29 * blue) >> 8;
  }
  const edges = new Uint8Array(width * height);
  for (let y = 1; y < height - 1; y++) {
    for (let x = 1; x < width - 1; x++) {
      const at = y * width + x;
      const across = Math.abs((luma[at + 1] as number) - (luma[at - 1] as number));
      const down = Math.abs((luma[at + width] as number) - (luma[at - width] as number));
      edges[at] = Math.min(255, across + down);
    }
  }
  return { width, height, data: edges };
}

/**
 * How alike two parts of the same size are: the normalised cross-correlation of their edges, each row about its own mean, because all
 * lines of text have few edges above and below. @returns -1..1; 0 where one has no edges, and where one reaches beyond its picture
 */
function compareEdges(
  one: EdgePicture,
  { left, top, width, height }: PixelBox,
  other: EdgePicture,
  place: { left: number; top: number },
): number {
  const fits = (picture: EdgePicture, x: number, y: number) =>
    x >= 0 && y >= 0 && x + width <= picture.width && y + height <= picture.height;
  if (!fits(one, left, top) || !fits(other, place.left, place.top)) return 0;
  let [varianceA, varianceB, covariance] = [0, 0, 0];
  for (let y = 0; y < height; y++) {
    const rowA = (top + y) * one.width + left;
    const rowB = (place.top + y) * other.width + place.left;
    let [sumA, sumB, sumAA, sumBB, sumAB] = [0, 0, 0, 0, 0];
    for (let x = 0; x < width; x++) {
      const [a, b] = [one.data[rowA + x] as number, other.data[rowB + x] as number];
      sumA += a;
      sumB += b;
      sumAA += a * a;
      sumBB += b * b;
      sumAB += a * b;
    }
    varianceA += sumAA - (sumA * sumA) / width;
    varianceB += sumBB - (sumB * sumB) / width;
    covariance += sumAB - (sumA * sumB) / width;
  }
  const least = width * height;
  return varianceA < least || varianceB < least ? 0 : covariance / Math.sqrt(varianceA * varianceB);
}

/** How far a part is looked for across and down, pixels: half a second of credits that scroll a third of the picture a second. */
const maxShift = 60;
/** From this on a part is the same where it is expected, and elsewhere: among a hundred places one is alike by chance. */
const minLikeness = 0.7;
const minDistantLikeness = 0.85;

/**
 * Where a part of one picture is in the next: at its place, where it is expected, or shifted across or down.
 * @param expected shifts at which it may be, such as that of the camera
 * @returns the shift in pixels; null where it is not found
 */
export function findShift(before: EdgePicture, part: PixelBox, after: EdgePicture, expected: Shift[]): Shift | null {
  let best = { x: 0, y: 0, likeness: 0 };
  const look = (x: number, y: number) => {
    const likeness = compareEdges(before, part, after, { left: part.left + x, top: part.top + y });
    if (likeness > best.likeness) best = { x, y, likeness };
  };
  look(0, 0);
  for (const place of expected) {
    if (best.likeness >= minLikeness) break;
    for (let x = -2; x <= 2; x++) for (let y = -2; y <= 2; y++) look(place.x + x, place.y + y);
  }
  if (best.likeness >= minLikeness) return { x: best.x, y: best.y };
  for (let shift = -maxShift; shift <= maxShift; shift++) {
    look(0, shift);
    look(shift, 0);
  }
  return best.likeness >= minDistantLikeness ? { x: best.x, y: best.y } : null;
}

/** Side of the blocks in which new text is looked for, pixels. */
const blockSide = 8;
/** What counts as an edge, and how many of them a block of text has. */
const minEdge = 48;
const minEdgeShare = 0.15;
const stableLikeness = 0.75;
const changedLikeness = 0.5;

/**
 * How much of a picture may be text that appeared: blocks full of edges that stand still since the picture before, but were not there when
 * text was last read. What is as alike where the camera has moved it stands still by chance. Only blocks beside another count.
 * @param camera by how much it has moved the picture since the picture before
 */
export function countNewBlocks(now: EdgePicture, before: EdgePicture, lastRead: EdgePicture, camera: Shift): number {
  const isMoving = camera.x !== 0 || camera.y !== 0;
  const isNew = (left: number, top: number): boolean => {
    const block = { left, top, width: blockSide, height: blockSide };
    if (!hasEdges(now, block)) return false;
    const likeness = compareEdges(now, block, before, block);
    if (likeness < stableLikeness || compareEdges(now, block, lastRead, block) >= changedLikeness) return false;
    const carried = { left: left - camera.x, top: top - camera.y };
    return !isMoving || compareEdges(now, block, before, carried) < likeness;
  };
  let count = 0;
  for (let top = 0; top + blockSide <= now.height; top += blockSide) {
    let run = 0;
    for (let left = 0; left + blockSide <= now.width; left += blockSide) {
      run = isNew(left, top) ? run + 1 : 0;
      if (run > 1) count += 1;
    }
  }
  return count;
}

function hasEdges({ width, data }: EdgePicture, { left, top }: PixelBox): boolean {
  let edges = 0;
  for (let y = 0; y < blockSide; y++) {
    for (let x = 0; x < blockSide; x++) if ((data[(top + y) * width + left + x] as number) > minEdge) edges += 1;
  }
  return edges >= minEdgeShare * blockSide * blockSide;
}

/** Side of the cells by which pictures are compared as a whole, pixels: what moves a little stays in its cell. */
const cellSide = 20;

/** How alike two pictures of one size are as a whole, by the amount of edges in each cell: -1..1, 1 where both have none. */
export function comparePictures(one: EdgePicture, other: EdgePicture): number {
  const [a, b] = [toCells(one), toCells(other)];
  if (a.data.every((value, i) => Math.abs(value - (b.data[i] as number)) <= 1)) return 1;
  // All cells are one row, so that what differs between rows counts as well.
  const row = { left: 0, top: 0, width: a.data.length, height: 1 };
  const toRow = ({ data }: EdgePicture): EdgePicture => ({ width: data.length, height: 1, data });
  return compareEdges(toRow(a), row, toRow(b), row);
}

/** The mean of the edges of each cell. */
function toCells(picture: EdgePicture): EdgePicture {
  const [width, height] = [Math.ceil(picture.width / cellSide), Math.ceil(picture.height / cellSide)];
  const sums = new Float64Array(width * height);
  for (let y = 0; y < picture.height; y++) {
    const row = Math.floor(y / cellSide) * width;
    for (let x = 0; x < picture.width; x++) {
      const cell = row + Math.floor(x / cellSide);
      sums[cell] = (sums[cell] as number) + (picture.data[y * picture.width + x] as number);
    }
  }
  return { width, height, data: Uint8Array.from(sums, (sum) => sum / cellSide ** 2) };
}
