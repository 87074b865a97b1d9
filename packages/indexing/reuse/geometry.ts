import { cells, correlate, correlatePart, cutPart, isWhole, mirror, type Part } from './frame-descriptor.ts';

/** How the picture of one item becomes that of the other: the part that is left of each, and whether the second was mirrored. One of the parts is a whole. */
export type Geometry = { a: Part; b: Part; mirrored: boolean };

export const whole: Part = { left: 0, top: 0, right: 1, bottom: 1 };

/** Steps by which the sides of a part are moved until it fits best. */
const refinements = [0.05, 0.025];

/** Two frames that show the same moment. */
export type FramePair = { a: Float32Array; b: Float32Array };

export type Fit = { geometry: Geometry; similarity: number };

/** How two frames fit as a whole: as they are, or one mirrored. */
export function fitWhole(a: Float32Array, b: Float32Array): Fit {
  const [plain, mirrored] = [correlate(a, b), correlate(a, mirror(b))];
  return {
    geometry: { a: whole, b: whole, mirrored: mirrored > plain },
    similarity: Math.max(plain, mirrored),
  };
}

/** Moves the sides of the part that is cropped, one by one, as long as some pairs of frames fit better on average. */
export function refineGeometry(pairs: FramePair[], geometry: Geometry): Fit {
  const side = isWhole(geometry.a) ? 'b' : 'a';
  // A mirrored frame is mirrored once, not for each part.
  const compared = pairs.map(({ a, b }) => ({ a, b: geometry.mirrored ? mirror(b) : b }));
  const fitOf = (part: Part): number =>
    compared.reduce(
      (sum, { a, b }) => sum + (side === 'a' ? correlatePart(a, part, b) : correlatePart(b, part, a)),
      0,
    ) / compared.length;
  let best: Fit = { geometry, similarity: fitOf(geometry[side]) };
  for (const step of refinements) {
    for (let isBetter = true; isBetter;) {
      isBetter = false;
      for (const edge of ['left', 'top', 'right', 'bottom'] as const) {
        for (const by of [-step, step]) {
          const part = { ...best.geometry[side], [edge]: best.geometry[side][edge] + by };
          if (!isPart(part)) continue;
          const similarity = fitOf(part);
          if (similarity > best.similarity + 1e-4) {
            best = { geometry: { ...best.geometry, [side]: part }, similarity };
            isBetter = true;
          }
        }
      }
    }
  }
  return best;
}

const minSide = 0.45;

const isPart = ({ left, top, right, bottom }: Part): boolean =>
  left >= -1e-9 &&
  top >= -1e-9 &&
  right <= 1 + 1e-9 &&
  bottom <= 1 + 1e-9 &&
  right - left >= minSide &&
  bottom - top >= minSide;

/** The same part of a mirrored frame. */
export const mirrorPart = ({ left, right, ...part }: Part): Part => ({ ...part, left: 1 - right, right: 1 - left });

/** How alike two frames are by a geometry, −1..1. */
export const fitBy = ({ a, b }: FramePair, geometry: Geometry): number => {
  const second = geometry.mirrored ? mirror(b) : b;
  return isWhole(geometry.a) ? correlatePart(second, geometry.b, a) : correlatePart(a, geometry.a, second);
};

/** A frame of the first item as it is compared. */
export const applyToA = (frame: Float32Array, { a }: Geometry): Float32Array =>
  isWhole(a) ? frame : cutPart(frame, a);

/** A frame of the second item as it is compared. */
export function applyToB(frame: Float32Array, { b, mirrored }: Geometry): Float32Array {
  const turned = mirrored ? mirror(frame) : frame;
  return isWhole(b) ? turned : cutPart(turned, b);
}

/** The share of its area that a crop leaves out of one of the items, 0..1. */
export const croppedShare = ({ a, b }: Geometry): number => 1 - Math.min(areaOf(a), areaOf(b));

const areaOf = ({ left, top, right, bottom }: Part): number => (right - left) * (bottom - top);

/** How alike what is left of two rows of frames is, without what all of each have in common: whether they move alike, not whether they show the same place. −1..1 */
export function correlateChange(a: Float32Array[], b: Float32Array[]): { similarity: number; energy: number } {
  const [meanA, meanB] = [meanOf(a), meanOf(b)];
  let [product, squaresA, squaresB] = [0, 0, 0];
  for (const [i, frame] of a.entries()) {
    const other = b[i]!;
    for (let cell = 0; cell < cells; cell++) {
      const x = frame[cell]! - meanA[cell]!;
      const y = other[cell]! - meanB[cell]!;
      product += x * y;
      squaresA += x * x;
      squaresB += y * y;
    }
  }
  const energy = Math.sqrt(squaresA * squaresB);
  return { similarity: energy > 0 ? product / energy : 0, energy: energy / a.length };
}

function meanOf(frames: Float32Array[]): Float32Array {
  const mean = new Float32Array(cells);
  for (const frame of frames) for (let cell = 0; cell < cells; cell++) mean[cell]! += frame[cell]! / frames.length;
  return mean;
}
