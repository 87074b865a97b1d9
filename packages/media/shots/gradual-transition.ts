import { alignedDifference, difference, type FrameFeatures } from './frame-features.ts';

/** Lengths of gradual changes that are looked for, seconds. */
const transitionLengths = [0.4, 0.6, 0.9, 1.3, 1.7];
/** How far back frames are needed, seconds. */
export const gradualHistorySeconds = 2.1;

/** How much the ends differ at least (standard deviation of the difference, 0..255), and how alike they may be at most. */
const minDistance = 14;
const maxCorrelation = 0.5;
/** How much of the frame has to change, at least; what moves through it changes less. */
const minChangedShare = 0.6;
/** Standard deviation of the luma (0..255) that both ends have at least. */
const minDeviation = 8;
/** How much of the frames between may be left unexplained, of the difference of the ends. */
const maxDissolveResidual = 0.32;
const maxWipeResidual = 0.2;
/** How much of the difference of the ends has to be left when one is moved to fit the other. */
const minUnaligned = 0.5;

/** Seconds before and after a change in which nothing more of it may be seen. */
const margin = 0.16;
/** How much of the change may still happen in that time. */
const maxOverrun = 0.12;

/** How much of the change each frame adds while the change lasts, and how long that is followed, seconds. */
const minProgress = 0.012;
const maxContinuation = 1;

export type GradualTransition = {
  /** Time of its first frame, the last one of the earlier shot; seconds. */
  from: number;
  /** Time of its last frame so far, the first one of the later shot; seconds. */
  to(): number;
  /** Whether the change is over in the next frame. */
  isOver(frame: FrameFeatures): boolean;
};

/**
 * Finds a gradual change from one shot to another that ended just now: a dissolve, where each frame between is a mixture of both
 * ends with a rising share (as the production model of Zabih, Miller & Mai, "A feature-based algorithm for detecting and classifying
 * production effects", 1999, has it), or a wipe, where each part of the frame is one or the other. What moves is neither: it is
 * explained by no mixture of the ends. A change of light is one, but then the ends are alike but for their brightness.
 * @param frames in order, no cut among them
 * @returns null where there is none
 */
export function findGradualTransition(frames: FrameFeatures[]): GradualTransition | null {
  const later = frames.at(-1);
  if (!later) return null;
  const last = frames.findLastIndex(({ time }) => time <= later.time - margin);
  const end = frames[last];
  for (const length of end ? transitionLengths : []) {
    const first = frames.findIndex(({ time }) => time >= (end as FrameFeatures).time - length - 0.02);
    const begin = frames[first];
    if (!begin || !end || end.time - begin.time < length * 0.8) return null;
    const earlier = frames.findLast(({ time }) => time <= begin.time - margin);
    const between = frames.slice(first + 1, last);
    if (between.length < 4 || !isGradual(begin, between, end)) continue;
    if (blendFactor(later, begin, end) > 1 + maxOverrun) continue;
    if (earlier && blendFactor(earlier, begin, end) < -maxOverrun) continue;
    return trackTransition(frames, begin, end);
  }
  return null;
}

/** A long change is found before it is over, and from a frame after its first one: both ends are followed as far as it goes. */
function trackTransition(frames: FrameFeatures[], begin: FrameFeatures, end: FrameFeatures): GradualTransition {
  const backwards = followTransition(0, -1, begin, end);
  frames.toReversed().find((frame) => frame.time < begin.time && !backwards.continues(frame));
  const forwards = followTransition(1, 1, begin, end);
  const over = frames.some((frame) => frame.time > end.time && !forwards.continues(frame));
  return {
    from: backwards.time(),
    to: forwards.time,
    isOver: (frame) => over || !forwards.continues(frame),
  };
}

/**
 * Follows a change from frame to frame in one direction, until neither the share of its end rises (a dissolve) nor what is left
 * of its other end goes (a wipe).
 * @param direction 1 when later frames come, -1 when earlier ones do
 */
