import { cutOut } from '../crop-image.ts';
import type { RgbImage } from '../rgb-image.ts';
import { cutRegions } from './cut-regions.ts';
import { findBlurredFill } from './find-blurred-fill.ts';
import { type Axis, borderStraightness, isBlankLine, type Rectangle } from './separating-lines.ts';

/** What of an image is embedded, as shares of its sides (0..1). */
export type Framing = {
  /** What is inside of its border; all of it where it has none. */
  inside: Rectangle;
  /** The pictures inside of that, where it is a screenshot or a collage, the largest first. */
  pictures: Rectangle[];
};

/** How straight a side of a picture is, at least. */
const minStraightness = 0.6;
/** A border narrower than this share of the image's side changes nothing. */
const minBorderShare = 0.02;
/** How much opposite bars may differ, as a share of the wider one. */
const maxAsymmetry = 0.25;
/** What a picture takes of an image's area at least, and of its shorter side. */
const minAreaShare = 0.035;
const minSideShare = 0.12;
/** Content narrower than this share is a line of text or an icon: the rest of a picture is even around its content, but not that much. */
const minContentShare = 0.05;
/** The longer side of a picture is at most so many times the shorter one. */
const maxAspect = 4;

/** Lines so thin beside a picture are what compression makes of its edges. Pixels. */
const maxNoiseWidth = 2;
/** In smaller images nothing is looked for. Pixels. */
const minFrameSide = 32;
/** Blank lines that separate pictures: one where they stand close together; more, where pictures have blank lines themselves. */
const minGaps = [1, 3];
/** What is not certainly a border has to leave out this share of the image's area. */
const minOutsideShare = 0.15;

/**
 * Finds the picture inside a border (bars of one colour, or the picture itself enlarged and blurred), and the pictures inside a screenshot or
 * a collage. What has no straight borders around it, such as a product on white or a text on black, is no picture inside.
 * @param frames of one shot and one size, about 480 pixels wide: a border does not move, so what is blank in one frame only is none
 * @param maxPictures at most so many pictures are returned
 */
export function findPictures(frames: RgbImage[], maxPictures: number): Framing {
  const [{ width, height }] = frames as [RgbImage];
  const whole = { left: 0, top: 0, right: width, bottom: height };
  const toShares = ({ left, top, right, bottom }: Rectangle): Rectangle => ({
    left: left / width,
    right: right / width,
    top: top / height,
    bottom: bottom / height,
  });
  if (Math.min(width, height) < minFrameSide) return { inside: toShares(whole), pictures: [] };
  const inside = findBorder(frames) ?? findBlurredFill(frames) ?? whole;
  const pictures = findSeparate(cut(frames, inside)).slice(0, maxPictures);
  return { inside: toShares(inside), pictures: pictures.map((each) => toShares(moved(each, inside))) };
}

const cut = (frames: RgbImage[], { left, top, right, bottom }: Rectangle): RgbImage[] =>
  frames.map((frame) => cutOut(frame, { left, top, width: right - left, height: bottom - top }));

const moved = ({ left, top, right, bottom }: Rectangle, origin: Rectangle): Rectangle => ({
  left: origin.left + left,
  right: origin.left + right,
  top: origin.top + top,
  bottom: origin.top + bottom,
});

/** The picture between bars of one colour on opposite sides; null where that is not certain. */
function findBorder(frames: RgbImage[]): Rectangle | null {
  const [frame] = frames as [RgbImage];
  const regions = cutRegions(frames, 1).filter((region) => shorterSide(region) > maxNoiseWidth);
  if (regions.length === 0) return null;
  const sides = findSides(frames, {
    left: Math.min(...regions.map(({ left }) => left)),
    right: Math.max(...regions.map(({ right }) => right)),
    top: Math.min(...regions.map(({ top }) => top)),
    bottom: Math.max(...regions.map(({ bottom }) => bottom)),
  });
  const isCertain =
    sides !== null &&
    isLargeEnough(sides, frame) &&
    hasBorder(sides, frame) &&
    isSymmetric(sides, frame) &&
    hasManyShades(frames, sides);
  return isCertain ? sides : null;
}

/** The pictures of a screenshot or a collage, the largest first, each without a border of its own, such as the bars of a player. */
function findSeparate(frames: RgbImage[]): Rectangle[] {
  const [frame] = frames as [RgbImage];
  const found = minGaps
    .flatMap((minGap) => cutRegions(frames, minGap))
    .filter((region) => shorterSide(region) >= minContentShare * Math.min(frame.width, frame.height))
    .flatMap((region) => findSides(frames, region) ?? [])
    .filter((each) => isLargeEnough(each, frame) && isWorthwhile(each, frame) && looksPhotographic(frames, each));
  return withoutInner(found).map((each) => {
    const inside = findBorder(cut(frames, each));
    return inside ? moved(inside, each) : each;
  });
}

const shorterSide = ({ left, top, right, bottom }: Rectangle): number => Math.min(right - left, bottom - top);

const areaOf = ({ left, top, right, bottom }: Rectangle): number => (right - left) * (bottom - top);

/**
 * Moves each side of a region outwards to where it is straight: an even sky is blank, too, and belongs to its picture. At the edge of the image
 * a side needs no border.
 * @returns null where a side is nowhere straight
 */
function findSides(frames: RgbImage[], region: Rectangle): Rectangle | null {
  const [{ width, height }] = frames as [RgbImage];
  const sides = { ...region };
  const sideFinders: [keyof Rectangle, Axis, -1 | 1, number][] = [
    ['top', 'row', -1, 0],
    ['bottom', 'row', 1, height],
    ['left', 'column', -1, 0],
    ['right', 'column', 1, width],
  ];
  // Twice, because a side is looked at between the others.
  for (const [side, axis, direction, edge] of [...sideFinders, ...sideFinders]) {
    const [from, to] = axis === 'row' ? [sides.left, sides.right] : [sides.top, sides.bottom];
    const at = findSide(frames, axis, { start: sides[side], direction, edge, from, to });
    if (at === null) return null;
    sides[side] = at;
  }
  return sides;
}

