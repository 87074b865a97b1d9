import type { RgbImage } from '@media-search/media/rgb-image';
import { type ColourName, colourNames, membershipOffset, memberships } from '../../descriptors/colour-names.ts';
import { type FrameThings, mostClasses, mostObjects, type SeenObject } from './frame-things.ts';

/** Below this score the detector mostly errs. */
const leastScore = 0.2;
/** Two boxes of one kind that share more of their area are of one object (intersection over union). */
const mostOverlap = 0.5;
const leastProbability = 0.01;
/** Numbers of a row of detections: top, left, bottom, right, score, kind. */
const rowLength = 6;

type Box = SeenObject['box'];

/**
 * What the image tower recognised: each object once (greedy non-maximum suppression), with its colours.
 * @param detections rows of six numbers, the best first: top, left, bottom, right (0..1 of the image), score, kind
 * @param probabilities of the 1,000 classes
 * @param image the image that both are of, of any size
 */
export function findThings(detections: Float32Array, probabilities: Float32Array, image: RgbImage): FrameThings {
  const objects: SeenObject[] = [];
  for (let at = 0; at < detections.length && objects.length < mostObjects; at += rowLength) {
    const [top, left, bottom, right, score, kind] = detections.subarray(at, at + rowLength) as unknown as Row;
    if (score < leastScore) break;
    const box = { top: toShare(top), left: toShare(left), bottom: toShare(bottom), right: toShare(right) };
    if (objects.some((other) => other.kind === kind && overlap(other.box, box) > mostOverlap)) continue;
    objects.push({ kind, score, box, colours: coloursIn(image, box) });
  }
  const classes = [...probabilities.keys()]
    .filter((number) => (probabilities[number] as number) >= leastProbability)
    .map((number) => ({ number, probability: probabilities[number] as number }))
    .toSorted((a, b) => b.probability - a.probability);
  return { objects, classes: classes.slice(0, mostClasses) };
}

type Row = [top: number, left: number, bottom: number, right: number, score: number, kind: number];

const toShare = (value: number): number => Math.min(1, Math.max(0, value));

const areaOf = ({ top, left, bottom, right }: Box): number => Math.max(0, bottom - top) * Math.max(0, right - left);

function overlap(a: Box, b: Box): number {
  const common = areaOf({
    top: Math.max(a.top, b.top),
    left: Math.max(a.left, b.left),
    bottom: Math.min(a.bottom, b.bottom),
    right: Math.min(a.right, b.right),
  });
  return common / (areaOf(a) + areaOf(b) - common || 1);
}

/** Pixels looked at on each side of a box. */
const grid = 16;
/** At the edges of a box is mostly what is behind the object. */
const margin = 0.15;
/** A colour of at least this share of the inside is one of the object's. */
const leastShare = 0.22;

function coloursIn({ width, height, data }: RgbImage, { top, left, bottom, right }: Box): ColourName[] {
  const shares = new Float64Array(colourNames.length);
  const place = (from: number, to: number, step: number, size: number) =>
    Math.min(size - 1, Math.floor(size * (from + (to - from) * (margin + ((1 - 2 * margin) * (step + 0.5)) / grid))));
  for (let i = 0; i < grid * grid; i++) {
    const y = place(top, bottom, Math.floor(i / grid), height);
    const at = 3 * (y * width + place(left, right, i % grid, width));
    const offset = membershipOffset(data[at] as number, data[at + 1] as number, data[at + 2] as number);
    for (let c = 0; c < shares.length; c++) shares[c]! += (memberships[offset + c] as number) / grid ** 2;
  }
  return colourNames.filter((_, c) => (shares[c] as number) >= leastShare);
}
