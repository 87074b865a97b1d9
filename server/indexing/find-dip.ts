import { correlation } from './gradual-change.ts';
import type { SeenFrame } from './seen-frame.ts';

/** How far the frames on each side of the darkest one count, seconds. */
const reach = 0.6;
/** How many times brighter than the darkest frame both sides are, at least. */
const minRise = 3;
/** Mean luma (0..255) that the darkest frame does not exceed. */
const maxDarkest = 40;
/** How alike the frames of one side are at least, and those of different sides at most; brightness does not count. */
const minWithin = 0.8;
const maxAcross = 0.5;
/** Standard deviation of the luma (0..255) of frames that can be compared at all. */
const minDeviation = 3;
/** How much a frame may go against a fade, as a share of the brightness. */
const slack = 0.03;

/**
 * Finds a quick fade out and in again, such as editors make as "dip to black", of which no frame is black: of ten frames the
 * darkest two still have a tenth of the light. The frames on each side are one picture that fades, and the sides are different
 * pictures; a lamp that goes out and on again, or somebody who passes the lens, is none.
 * @param frames in order, the last one well within the fade in
 * @returns the first frame of the later shot, or null where there is none
 */
export function findDip(frames: SeenFrame[]): SeenFrame | null {
  const later = frames.at(-1);
  const recent = frames.filter(({ time }) => later && time > later.time - reach);
  if (!later || recent.length < 2) return null;
  const darkest = recent.reduce((a, b) => (b.mean < a.mean ? b : a));
  if (darkest.mean > maxDarkest || later.mean < minRise * darkest.mean || later.deviation < minDeviation) return null;
  const fadeIn = recent.filter(({ time }) => time > darkest.time);
  const before = frames.filter(({ time }) => time < darkest.time && time > darkest.time - reach);
  const earlier = before.reduce<SeenFrame | undefined>((a, b) => (a && a.mean >= b.mean ? a : b), undefined);
  if (!earlier || earlier.mean < minRise * darkest.mean || earlier.deviation < minDeviation) return null;
  const fadeOut = before.filter(({ time }) => time >= earlier.time);
  if (correlation(earlier, later) > maxAcross) return null;
  if (!falls([...fadeOut, darkest]) || !falls([darkest, ...fadeIn].toReversed())) return null;
  // Where bright shots stand around a dark one, nothing lies between them.
  const between = (whole: SeenFrame) => (frame: SeenFrame) =>
    frame.mean < 0.9 * whole.mean && frame.mean > 1.5 * darkest.mean;
  if (!fadeOut.some(between(earlier)) || !fadeIn.some(between(later))) return null;
  // The darkest ones may be of either side, and have little to compare.
  const comparable = (frame: SeenFrame) => frame.deviation >= minDeviation && frame.mean > 1.5 * darkest.mean;
  const holds = (side: SeenFrame[], whole: SeenFrame) =>
    side.filter(comparable).every((frame) => correlation(frame, whole) >= minWithin);
  if (!holds(fadeOut, earlier) || !holds(fadeIn, later)) return null;
  return [darkest, ...fadeIn].find((frame) => correlation(frame, later) > correlation(frame, earlier)) ?? null;
}

/** Whether frames get darker one by one. */
const falls = (frames: SeenFrame[]): boolean =>
  frames.every(({ mean }, i) => i === 0 || mean <= (frames[i - 1] as SeenFrame).mean * (1 + slack));