function findSide(
  frames: RgbImage[],
  axis: Axis,
  { start, direction, edge, from, to }: { start: number; direction: -1 | 1; edge: number; from: number; to: number },
): number | null {
  if (start === edge) return edge;
  // What compression spreads beyond a border is content, too: the border lies rather inside of where the content ends.
  const near = findStraightest(frames, axis, { first: start + direction, last: start - direction * blur, from, to });
  if (near !== null) return near;
  for (let at = start; at !== edge; at += direction) {
    if (borderStraightness(frames, axis, at, from, to) >= minStraightness) return at;
    // The line beyond is content: of a border that compression has blurred, or of something else.
    const beyond = direction === -1 ? at - 1 : at;
    if (!isBlankLine(frames, axis, beyond, from, to)) {
      return findStraightest(frames, axis, { first: at, last: at + direction * blur, from, to });
    }
  }
  return edge;
}

/** Compression and scaling blur a border over so many pixels. */
const blur = 6;
/** What is less straight than the straightest line by so much is taken for as straight. */
const tolerance = 0.02;

/** The straightest of some neighbouring lines, of several the one in their middle; null where none is straight enough. */
function findStraightest(
  frames: RgbImage[],
  axis: Axis,
  { first, last, from, to }: { first: number; last: number; from: number; to: number },
): number | null {
  const [{ width, height }] = frames as [RgbImage];
  const length = axis === 'row' ? height : width;
  const lines: { at: number; straightness: number }[] = [];
  for (let at = Math.max(2, Math.min(first, last)); at <= Math.min(length - 2, Math.max(first, last)); at++) {
    lines.push({ at, straightness: borderStraightness(frames, axis, at, from, to) });
  }
  const best = Math.max(0, ...lines.map(({ straightness }) => straightness));
  if (best < minStraightness) return null;
  const straightest = lines.filter(({ straightness }) => straightness >= best - tolerance);
  return straightest[straightest.length >> 1]?.at ?? null;
}

const isLargeEnough = (each: Rectangle, { width, height }: RgbImage): boolean => {
  const [w, h] = [each.right - each.left, each.bottom - each.top];
  return (
    w * h >= minAreaShare * width * height &&
    Math.min(w, h) >= minSideShare * Math.min(width, height) &&
    Math.max(w, h) <= maxAspect * Math.min(w, h)
  );
};

const isWorthwhile = (each: Rectangle, { width, height }: RgbImage): boolean =>
  areaOf(each) <= (1 - minOutsideShare) * width * height;

/** Whether it leaves anything out. */
const hasBorder = ({ left, top, right, bottom }: Rectangle, { width, height }: RgbImage): boolean =>
  Math.max(left, width - right) >= minBorderShare * width || Math.max(top, height - bottom) >= minBorderShare * height;

/** Whether opposite bars are about as wide: so are those that are put around a picture, and hardly ever what is blank in one. */
const isSymmetric = ({ left, top, right, bottom }: Rectangle, { width, height }: RgbImage): boolean =>
  [
    [left, width - right, width],
    [top, height - bottom, height],
  ].every(([a = 0, b = 0, length = 0]) => Math.abs(a - b) <= Math.max(0.01 * length, maxAsymmetry * Math.max(a, b)));

/** The largest first, without those inside of others. */
function withoutInner(rectangles: Rectangle[]): Rectangle[] {
  const kept: Rectangle[] = [];
  for (const each of rectangles.toSorted((a, b) => areaOf(b) - areaOf(a))) {
    if (!kept.some((other) => overlap(each, other) > 0.5 * areaOf(each))) kept.push(each);
  }
  return kept;
}

const overlap = (a: Rectangle, b: Rectangle): number =>
  Math.max(0, Math.min(a.right, b.right) - Math.max(a.left, b.left)) *
  Math.max(0, Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));

/** Steps of brightness, and how many pictures have at least. */
const steps = 64;
const minUsedSteps = 16;
/** The share of pixels that have about the same brightness in a drawing, a text or a button. */
const maxEvenShare = 0.85;

/** Whether a part of the frames has many shades, as photographs have and drawings and title cards have not. */
export const hasManyShades = (frames: RgbImage[], part: Rectangle): boolean =>
  frames.some((frame) => measureShades(frame, part).used >= minUsedSteps);

/** Whether it has many shades and none of them is most of it, as in a text or a button. */
export const looksPhotographic = (frames: RgbImage[], part: Rectangle): boolean =>
  frames.some((frame) => {
    const { used, evenShare } = measureShades(frame, part);
    return used >= minUsedSteps && evenShare <= maxEvenShare;
  });

/** How many steps of brightness a part of a frame has, and the share of the two neighbouring ones that most of it has. */
function measureShades(
  { width, data }: RgbImage,
  { left, top, right, bottom }: Rectangle,
): { used: number; evenShare: number } {
  const counts = new Uint32Array(steps);
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) {
      const at = 3 * (y * width + x);
      counts[((data[at]! * 77 + data[at + 1]! * 150 + data[at + 2]! * 29) >> 8) >> 2]! += 1;
    }
  }
  const total = (right - left) * (bottom - top);
  const largest = Math.max(...Array.from(counts, (count, i) => count + (counts[i + 1] ?? 0)));
  return { used: counts.filter((count) => count > 0.001 * total).length, evenShare: largest / total };
}
