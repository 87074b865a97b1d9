import type { RgbImage } from '../rgb-image.ts';

/** Size of the frames that shots are detected in. */
export const detectorSize = { width: 64, height: 36 };
/** Size of the coarse image: what moves a little hardly changes it. */
const coarseSize = { width: 32, height: 18 };

/** Mean luma (0..255) below which a frame may be black, and how far its darker pixels may lie apart then. */
const maxBlackMean = 12;
const maxBlackSpread = 6;

/** A frame as the shot detector keeps it. */
export type FrameFeatures = {
  /** Seconds. */
  time: number;
  /** Hue, chroma and value, 0..255 each. */
  hsv: Uint8Array;
  /** Luma of 32×18 pixels, 0..255. */
  coarseLuma: Float32Array;
  /** Mean and standard deviation of the luma. */
  mean: number;
  deviation: number;
  /** How much it differs from the frame before, 0..255. */
  change: number;
};

/** Describes a frame of the detector's size. */
export function extractFrameFeatures(
  image: RgbImage,
  time: number,
  previous: FrameFeatures | undefined,
): FrameFeatures {
  const hsv = toHsv(image);
  const small = toCoarseLuma(image);
  const mean = small.reduce((sum, value) => sum + value, 0) / small.length;
  const deviation = Math.sqrt(small.reduce((sum, value) => sum + (value - mean) ** 2, 0) / small.length);
  const frame = { time, hsv, coarseLuma: small, mean, deviation, change: 0 };
  return previous ? { ...frame, change: difference(previous, frame) } : frame;
}

/** Whether a frame is black, a line of white text in it aside. A dark scene is not even. */
export function isBlack({ mean, coarseLuma: luma }: FrameFeatures): boolean {
  if (mean >= maxBlackMean) return false;
  const sorted = Float32Array.from(luma).sort();
  const [low, high] = [0.05, 0.9].map((share) => sorted[Math.floor(share * sorted.length)] as number) as [
    number,
    number,
  ];
  return high - low < maxBlackSpread;
}

/**
 * Mean absolute difference of two frames in hue, chroma and value, 0..255. Chroma, as in the dark saturation is only noise.
 * @param right how many pixels the second is moved to the right
 * @param down how many it is moved down; what has no counterpart does not count
 */
export function difference(
  { hsv: a }: Pick<FrameFeatures, 'hsv'>,
  { hsv: b }: Pick<FrameFeatures, 'hsv'>,
  right = 0,
  down = 0,
): number {
  const { width, height } = detectorSize;
  let sum = 0;
  let count = 0;
  for (let y = Math.max(0, down); y < Math.min(height, height + down); y++) {
    for (let x = Math.max(0, right); x < Math.min(width, width + right); x++) {
      const i = 3 * (y * width + x);
      const j = 3 * ((y - down) * width + x - right);
      const hue = Math.abs(a[i]! - b[j]!);
      // Hue is a circle, and means nothing in grey.
      sum += (Math.min(hue, 256 - hue) * Math.min(a[i + 1]!, b[j + 1]!)) / 255;
      sum += Math.abs(a[i + 1]! - b[j + 1]!) + Math.abs(a[i + 2]! - b[j + 2]!);
      count += 3;
    }
  }
  return sum / count;
}

/** How far a camera's motion from frame to frame is looked for, in pixels of the coarse image. */
const maxShift = { right: 6, down: 4 };

/** The difference of two frames when one is moved so that they fit best: what a camera that moves leaves over. */
export function alignedDifference(a: FrameFeatures, b: FrameFeatures): number {
  let best = { right: 0, down: 0, left: Infinity };
  for (let down = -maxShift.down; down <= maxShift.down; down++) {
    for (let right = -maxShift.right; right <= maxShift.right; right++) {
      const left = coarseDifference(a, b, right, down);
      if (left < best.left) best = { right, down, left };
    }
  }
  let least = difference(a, b);
  for (let down = 2 * best.down - 1; down <= 2 * best.down + 1; down++) {
    for (let right = 2 * best.right - 1; right <= 2 * best.right + 1; right++) {
      least = Math.min(least, difference(a, b, right, down));
    }
  }
  return least;
}

function coarseDifference(
  { coarseLuma: a }: FrameFeatures,
  { coarseLuma: b }: FrameFeatures,
  right: number,
  down: number,
): number {
  const { width, height } = coarseSize;
  let sum = 0;
  let count = 0;
  for (let y = Math.max(0, down); y < Math.min(height, height + down); y++) {
    for (let x = Math.max(0, right); x < Math.min(width, width + right); x++) {
      sum += Math.abs(a[y * width + x]! - b[(y - down) * width + x - right]!);
      count += 1;
    }
  }
  return sum / count;
}

function toHsv({ data }: RgbImage): Uint8Array {
  const hsv = new Uint8Array(data.length);
  for (let i = 0; i < data.length; i += 3) {
    const [red, green, blue] = [data[i]!, data[i + 1]!, data[i + 2]!];
    const max = Math.max(red, green, blue);
    const range = max - Math.min(red, green, blue);
    let hue = 0;
    if (range > 0) {
      if (max === red) hue = (green - blue) / range;
      else if (max === green) hue = 2 + (blue - red) / range;
      else hue = 4 + (red - green) / range;
    }
    hsv[i] = Math.round(((hue + 6) % 6) * (255 / 6));
    hsv[i + 1] = range;
    hsv[i + 2] = max;
  }
  return hsv;
}

function toCoarseLuma({ data }: RgbImage): Float32Array {
  const small = new Float32Array(coarseSize.width * coarseSize.height);
  const { width, height } = detectorSize;
  for (let y = 0, i = 0; y < height; y++) {
    for (let x = 0; x < width; x++, i += 3) {
      const luma = 0.299 * data[i]! + 0.587 * data[i + 1]! + 0.114 * data[i + 2]!;
      small[(y >> 1) * coarseSize.width + (x >> 1)]! += luma / 4;
    }
  }
  return small;
}
