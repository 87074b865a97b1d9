import type { RgbImage } from '@media-search/media/rgb-image';

/** Columns and rows of the small picture that stands for a frame. */
export const columns = 12;
export const rows = 8;
export const cells = columns * rows;

/** A part of a picture, as shares of its sides (0..1). */
export type Part = { left: number; top: number; right: number; bottom: number };

/** Whether a part is all of a picture. */
export const isWhole = ({ left, top, right, bottom }: Part): boolean =>
  left <= 0 && top <= 0 && right >= 1 && bottom >= 1;

/** Pixels of a cell that are looked at in each direction, at most: a mean needs no more. */
const maxTaps = 8;
/** A frame with less contrast than this says nothing: black, fog, a plain wall. Standard deviation of the luma of its cells, 0..255. */
const minDeviation = 5;

/** A frame as it is compared: the luma of its cells with mean 0 and length 1, row by row, and how bright and how rich in contrast they are, 0..255. */
export type FrameDescriptor = { cells: Float32Array; mean: number; deviation: number };

/**
 * The mean luma of each cell of a part of an image, normalised so that exposure and contrast do not count.
 * @returns null where the part says too little to be recognised
 */
export function describeFrame(image: RgbImage, part: Part): FrameDescriptor | null {
  const luma = new Float32Array(cells);
  const [width, height] = [(part.right - part.left) * image.width, (part.bottom - part.top) * image.height];
  for (let row = 0; row < rows; row++) {
    const lines = spread(part.top * image.height, height, row, rows, image.height);
    for (let column = 0; column < columns; column++) {
      const pixels = spread(part.left * image.width, width, column, columns, image.width);
      let sum = 0;
      for (const y of lines) for (const x of pixels) sum += lumaAt(image, x, y);
      luma[row * columns + column] = sum / (lines.length * pixels.length);
    }
  }
  const { mean, deviation } = normalise(luma);
  return deviation < minDeviation ? null : { cells: luma, mean, deviation };
}

/** Places of pixels spread evenly over one of `count` equal parts of a line. */
function spread(start: number, length: number, index: number, count: number, end: number): number[] {
  const size = length / count;
  const taps = Math.max(1, Math.min(maxTaps, Math.floor(size)));
  return Array.from({ length: taps }, (_, i) =>
    Math.min(end - 1, Math.floor(start + size * (index + (i + 0.5) / taps))),
  );
}

function lumaAt({ width, data }: RgbImage, x: number, y: number): number {
  const at = 3 * (y * width + x);
  return 0.299 * data[at]! + 0.587 * data[at + 1]! + 0.114 * data[at + 2]!;
}

/** Gives values mean 0 and length 1, in place. @returns what their mean and standard deviation were */
export function normalise(values: Float32Array): { mean: number; deviation: number } {
  let sum = 0;
  for (const value of values) sum += value;
  const mean = sum / values.length;
  let squares = 0;
  for (const value of values) squares += (value - mean) ** 2;
  const length = Math.sqrt(squares);
  for (let i = 0; i < values.length; i++) values[i] = length > 0 ? (values[i]! - mean) / length : 0;
  return { mean, deviation: length / Math.sqrt(values.length) };
}

/** The same frame, left and right exchanged. */
export function mirror(frame: Float32Array): Float32Array {
  const mirrored = new Float32Array(cells);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      mirrored[row * columns + column] = frame[row * columns + columns - 1 - column]!;
    }
  }
  return mirrored;
}

/** Between which two cells of a side the cells of a part lie, and how far from the first. */
type Places = { first: Uint8Array; share: Float64Array };

const placesOf = (count: number): Places => ({ first: new Uint8Array(count), share: new Float64Array(count) });
const [placesAcross, placesDown] = [placesOf(columns), placesOf(rows)];

function setPlaces({ first, share }: Places, from: number, to: number, count: number): void {
  for (let i = 0; i < count; i++) {
    const at = clamp((from + ((to - from) * (i + 0.5)) / count) * count - 0.5, count - 1);
    first[i] = Math.min(count - 2, Math.floor(at));
    share[i] = at - first[i]!;
  }
}

const clamp = (value: number, most: number): number => Math.min(most, Math.max(0, value));

const cut = new Float64Array(cells);

/** Writes what a part of a frame would look like as a frame of its own, between its cells interpolated, into `cut`. */
function cutInPlace(frame: Float32Array, { left, top, right, bottom }: Part): void {
  setPlaces(placesAcross, left, right, columns);
  setPlaces(placesDown, top, bottom, rows);
  for (let row = 0, into = 0; row < rows; row++) {
    const above = placesDown.first[row]! * columns;
    const v = placesDown.share[row]!;
    for (let column = 0; column < columns; column++, into++) {
      const at = above + placesAcross.first[column]!;
      const u = placesAcross.share[column]!;
      const upper = frame[at]! + u * (frame[at + 1]! - frame[at]!);
      const lower = frame[at + columns]! + u * (frame[at + columns + 1]! - frame[at + columns]!);
      cut[into] = upper + v * (lower - upper);
    }
  }
}

/** What a part of a frame would look like as a frame of its own; all zero where it is even. */
export function cutPart(frame: Float32Array, part: Part): Float32Array {
  cutInPlace(frame, part);
  const values = Float32Array.from(cut);
  normalise(values);
  return values;
}

/** How alike a part of a normalised frame and another one are: the correlation of `cutPart` with it, −1..1. */
export function correlatePart(frame: Float32Array, part: Part, other: Float32Array): number {
  cutInPlace(frame, part);
  let [sum, squares, product] = [0, 0, 0];
  for (let i = 0; i < cells; i++) {
    const value = cut[i]!;
    sum += value;
    squares += value * value;
    product += value * other[i]!;
  }
  // The other one has mean 0, so the mean of this one does not count.
  const variance = squares - (sum * sum) / cells;
  return variance > 1e-9 ? product / Math.sqrt(variance) : 0;
}

/** How alike two normalised frames are: their correlation, −1..1. */
export function correlate(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < cells; i++) sum += a[i]! * b[i]!;
  return sum;
}