function followTransition(share: number, direction: 1 | -1, begin: FrameFeatures, end: FrameFeatures) {
  const [origin, opposite] = direction === 1 ? [end, begin] : [begin, end];
  let reached = { share, changed: changedShare(origin, opposite) };
  let last = origin.time;
  let stalled = 0;
  return {
    /** The first frame beyond the change. */
    time: () => last,
    continues(frame: FrameFeatures): boolean {
      const next = { share: blendFactor(frame, begin, end), changed: changedShare(frame, opposite) };
      stalled += 1;
      if (direction * (next.share - reached.share) >= minProgress || next.changed - reached.changed >= minProgress) {
        reached = { share: next.share, changed: Math.max(reached.changed, next.changed) };
        last = frame.time;
        stalled = 0;
      }
      return stalled < 3 && Math.abs(frame.time - origin.time) < maxContinuation;
    },
  };
}

function isGradual(begin: FrameFeatures, between: FrameFeatures[], end: FrameFeatures): boolean {
  if (rmsDifference(begin, end) < minDistance || correlation(begin, end) > maxCorrelation) return false;
  if (changedShare(begin, end) < minChangedShare) return false;
  // Fades out and in are recognised by their black.
  if (Math.min(begin.deviation, end.deviation) < minDeviation) return false;
  const quarters = [0.25, 0.5, 0.75].map((share) => between[Math.round(share * (between.length - 1))] as FrameFeatures);
  const shares = quarters.map((frame) => blendFactor(frame, begin, end));
  const rising = shares.every((share, i) => share > 0.06 + 0.2 * i && share < 0.52 + 0.2 * i);
  if (!rising || !shares.every((share, i) => i === 0 || share > (shares[i - 1] as number) + 0.08)) return false;
  const distance = rmsDifference(begin, end);
  const dissolve = Math.max(...quarters.map((frame, i) => dissolveResidual(frame, begin, end, shares[i] as number)));
  const wipe = Math.max(...quarters.map((frame) => wipeResidual(frame, begin, end)));
  if (dissolve > maxDissolveResidual * distance && wipe > maxWipeResidual * distance) return false;
  // A camera that pans over a pattern mixes it with itself.
  return alignedDifference(begin, end) > minUnaligned * difference(begin, end);
}

const rmsDifference = ({ coarseLuma: a }: FrameFeatures, { coarseLuma: b }: FrameFeatures): number => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i]! - b[i]!) ** 2;
  return Math.sqrt(sum / a.length);
};

/** The share of the frame that differs visibly. */
function changedShare({ coarseLuma: a }: FrameFeatures, { coarseLuma: b }: FrameFeatures): number {
  let changed = 0;
  for (let i = 0; i < a.length; i++) if (Math.abs(a[i]! - b[i]!) > 10) changed += 1;
  return changed / a.length;
}

/** How alike two frames are but for their brightness, -1..1. */
export function correlation(a: FrameFeatures, b: FrameFeatures): number {
  let sum = 0;
  for (let i = 0; i < a.coarseLuma.length; i++) sum += (a.coarseLuma[i]! - a.mean) * (b.coarseLuma[i]! - b.mean);
  return sum / a.coarseLuma.length / Math.max(1, a.deviation * b.deviation);
}

/** The share of the end in a frame, by least squares; 0 at the beginning, 1 at the end. */
function blendFactor(
  { coarseLuma: m }: FrameFeatures,
  { coarseLuma: a }: FrameFeatures,
  { coarseLuma: b }: FrameFeatures,
): number {
  let [along, all] = [0, 0];
  for (let i = 0; i < m.length; i++) {
    along += (m[i]! - a[i]!) * (b[i]! - a[i]!);
    all += (b[i]! - a[i]!) ** 2;
  }
  return along / Math.max(1, all);
}

/** What a mixture of both ends leaves over. */
function dissolveResidual(
  { coarseLuma: m }: FrameFeatures,
  { coarseLuma: a }: FrameFeatures,
  { coarseLuma: b }: FrameFeatures,
  share: number,
) {
  let sum = 0;
  for (let i = 0; i < m.length; i++) sum += (m[i]! - a[i]! - share * (b[i]! - a[i]!)) ** 2;
  return Math.sqrt(sum / m.length);
}

/** What is left over when each part is of the one end or the other. */
function wipeResidual(
  { coarseLuma: m }: FrameFeatures,
  { coarseLuma: a }: FrameFeatures,
  { coarseLuma: b }: FrameFeatures,
): number {
  let sum = 0;
  for (let i = 0; i < m.length; i++) sum += Math.min((m[i]! - a[i]!) ** 2, (m[i]! - b[i]!) ** 2);
  return Math.sqrt(sum / m.length);
}
