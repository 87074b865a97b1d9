import { minAreaRectangle, type Point, type RotatedRectangle } from './rotated-rectangle.ts';

/** What the detector says of each pixel: the probability that it is inside the shrunken kernel of a line of text, 0..1. */
export type ProbabilityMap = { width: number; height: number; data: Float32Array };

/** A line of text, and the mean probability inside it. */
export type TextRegion = RotatedRectangle & { score: number };

/** As the authors of PP-OCR set them. */
const binaryThreshold = 0.3;
const minScore = 0.6;
const unclipRatio = 1.5;
/** Shortest side of a kernel, pixels of the map. */
const minKernelSide = 3;
/** More regions than this are noise, or a file that means harm. */
const maxRegions = 500;

/**
 * The lines of text in a probability map: differentiable binarization's box formation (Liao et al., "Real-time Scene Text Detection with
 * Differentiable Binarization", 2020). Kernels are connected components above the threshold; the smallest rectangle around each grows
 * by area · ratio / perimeter to all sides, which undoes the shrinking of the labels in training.
 * @returns at most 500 lines in pixels of the map
 */
export function findTextRegions(map: ProbabilityMap): TextRegion[] {
  const regions: TextRegion[] = [];
  const seen = new Uint8Array(map.data.length);
  for (let start = 0; start < map.data.length; start++) {
    if (seen[start] !== 0 || (map.data[start] as number) <= binaryThreshold) continue;
    const { outline, score } = collectKernel(map, start, seen);
    if (score < minScore) continue;
    const kernel = minAreaRectangle(outline);
    if (Math.min(kernel.width, kernel.height) < minKernelSide) continue;
    const margin = (kernel.width * kernel.height * unclipRatio) / (2 * (kernel.width + kernel.height));
    regions.push({ ...kernel, width: kernel.width + 2 * margin, height: kernel.height + 2 * margin, score });
    if (regions.length === maxRegions) break;
  }
  return regions;
}

/**
 * The component of a pixel, its neighbours at the corners included, by flood filling.
 * @returns the corners of its outermost pixels of each row, and its mean probability
 */
function collectKernel(
  { width, height, data }: ProbabilityMap,
  start: number,
  seen: Uint8Array,
): { outline: Point[]; score: number } {
  const rows = new Map<number, { left: number; right: number }>();
  const open = [start];
  seen[start] = 1;
  let sum = 0;
  let count = 0;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const [x, y] = [at % width, Math.floor(at / width)];
    sum += data[at] as number;
    count += 1;
    const row = rows.get(y);
    if (!row) rows.set(y, { left: x, right: x });
    else if (x < row.left) row.left = x;
    else if (x > row.right) row.right = x;
    for (let ny = Math.max(0, y - 1); ny <= Math.min(height - 1, y + 1); ny++) {
      for (let nx = Math.max(0, x - 1); nx <= Math.min(width - 1, x + 1); nx++) {
        const next = ny * width + nx;
        if (seen[next] !== 0 || (data[next] as number) <= binaryThreshold) continue;
        seen[next] = 1;
        open.push(next);
      }
    }
  }
  const outline = [...rows].flatMap(([y, { left, right }]) => [
    { x: left, y },
    { x: left, y: y + 1 },
    { x: right + 1, y },
    { x: right + 1, y: y + 1 },
  ]);
  return { outline, score: sum / count };
}
