import type { Luma } from './describe-image.ts';

export type Motion = {
  /** Mean speed, image widths per second. */
  speed: number;
  /** Mean change of brightness a second, 0..1 where everything changes. */
  change: number;
  /** Mean velocity of the content, image widths per second: right and down are positive. */
  x: number;
  y: number;
};

const blockSize = 12;
const searchRadius = 8;
/** Blocks flatter than this (variance of luma) cannot be followed. */
const minVariance = 30;

/**
 * Motion between two images by block matching: each block is searched for in the other image around its place, and the
 * one with the least sum of absolute differences wins (Jain & Jain, "Displacement measurement and its application in
 * interframe image coding", IEEE Trans. Comm. 1981).
 * @param after seconds between the two
 */
export function describeMotion(first: Luma, second: Luma, after: number): Motion {
  const { width, height } = first;
  let x = 0;
  let y = 0;
  let speed = 0;
  let matchedBlocks = 0;
  for (let top = searchRadius; top + blockSize + searchRadius <= height; top += blockSize) {
    for (let left = searchRadius; left + blockSize + searchRadius <= width; left += blockSize) {
      if (variance(first, left, top) < minVariance) continue;
      const [dx, dy] = displacement(first, second, left, top);
      x += dx;
      y += dy;
      speed += Math.hypot(dx, dy);
      matchedBlocks += 1;
    }
  }
  let change = 0;
  for (let i = 0; i < first.values.length; i++) {
    change += Math.abs((first.values[i] as number) - (second.values[i] as number));
  }
  const scale = matchedBlocks === 0 ? 0 : 1 / (matchedBlocks * width * after);
  return { speed: speed * scale, change: change / first.values.length / 255 / after, x: x * scale, y: y * scale };
}

function displacement(first: Luma, second: Luma, left: number, top: number): [number, number] {
  // No motion is the first guess, and any other has to be clearly better, so that noise does not count as motion.
  let least = 0.9 * cost(first, second, left, top, 0, 0, Infinity);
  let best: [number, number] = [0, 0];
  for (let dy = -searchRadius; dy <= searchRadius; dy++) {
    for (let dx = -searchRadius; dx <= searchRadius; dx++) {
      const sum = cost(first, second, left, top, dx, dy, least);
      if (sum < least) {
        least = sum;
        best = [dx, dy];
      }
    }
  }
  return best;
}

/** Sum of absolute differences of a block and the one displaced, given up once above `limit`. */
function cost(first: Luma, second: Luma, left: number, top: number, dx: number, dy: number, limit: number): number {
  let sum = 0;
  for (let y = 0; y < blockSize; y++) {
    const a = (top + y) * first.width + left;
    const b = (top + y + dy) * first.width + left + dx;
    for (let x = 0; x < blockSize; x++)
      sum += Math.abs((first.values[a + x] as number) - (second.values[b + x] as number));
    if (sum > limit) return sum;
  }
  return sum;
}

function variance({ width, values }: Luma, left: number, top: number): number {
  let sum = 0;
  let squares = 0;
  for (let y = 0; y < blockSize; y++) {
    for (let x = 0; x < blockSize; x++) {
      const value = values[(top + y) * width + left + x] as number;
      sum += value;
      squares += value * value;
    }
  }
  const count = blockSize * blockSize;
  return squares / count - (sum / count) ** 2;
}
