import type { Picture } from '../models/embedder.ts';
import { findDip } from './find-dip.ts';
import { findGradualChange, type GradualChange, gradualMemory } from './gradual-change.ts';
import { alignedDifference, difference, isBlack, seeFrame, type SeenFrame } from './seen-frame.ts';

/**
 * The boundary of two shots, seconds: the earlier one ends at `from`, the later one begins at `to`. At a cut they are the same
 * time, that of the first frame of the later shot; what lies between them is a mixture of both shots, or black.
 */
export type ShotChange = { from: number; to: number };

export type ShotDetector = {
  /**
   * Takes the next frame.
   * @returns the shot changes that are recognised now, in order; they may lie back
   */
  push(picture: Picture, time: number): ShotChange[];
  /** Ends the video. Returns what the last frames still show. */
  finish(): ShotChange[];
};

/** Frames on each side of a candidate whose changes are the usual ones. */
const window = 2;
/** Frames seen beyond a candidate before it is judged, and how far they count, seconds: a flash has passed by then. */
const lookAhead = 6;
const lookAheadSeconds = 0.25;
/** Frames before a candidate that what follows it is compared with, and how far they count, seconds. */
const lookBack = 7;
const lookBackSeconds = 0.3;
/** How many times the usual change around it a cut has to be, and how much at least in a bright picture (0..255). */
const minRatio = 3;
const minChange = 10;
/** A picture that changes less than this is taken for a copy of the one before, as frames are doubled for another frame rate. */
const copyBelow = 0.2;
/** Black for at least so many seconds stands for itself; shorter, it only parts two shots. */
const ownBlack = 1;

/**
 * Finds shot changes as frames come, six frames behind, gradual ones at their end. A cut is a change in hue, saturation and brightness that
 * stands out from the changes around it, as PySceneDetect's AdaptiveDetector has it (scenedetect.com/docs), where need be after the
 * camera's motion has been taken out, and that lasts: after a flash the picture is the old one again. A fade through black is one
 * change that spans the black, or a cut at each of its ends when the black is long; one whose darkest frame is not quite black is a cut there.
 */
export function createShotDetector(): ShotDetector {
  /** No longer than gradual changes are. */
  let seen: SeenFrame[] = [];
  let blackSince: number | undefined;
  /** Up to here all has been told. */
  let told = -Infinity;
  let opening = true;
  /** A gradual change that may not be over yet. */
  let gradual: GradualChange | null = null;

  function tell(...changes: ShotChange[]): ShotChange[] {
    told = seen.at(-1)?.time ?? told;
    return changes;
  }

  /** Judges the frame that has `ahead` frames after it. */
  function judge(ahead: number): ShotChange[] {
    const at = seen.length - 1 - ahead;
    const candidate = seen[at];
    if (!candidate || candidate.time <= told || !isCut(seen, at)) return [];
    told = candidate.time;
    return [cutAt(candidate.time)];
  }

  return {
    push(picture, time) {
      const frame = seeFrame(picture, time, seen.at(-1));
      seen.push(frame);
      seen = seen.filter((each, i) => each.time > time - gradualMemory || i >= seen.length - 16);

      if (gradual) {
        if (!gradual.isOver(frame)) return [];
        const change = { from: gradual.from, to: gradual.to() };
        gradual = null;
        return tell(change);
      }
      if (isBlack(frame)) {
        blackSince ??= time;
        return [];
      }
      const began = blackSince;
      blackSince = undefined;
      const wasOpening = opening;
      opening = false;
      // Black at the very beginning parts nothing from anything; and the change out of black is no second boundary.
      if (began !== undefined && !wasOpening) {
        return time - began >= ownBlack ? tell(cutAt(began), cutAt(time)) : tell({ from: began, to: time });
      }
      const cut = judge(lookAhead);
      if (cut.length > 0) return cut;
      const settled = seen.filter((each) => each.time > told);
      const dip = findDip(settled);
      if (dip) return tell(cutAt(dip.time));
      gradual = hasCutAhead(seen, told) ? null : findGradualChange(settled);
      return [];
    },
    finish() {
      const end = seen.at(-1)?.time ?? 0;
      if (gradual) return [{ from: gradual.from, to: gradual.to() }];
      if (blackSince !== undefined) return !opening && end - blackSince >= ownBlack ? [cutAt(blackSince)] : [];
      return Array.from({ length: lookAhead }, (_, i) => judge(lookAhead - 1 - i)).flat();
    },
  };
}

const cutAt = (time: number): ShotChange => ({ from: time, to: time });

/** Whether one of the last frames may yet prove to be a cut; then what looks gradual is not. */
const hasCutAhead = (seen: SeenFrame[], told: number): boolean =>
  seen.some(
    ({ time, change }, i) => time > told && i >= seen.length - lookAhead && change >= minChange && isSudden(seen, i),
  );

function isCut(seen: SeenFrame[], at: number): boolean {
  const [previous, candidate] = [seen[at - 1], seen[at]];
  if (!previous || !candidate) return false;
  // In the dark all changes are small.
  const light = Math.min(1, Math.max(0.3, Math.max(previous.mean, candidate.mean) / 60));
  if (candidate.change < minChange * light || !isSudden(seen, at)) return false;
  // After a flash the picture is one that was there shortly before.
  const before = seen
    .slice(Math.max(0, at - lookBack), at)
    .filter(({ time }, i, { length }) => i === length - 1 || time > candidate.time - lookBackSeconds);
  const after = seen
    .slice(at + 1, at + 1 + lookAhead)
    .filter(({ time }, i) => i === 0 || time < candidate.time + lookAheadSeconds);
  return after.every((late) => before.every((early) => difference(early, late) > 0.5 * candidate.change));
}

/** Whether a change stands out from those around it. */
function isSudden(seen: SeenFrame[], at: number): boolean {
  const { change } = seen[at] as SeenFrame;
  const around = [...neighbors(seen, at, -1), ...neighbors(seen, at, 1)];
  if (change >= minRatio * Math.max(1, meanOf(around.map((i) => (seen[i] as SeenFrame).change)))) return true;
  // The camera moves: take its motion out of all.
  const aligned = (i: number) => (i === 0 ? 0 : alignedDifference(seen[i - 1] as SeenFrame, seen[i] as SeenFrame));
  return aligned(at) >= minRatio * Math.max(1, meanOf(around.map(aligned)));
}

/** The nearest frames on a side that are no copies of the ones before them. */
function neighbors(seen: SeenFrame[], at: number, step: 1 | -1): number[] {
  const found: number[] = [];
  for (
    let i = at + step;
    i > 0 && i < seen.length && Math.abs(i - at) <= 2 * window && found.length < window;
    i += step
  ) {
    if ((seen[i] as SeenFrame).change >= copyBelow) found.push(i);
  }
  return found;
}

const meanOf = (values: number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
