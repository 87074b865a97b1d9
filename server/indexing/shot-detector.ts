import type { Picture } from '../models/embedder.ts';

/** Size of the pictures that shots are told apart by. */
export const detectorSize = { width: 64, height: 36 };

export type ShotDetector = {
  /**
   * Takes the next frame.
   * @returns the times of the first frames of new shots that are recognised now, in order; they may lie back
   */
  push(picture: Picture, time: number): number[];
};

type Seen = { time: number; hsv: Uint8Array; change: number };

/** Frames on each side of a candidate whose changes are the usual ones. */
const window = 2;
/** Frames kept: a flash of up to four frames is seen to pass. */
const memory = 8;
/** How many times the usual change around it a cut has to be, and how much at least (0..255). */
const minRatio = 3;
const minChange = 15;
/** Mean luma (0..255) below which a picture counts as black. */
const blackBelow = 12;
/** Black for at least so many seconds stands for itself; shorter, it only parts two shots. */
const ownBlack = 1;

/**
 * Finds shot changes as frames come, two frames behind. A cut is a change in hue, saturation and brightness that stands out
 * from the changes around it, as PySceneDetect's AdaptiveDetector has it (scenedetect.com/docs), and that lasts: after a flash
 * the picture is the old one again. A fade through black is a boundary in the middle of the black, or
 * one at each of its ends when it is long.
 */
export function createShotDetector(): ShotDetector {
  const seen: Seen[] = [];
  let blackSince: number | undefined;
  /** Where a black stretch that was made a boundary ended; the change out of it is no second one. */
  let blackUntil = -Infinity;
  let opening = true;

  return {
    push(picture, time) {
      const { hsv, luma } = toHsv(picture);
      const previous = seen.at(-1);
      seen.push({ time, hsv, change: previous ? difference(previous.hsv, hsv) : 0 });
      if (seen.length > memory) seen.shift();

      if (luma < blackBelow) {
        blackSince ??= time;
        return [];
      }
      const began = blackSince;
      blackSince = undefined;
      const wasOpening = opening;
      opening = false;
      // Black at the very beginning parts nothing from anything.
      if (began !== undefined && !wasOpening) {
        blackUntil = time;
        return time - began >= ownBlack ? [began, time] : [(began + time) / 2];
      }
      const cut = cutWithin(seen);
      return cut !== undefined && cut > blackUntil ? [cut] : [];
    },
  };
}

/** The time of the frame `window` back when a cut is right before it. */
function cutWithin(seen: Seen[]): number | undefined {
  const at = seen.length - 1 - window;
  const candidate = seen[at];
  const after = seen.at(-1);
  if (at < 1 || !candidate || !after || candidate.change < minChange) return undefined;
  const around = seen.filter((_, i) => i !== at && i >= at - window && i <= at + window);
  const usual = around.reduce((sum, { change }) => sum + change, 0) / around.length;
  if (candidate.change < minRatio * Math.max(usual, 1)) return undefined;
  // After a flash the picture is one that was there shortly before.
  const before = seen.slice(0, at);
  return before.every(({ hsv }) => difference(hsv, after.hsv) > 0.6 * candidate.change) ? candidate.time : undefined;
}

/** Mean absolute difference of two pictures in HSV, 0..255. */
function difference(a: Uint8Array, b: Uint8Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i += 3) {
    const hue = Math.abs((a[i] as number) - (b[i] as number));
    // Hue is a circle, and means nothing in grey.
    const saturation = Math.min(a[i + 1] as number, b[i + 1] as number) / 255;
    sum += Math.min(hue, 256 - hue) * saturation;
    sum += Math.abs((a[i + 1] as number) - (b[i + 1] as number));
    sum += Math.abs((a[i + 2] as number) - (b[i + 2] as number));
  }
  return sum / a.length;
}

function toHsv({ data }: Picture): { hsv: Uint8Array; luma: number } {
  const hsv = new Uint8Array(data.length);
  let luma = 0;
  for (let i = 0; i < data.length; i += 3) {
    const [red, green, blue] = [data[i] as number, data[i + 1] as number, data[i + 2] as number];
    const max = Math.max(red, green, blue);
    const range = max - Math.min(red, green, blue);
    let hue = 0;
    if (range > 0) {
      if (max === red) hue = (green - blue) / range;
      else if (max === green) hue = 2 + (blue - red) / range;
      else hue = 4 + (red - green) / range;
    }
    hsv[i] = Math.round(((hue + 6) % 6) * (255 / 6));
    hsv[i + 1] = max === 0 ? 0 : Math.round((255 * range) / max);
    hsv[i + 2] = max;
    luma += 0.299 * red + 0.587 * green + 0.114 * blue;
  }
  return { hsv, luma: (3 * luma) / data.length };
}
