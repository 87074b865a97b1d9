import { mean } from '../mean.ts';
import type { RgbImage } from '../rgb-image.ts';
import { alignedDifference, difference, extractFrameFeatures, type FrameFeatures, isBlack } from './frame-features.ts';
import {
  correlation,
  findGradualTransition,
  gradualHistorySeconds,
  type GradualTransition,
} from './gradual-transition.ts';

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
function findDipToBlack(frames: FrameFeatures[]): FrameFeatures | null {
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

/**
 * The boundary of two shots, seconds: the earlier one ends at `from`, the later one begins at `to`. At a cut they are the same
 * time, that of the first frame of the later shot; what lies between them is a mixture of both shots, or black.
 */
export type ShotChange = { from: number; to: number };

type ShotDetector = {
  /**
   * Takes the next frame.
   * @returns the shot changes that are recognised now, in order; they may lie back
   */
  push(image: RgbImage, time: number): ShotChange[];
  /** Ends the video. Returns what the last frames still show. */
  finish(): ShotChange[];
};

/** Frames on each side of a candidate whose changes are the usual ones. */
const neighborCount = 2;
/** Frames seen beyond a candidate before it is judged, and how far they count, seconds: a flash has passed by then. */
const lookAheadFrames = 6;
const lookAheadSeconds = 0.25;
/** Frames before a candidate that what follows it is compared with, and how far they count, seconds. */
const lookBackFrames = 7;
const lookBackSeconds = 0.3;
/** How many times the usual change around it a cut has to be, and how much at least in a bright frame (0..255). */
const minRatio = 3;
const minChange = 10;
/** A frame that changes less than this is taken for a copy of the one before, as frames are doubled for another frame rate. */
const maxCopyChange = 0.2;
/** Black of at least so many seconds is a shot of its own; shorter, it only separates two shots. */
const minBlackShotSeconds = 1;

/**
 * Finds shot changes as frames come, six frames behind, gradual ones at their end. A cut is a change in hue, saturation and brightness that
 * stands out from the changes around it, as PySceneDetect's AdaptiveDetector has it (scenedetect.com/docs), where need be after the
 * camera's motion has been taken out, and that lasts: after a flash the image is the old one again. A fade through black is one
 * change that spans the black, or a cut at each of its ends when the black is long; one whose darkest frame is not quite black is a cut there.
 */
export function createShotDetector(): ShotDetector {
  /** No longer than gradual changes are. */
  let frames: FrameFeatures[] = [];
  let blackSince: number | undefined;
  /** Changes up to this time are emitted. */
  let emittedUntil = -Infinity;
  let isOpening = true;
  /** A gradual change that may not be over yet. */
  let transition: GradualTransition | null = null;

  function emit(...changes: ShotChange[]): ShotChange[] {
    emittedUntil = frames.at(-1)?.time ?? emittedUntil;
    return changes;
  }

  /** Judges the frame that has `ahead` frames after it. */
  function judgeCandidate(ahead: number): ShotChange[] {
    const at = frames.length - 1 - ahead;
    const candidate = frames[at];
    if (!candidate || candidate.time <= emittedUntil || !isCut(frames, at)) return [];
    emittedUntil = candidate.time;
    return [cutAt(candidate.time)];
  }

  return {
    push(image, time) {
      const frame = extractFrameFeatures(image, time, frames.at(-1));
      frames.push(frame);
      frames = frames.filter((each, i) => each.time > time - gradualHistorySeconds || i >= frames.length - 16);

      if (transition) {
        if (!transition.isOver(frame)) return [];
        const change = { from: transition.from, to: transition.to() };
        transition = null;
        return emit(change);
      }
      if (isBlack(frame)) {
        blackSince ??= time;
        return [];
      }
      const began = blackSince;
      blackSince = undefined;
      const wasOpening = isOpening;
      isOpening = false;
      // Black at the very beginning is no boundary, and neither is the change out of black.
      if (began !== undefined && !wasOpening) {
        return time - began >= minBlackShotSeconds ? emit(cutAt(began), cutAt(time)) : emit({ from: began, to: time });
      }
      const cut = judgeCandidate(lookAheadFrames);
      if (cut.length > 0) return cut;
      const settled = frames.filter((each) => each.time > emittedUntil);
      const dip = findDipToBlack(settled);
      if (dip) return emit(cutAt(dip.time));
      transition = hasCutAhead(frames, emittedUntil) ? null : findGradualTransition(settled);
      return [];
    },
    finish() {
      const end = frames.at(-1)?.time ?? 0;
      if (transition) return [{ from: transition.from, to: transition.to() }];
      if (blackSince !== undefined)
        return !isOpening && end - blackSince >= minBlackShotSeconds ? [cutAt(blackSince)] : [];
      return Array.from({ length: lookAheadFrames }, (_, i) => judgeCandidate(lookAheadFrames - 1 - i)).flat();
    },
  };
}

const cutAt = (time: number): ShotChange => ({ from: time, to: time });

/** Whether one of the last frames may yet prove to be a cut; then what looks gradual is not. */
const hasCutAhead = (frames: FrameFeatures[], emittedUntil: number): boolean =>
  frames.some(
    ({ time, change }, i) =>
      time > emittedUntil && i >= frames.length - lookAheadFrames && change >= minChange && isSudden(frames, i),
  );

function isCut(frames: FrameFeatures[], at: number): boolean {
  const [previous, candidate] = [frames[at - 1], frames[at]];
  if (!previous || !candidate) return false;
  // In the dark all changes are small.
  const light = Math.min(1, Math.max(0.3, Math.max(previous.mean, candidate.mean) / 60));
  if (candidate.change < minChange * light || !isSudden(frames, at)) return false;
  // After a flash the image is one that was there shortly before.
  const before = frames
    .slice(Math.max(0, at - lookBackFrames), at)
    .filter(({ time }, i, { length }) => i === length - 1 || time > candidate.time - lookBackSeconds);
  const after = frames
    .slice(at + 1, at + 1 + lookAheadFrames)
    .filter(({ time }, i) => i === 0 || time < candidate.time + lookAheadSeconds);
  return after.every((late) => before.every((early) => difference(early, late) > 0.5 * candidate.change));
}

/** Whether a change stands out from those around it. */
function isSudden(frames: FrameFeatures[], at: number): boolean {
  const { change } = frames[at] as FrameFeatures;
  const around = [...neighbors(frames, at, -1), ...neighbors(frames, at, 1)];
  if (change >= minRatio * Math.max(1, mean(around.map((i) => (frames[i] as FrameFeatures).change)))) return true;
  // The camera moves: remove its motion from all differences.
  const aligned = (i: number) =>
    i === 0 ? 0 : alignedDifference(frames[i - 1] as FrameFeatures, frames[i] as FrameFeatures);
  return aligned(at) >= minRatio * Math.max(1, mean(around.map(aligned)));
}

/** The nearest frames on a side that are no copies of the ones before them. */
function neighbors(frames: FrameFeatures[], at: number, step: 1 | -1): number[] {
  const found: number[] = [];
  for (
    let i = at + step;
    i > 0 && i < frames.length && Math.abs(i - at) <= 2 * neighborCount && found.length < neighborCount;
    i += step
  ) {
    if ((frames[i] as FrameFeatures).change >= maxCopyChange) found.push(i);
  }
  return found;
}
