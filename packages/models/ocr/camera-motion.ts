import type { EdgePicture, Shift } from './edge-picture.ts';

/** How a picture follows from the one before it. */
export type CameraMotion = {
  /** By how much what was seen before is moved now, pixels. */
  shift: Shift;
  /** How alike both are after that, -1..1. */
  likeness: number;
};

/** The sizes at which pictures are compared, as powers of two by which they are smaller, and of how many rows one is looked at. */
const levels = [
  { halvings: 4, rowStep: 1 },
  { halvings: 3, rowStep: 1 },
  { halvings: 2, rowStep: 2 },
  { halvings: 1, rowStep: 4 },
  { halvings: 0, rowStep: 8 },
];
/**
 * From this level on pictures are fine enough to tell two shots apart. The one in which they are most alike counts: small ones do not mind what
 * shakes, and in large ones what moves by less than a pixel of the small ones fits exactly.
 */
const firstJudge = 1;
/** How far the camera may turn between two pictures, as a fraction of the picture in each direction. */
const maxShift = 0.2;

const still: Shift = { x: 0, y: 0 };

/**
 * Follows the camera from picture to picture: the shift at which the edges of both are most alike, searched for in small pictures and made
 * finer in larger ones (Bergen et al., "Hierarchical Model-Based Motion Estimation", 1992). @returns for each picture, how it follows from the
 * one before it; the first stands still
 */
export function createCameraWatch() {
  let before: EdgePicture[] | undefined;
  return (edges: EdgePicture): CameraMotion => {
    const now = halve(edges);
    const motion = before ? findMotion(before, now) : { shift: still, likeness: 1 };
    before = now;
    return motion;
  };
}

/** A picture in the sizes of the levels. */
function halve(edges: EdgePicture): EdgePicture[] {
  const sizes = [edges];
  while (sizes.length < levels.length) sizes.unshift(toHalf(sizes[0] as EdgePicture));
  return sizes;
}

function toHalf({ width: wide, height: high, data }: EdgePicture): EdgePicture {
  const [width, height] = [wide >> 1, high >> 1];
  const half = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = 2 * y * wide + 2 * x;
      const sum =
        (data[at] as number) + (data[at + 1] as number) + (data[at + wide] as number) + (data[at + wide + 1] as number);
      half[y * width + x] = (sum + 2) >> 2;
    }
  }
  return { width, height, data: half };
}

function findMotion(before: EdgePicture[], now: EdgePicture[]): CameraMotion {
  let motion = { shift: still, likeness: 0 };
  let likeness = -1;
  for (const [i, { rowStep }] of levels.entries()) {
    const [one, other] = [before[i] as EdgePicture, now[i] as EdgePicture];
    const reach =
      i === 0 ? { x: Math.round(maxShift * one.width), y: Math.round(maxShift * one.height) } : { x: 1, y: 1 };
    const around = { x: 2 * motion.shift.x, y: 2 * motion.shift.y };
    motion = findBest(one, other, around, reach, rowStep);
    if (i >= firstJudge) likeness = Math.max(likeness, motion.likeness);
  }
  return { shift: motion.shift, likeness };
}

/** The best of the shifts within reach; the one in the middle where none is better, such as in an empty picture. */
function findBest(before: EdgePicture, now: EdgePicture, around: Shift, reach: Shift, rowStep: number): CameraMotion {
  let best = { shift: around, likeness: correlate(before, now, around, rowStep) };
  for (let y = around.y - reach.y; y <= around.y + reach.y; y++) {
    for (let x = around.x - reach.x; x <= around.x + reach.x; x++) {
      const likeness = correlate(before, now, { x, y }, rowStep);
      if (likeness > best.likeness) best = { shift: { x, y }, likeness };
    }
  }
  return best;
}

/** The normalised cross-correlation of what both pictures show. @returns -1..1; where neither shows anything 1 in place and 0 elsewhere */
function correlate(before: EdgePicture, now: EdgePicture, { x, y }: Shift, rowStep: number): number {
  const { width, height } = before;
  const [left, right] = [Math.max(0, -x), Math.min(width, width - x)];
  let [count, sumA, sumB, sumAA, sumBB, sumAB] = [0, 0, 0, 0, 0, 0];
  for (let row = Math.max(0, -y); row < Math.min(height, height - y); row += rowStep) {
    const [rowA, rowB] = [row * width, (row + y) * width + x];
    for (let column = left; column < right; column++) {
      const [a, b] = [before.data[rowA + column] as number, now.data[rowB + column] as number];
      sumA += a;
      sumB += b;
      sumAA += a * a;
      sumBB += b * b;
      sumAB += a * b;
    }
    count += right - left;
  }
  // A picture that is too small to be halved so often says nothing.
  if (count === 0) return 0;
  const [varianceA, varianceB] = [count * sumAA - sumA * sumA, count * sumBB - sumB * sumB];
  const least = count * count;
  if (varianceA < least && varianceB < least) return x === 0 && y === 0 ? 1 : 0;
  return varianceA < least || varianceB < least ? 0 : (count * sumAB - sumA * sumB) / Math.sqrt(varianceA * varianceB);
}
