import { mean } from '../mean.ts';
import type { RgbImage } from '../rgb-image.ts';
import { borderStraightness, type Rectangle } from './separating-lines.ts';

/** A bar takes at least this share of the width. */
const minBarShare = 0.05;
/** Detail of a column, as a share of that in the middle, from which on it belongs to the picture; and of all columns of bars, at most. */
const minDetailShare = 0.35;
const maxBarDetailShare = 0.3;
/** Where there is less detail than this in the middle, everything is blurred. Of 255. */
const minDetail = 1.2;
/** How straight the sides are, at least: the fill has much the same colours as the picture. */
const minStraightness = 0.3;
/** Correlation of the bars with the picture enlarged, at least. */
const minCorrelation = 0.7;
/** Standard deviation of the bars' brightness, of 255, below which they are too even to be compared. */
const minVariation = 6;
/** How much the fill is enlarged beyond what covers the frame. */
const zooms = [1, 1.15, 1.35];
/** Points along the height at which the bars are compared; as far apart across. */
const gridRows = 14;

/**
 * Finds a picture between bars that repeat it enlarged and blurred, as editors fill a frame of another shape.
 * @param frames of one shot and one size
 */
export function findBlurredFill(frames: RgbImage[]): Rectangle | null {
  const between = findBetweenBars(frames);
  if (between) return between;
  const turned = findBetweenBars(frames.map(transpose));
  return turned && { left: turned.top, right: turned.bottom, top: turned.left, bottom: turned.right };
}

/** Finds it where the bars are at the left and the right. */
function findBetweenBars(frames: RgbImage[]): Rectangle | null {
  const [{ width, height }] = frames as [RgbImage];
  const detail = measureDetail(frames);
  const middle = mean(detail.slice(Math.floor(0.4 * width), Math.ceil(0.6 * width)));
  if (middle < minDetail) return null;
  const isSharp = (_: number, x: number) => mean(detail.slice(Math.max(0, x - 1), x + 2)) >= minDetailShare * middle;
  const first = detail.findIndex(isSharp);
  const last = detail.findLastIndex(isSharp);
  const left = alignSide(frames, first);
  const right = alignSide(frames, last + 1);
  if (left === null || right === null || left < minBarShare * width) return null;
  if (Math.abs(left - (width - right)) > 0.02 * width) return null;
  const outside = mean([...detail.slice(0, left - 2), ...detail.slice(right + 2)]);
  if (outside > maxBarDetailShare * mean(detail.slice(left, right))) return null;
  const inside = { left, top: 0, right, bottom: height };
  const isFill = frames.every((frame) => zooms.some((zoom) => correlate(frame, inside, zoom) >= minCorrelation));
  return isFill ? inside : null;
}

/** The straightest line within a few pixels; null where none is straight. */
function alignSide(frames: RgbImage[], near: number): number | null {
  const [{ width, height }] = frames as [RgbImage];
  let best = { at: 0, straightness: 0 };
  for (let at = Math.max(2, near - 4); at <= Math.min(width - 2, near + 4); at++) {
    const straightness = borderStraightness(frames, 'column', at, 0, height);
    if (straightness > best.straightness) best = { at, straightness };
  }
  return best.straightness >= minStraightness ? best.at : null;
}

/** How much the pixels of each column differ from an even course, on average. Of 255. */
function measureDetail(frames: RgbImage[]): number[] {
  const [{ width, height }] = frames as [RgbImage];
  const sums = new Float64Array(width);
  for (const { data } of frames) {
    for (let y = 1; y < height - 1; y++) {
      for (let x = 0; x < width; x++) {
        // Green alone: it is most of the brightness.
        const at = 3 * (y * width + x) + 1;
        sums[x]! += Math.abs(2 * data[at]! - data[at - 3 * width]! - data[at + 3 * width]!);
      }
    }
  }
  return Array.from(sums, (sum) => sum / Math.max(1, (height - 2) * frames.length));
}

/** How alike the bars of a frame and the picture inside are, when that is enlarged to cover the frame: Pearson's correlation, -1..1. */
function correlate(frame: RgbImage, inside: Rectangle, zoom: number): number {
  const { width, height } = frame;
  const factor = zoom * Math.max(width / (inside.right - inside.left), height / (inside.bottom - inside.top));
  const step = height / gridRows;
  const [centreX, centreY] = [(inside.left + inside.right) / 2, (inside.top + inside.bottom) / 2];
  const bars: Colours = { bright: [], warm: [] };
  const enlarged: Colours = { bright: [], warm: [] };
  for (let y = step / 2; y < height; y += step) {
    for (let x = step / 2; x < width; x += step) {
      if (x + step / 2 > inside.left && x - step / 2 < inside.right) continue;
      const [fromX, fromY] = [centreX + (x - width / 2) / factor, centreY + (y - height / 2) / factor];
      addColour(bars, frame, x, y, step);
      addColour(enlarged, frame, fromX, fromY, (2 * step) / factor);
    }
  }
  const [a, b] = [bars, enlarged].map(({ bright, warm }) => [...centred(bright), ...centred(warm)]) as [
    number[],
    number[],
  ];
  const variation = Math.sqrt(mean(centred(bars.bright).map((value) => value ** 2)));
  return variation < minVariation ? 0 : dotOf(a, b) / (Math.sqrt(dotOf(a, a) * dotOf(b, b)) || 1);
}

/** The mean brightness of some squares, and how much warmer than cold they are. */
type Colours = { bright: number[]; warm: number[] };

function addColour(colours: Colours, { width, height, data }: RgbImage, x: number, y: number, side: number): void {
  const points = 5;
  let [bright, warm] = [0, 0];
  for (let i = 0; i < points; i++) {
    for (let j = 0; j < points; j++) {
      const column = clamp(x + (i / (points - 1) - 0.5) * side, width);
      const row = clamp(y + (j / (points - 1) - 0.5) * side, height);
      const at = 3 * (row * width + column);
      bright += data[at]! + data[at + 1]! + data[at + 2]!;
      warm += data[at]! - data[at + 2]!;
    }
  }
  colours.bright.push(bright / 3 / points ** 2);
  colours.warm.push(warm / points ** 2);
}

function centred(values: number[]): number[] {
  const middle = mean(values);
  return values.map((value) => value - middle);
}

const dotOf = (a: number[], b: number[]): number => a.reduce((sum, value, i) => sum + value * b[i]!, 0);

const clamp = (value: number, length: number): number => Math.max(0, Math.min(length - 1, Math.round(value)));

function transpose({ width, height, data }: RgbImage): RgbImage {
  const turned = new Uint8Array(data.length);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const from = 3 * (y * width + x);
      const to = 3 * (x * height + y);
      turned[to] = data[from]!;
      turned[to + 1] = data[from + 1]!;
      turned[to + 2] = data[from + 2]!;
    }
  }
  return { width: height, height: width, data: turned };
}
