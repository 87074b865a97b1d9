import type { FrameFeatures } from './frame-features.ts';
import { correlation } from './gradual-transition.ts';

/** How far the frames on each side of the darkest one count, seconds. */
const windowSeconds = 0.6;
/** How many times brighter than the darkest frame both sides are, at least. */
const minBrightnessRatio = 3;
/** Mean luma (0..255) that the darkest frame does not exceed. */
const maxDarkestLuma = 40;
/** How alike the frames of one side are at least, and those of different sides at most; brightness does not count. */
const minSideCorrelation = 0.8;
const maxCrossCorrelation = 0.5;
/** Standard deviation of the luma (0..255) of frames that can be compared at all. */
const minDeviation = 3;
/** How much a frame may run against a fade, as a share of the brightness. */
const fadeTolerance = 0.03;

/**
 * Finds a quick fade out and in again, such as editors make as "dip to black", of which no frame is black: of ten frames the
 * darkest two still have a tenth of the light. The frames on each side are one image that fades, and the sides are different
 * images; a lamp that goes out and on again, or a person who passes the lens, is no dip.
 * @param frames in order, the last one well within the fade in
 * @returns the first frame of the later shot, or null where there is none
 */
export function findDipToBlack(frames: FrameFeatures[]): FrameFeatures | null {
  const later = frames.at(-1);
  const recent = frames.filter(({ time }) => later && time > later.time - windowSeconds);
  if (!later || recent.length < 2) return null;
  const darkest = recent.reduce((a, b) => (b.mean < a.mean ? b : a));
  if (darkest.mean > maxDarkestLuma || later.mean < minBrightnessRatio * darkest.mean || later.deviation < minDeviation)
    return null;
  const fadeIn = recent.filter(({ time }) => time > darkest.time);
  const before = frames.filter(({ time }) => time < darkest.time && time > darkest.time - windowSeconds);
  const earlier = before.reduce<FrameFeatures | undefined>((a, b) => (a && a.mean >= b.mean ? a : b), undefined);
  if (!earlier || earlier.mean < minBrightnessRatio * darkest.mean || earlier.deviation < minDeviation) return null;
  const fadeOut = before.filter(({ time }) => time >= earlier.time);
  if (correlation(earlier, later) > maxCrossCorrelation) return null;
  if (!isDarkening([...fadeOut, darkest]) || !isDarkening([darkest, ...fadeIn].toReversed())) return null;
  // Where bright shots stand around a dark one, nothing lies between them.
  const between = (whole: FrameFeatures) => (frame: FrameFeatures) =>
    frame.mean < 0.9 * whole.mean && frame.mean > 1.5 * darkest.mean;
  if (!fadeOut.some(between(earlier)) || !fadeIn.some(between(later))) return null;
  // The darkest ones may be of either side, and have little to compare.
  const comparable = (frame: FrameFeatures) => frame.deviation >= minDeviation && frame.mean > 1.5 * darkest.mean;
  const holds = (side: FrameFeatures[], whole: FrameFeatures) =>
    side.filter(comparable).every((frame) => correlation(frame, whole) >= minSideCorrelation);
  if (!holds(fadeOut, earlier) || !holds(fadeIn, later)) return null;
  return [darkest, ...fadeIn].find((frame) => correlation(frame, later) > correlation(frame, earlier)) ?? null;
}

/** Whether frames get darker one by one. */
const isDarkening = (frames: FrameFeatures[]): boolean =>
  frames.every(({ mean }, i) => i === 0 || mean <= (frames[i - 1] as FrameFeatures).mean * (1 + fadeTolerance));
