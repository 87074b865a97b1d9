import type { RgbImage } from '../rgb-image.ts';

/** A rectangle of an image, pixels: from `left` and `top` on, up to but without `right` and `bottom`. */
export type Rectangle = { left: number; top: number; right: number; bottom: number };

/** Whether something is looked at along rows or along columns. */
export type Axis = 'row' | 'column';

/** How far a pixel of a blank line is from the mean of those before it in its line: compression noise. Of 255. */
const maxNoise = 14;
/** Share of pixels of a blank line that may be further away. */
const maxOutliers = 0.012;
/** How far colours drift along a blank line: a slight gradient. Of 255. */
const maxDrift = 48;
/** Pixels over which the mean runs. */
const window = 8;
/** How much two pixels on both sides of a border differ. Of 255. */
const minContrast = 16;

/**
 * Whether a line is blank in all frames: one colour, or a slight gradient.
 * @param at which row or column
 * @param from first pixel of it that counts, and `to` the one behind the last
 */
export function isBlankLine(frames: RgbImage[], axis: Axis, at: number, from: number, to: number): boolean {
  return frames.every((frame) => isBlankIn(frame, axis, at, from, to));
}

function isBlankIn({ width, data }: RgbImage, axis: Axis, at: number, from: number, to: number): boolean {
  const step = axis === 'row' ? 3 : 3 * width;
  const start = axis === 'row' ? 3 * at * width : 3 * at;
  let outliers = Math.floor(maxOutliers * (to - from));
  for (let channel = 0; channel < 3; channel++) {
    let place = start + channel + step * from;
    // The mean of the first pixels, so that one outlier among them does not spoil the line.
    let running = 0;
    const first = Math.min(window, to - from);
    for (let i = 0; i < first; i++) running += data[place + i * step]! / first;
    let [lowest, highest] = [running, running];
    for (let i = from; i < to; i++, place += step) {
      const difference = data[place]! - running;
      if (difference > maxNoise || difference < -maxNoise) {
        outliers -= 1;
        if (outliers < 0) return false;
        continue;
      }
      running += difference / window;
      if (running < lowest) lowest = running;
      else if (running > highest) highest = running;
    }
    if (highest - lowest > maxDrift) return false;
  }
  return true;
}

/**
 * How straight a border is: the share of places along it where what lies before it differs from what lies behind it, in any of the
 * frames, 0..1. The pixels next to it do not count, because scaling and compression mix them.
 * @param at the first row or column behind the border
 */
export function borderStraightness(frames: RgbImage[], axis: Axis, at: number, from: number, to: number): number {
  const [{ width, height }] = frames as [RgbImage];
  const length = axis === 'row' ? height : width;
  const before = Math.max(0, at - 2);
  const behind = Math.min(length - 1, at + 1);
  let different = 0;
  for (let i = from; i < to; i++) {
    const [a, b] = axis === 'row' ? [before * width + i, behind * width + i] : [i * width + before, i * width + behind];
    if (frames.some(({ data }) => differ(data, 3 * a, 3 * b))) different += 1;
  }
  return different / Math.max(1, to - from);
}

const differ = (data: Uint8Array, a: number, b: number): boolean =>
  Math.abs(data[a]! - data[b]!) > minContrast ||
  Math.abs(data[a + 1]! - data[b + 1]!) > minContrast ||
  Math.abs(data[a + 2]! - data[b + 2]!) > minContrast;
