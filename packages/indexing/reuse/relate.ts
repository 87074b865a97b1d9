import { type Alignment, comparedPerSecond, type Span } from './align.ts';
import { croppedShare } from './geometry.ts';

/** How the second item relates to the first: it is the same, a version of it, contains it, is contained in it, or both contain something that others hold too. */
export type RelationKind = 'same' | 'version' | 'contains' | 'contained_in' | 'overlaps';

/** The same footage in both: from when to when in each, seconds; of a photograph 0 and 0. */
export type SharedSpan = {
  a: Span;
  b: Span;
  /** Seconds of the second that pass in a second of the first. */
  speed: number;
  mirrored: boolean;
  /** Share of the area that one of them leaves out, 0..1. */
  cropped: number;
  /** How sure it is, 0..1. */
  score: number;
};

export type Relation = { kind: RelationKind; spans: SharedSpan[]; score: number };

/** What is compared: a photograph has no duration. */
export type Compared = { duration: number | null; width: number; height: number };

/** What is shorter is no reuse that anybody looks for, unless it is nearly all of an item. Seconds. */
const minSeconds = 2;
/** Frames that say something, at least; of a photograph there is one. */
const minFrames = 3;
/** How alike frames are, at least: in rows that change, and in rows in which hardly anything does. */
const minSimilarity = 0.86;
const minStillSimilarity = 0.94;
/** How alike their changes are, at least, and how much has to change for that to be told from noise. */
const minChange = 0.5;
const minEnergy = 0.01;
/** The same where the changes agree so well that a badly found crop is what parts the pictures. */
const minChangedSimilarity = 0.8;
const sureChange = 0.75;
/** Of a part with less of the area than this few cells are left, so that others are like them by chance: so much more alike frames have to be then. */
const [smallPart, moreAlike] = [0.4, 0.04];
/** A part of less of the area is not told from chance at all. */
const leastPart = 0.24;
/** The share of an item that counts as all of it. */
const nearlyAll = 0.85;
/** What begins or ends two different items alike is an intro or the credits of a series, if each has about as much of its own: more than this share of neither. */
const maxIntroShare = 2 / 3;
const edgeSeconds = 1.5;
/** Speeds as close to each other as this are the same. */
const sameSpeed = 0.03;
/** A crop of less is what borders leave. */
const sameCrop = 0.06;

/** Whether an alignment is surely the same footage. */
function isReuse(alignment: Alignment, a: Compared, b: Compared): boolean {
  const { similarity, change, energy, frames } = alignment;
  if (a.duration === null || b.duration === null) return similarity >= minStillSimilarity;
  const seconds = Math.min(alignment.a.end - alignment.a.start, alignment.b.end - alignment.b.start);
  const share = Math.max(coverage([alignment.a], a.duration), coverage([alignment.b], b.duration));
  if (frames < minFrames || croppedShare(alignment.geometry) > 1 - leastPart) return false;
  if (seconds < minSeconds && share < nearlyAll) return false;
  const moves = energy >= minEnergy;
  if (!moves) return similarity >= minStillSimilarity;
  const more = croppedShare(alignment.geometry) > 1 - smallPart ? moreAlike : 0;
  // Of less than that only what surely changes alike tells the rest, where nothing is to be seen.
  const isShort = frames < minSeconds * comparedPerSecond && share < nearlyAll;
  if (similarity >= minSimilarity + more) return change >= (isShort ? sureChange : minChange);
  return similarity >= minChangedSimilarity + more && change >= sureChange;
}

/** The relation of two items by what is the same in them; null where that is nothing, or an intro. */
export function relate(alignments: Alignment[], a: Compared, b: Compared): Relation | null {
  const spans = alignments.filter((each) => isReuse(each, a, b)).map((each) => toSharedSpan(each, a, b));
  if (spans.length === 0) return null;
  const [ofA, ofB] = [
    coverage(
      spans.map((span) => span.a),
      a.duration,
    ),
    coverage(
      spans.map((span) => span.b),
      b.duration,
    ),
  ];
  const score = Math.max(...spans.map((span) => span.score));
  if (ofA >= nearlyAll && ofB >= nearlyAll)
    return { kind: isUnchanged(spans, a, b) ? 'same' : 'version', spans, score };
  if (ofA >= nearlyAll) return { kind: 'contains', spans, score };
  if (ofB >= nearlyAll) return { kind: 'contained_in', spans, score };
  const own = spans.filter((span) => !isIntro(span, a, b));
  return own.length > 0 ? { kind: 'overlaps', spans: own, score } : null;
}

function toSharedSpan(
  { a, b, speed, geometry, similarity, change, energy }: Alignment,
  first: Compared,
  second: Compared,
): SharedSpan {
  const cropped = croppedShare(geometry);
  return {
    a: within(a, first),
    b: within(b, second),
    speed: Math.abs(speed - 1) < sameSpeed ? 1 : Math.round(speed * 100) / 100,
    mirrored: geometry.mirrored,
    cropped: cropped < sameCrop ? 0 : Math.round(cropped * 100) / 100,
    score:
      Math.round(Math.min(1, energy >= minEnergy ? (similarity + Math.min(1, change + 0.2)) / 2 : similarity) * 1000) /
      1000,
  };
}

/** A span to the hundredth, and no longer than its item; of a photograph 0 and 0. */
function within({ start, end }: Span, { duration }: Compared): Span {
  const to = (time: number) => Math.round(100 * Math.min(time, duration ?? 0)) / 100;
  return { start: to(start), end: to(end) };
}

/** The share of an item that spans cover, 0..1; of a photograph all. */
function coverage(spans: Span[], duration: number | null): number {
  if (duration === null) return 1;
  let [covered, until] = [0, 0];
  for (const { start, end } of spans.toSorted((x, y) => x.start - y.start)) {
    covered += Math.max(0, end - Math.max(start, until));
    until = Math.max(until, end);
  }
  // What begins and ends between two frames that are compared is not seen.
  return Math.min(1, (covered + 1 / comparedPerSecond) / Math.max(duration, 1 / comparedPerSecond));
}

/** Whether both show the same picture at the same speed in the same size. */
const isUnchanged = (spans: SharedSpan[], a: Compared, b: Compared): boolean =>
  a.width === b.width &&
  a.height === b.height &&
  (a.duration === null) === (b.duration === null) &&
  spans.every(({ speed, mirrored, cropped }) => speed === 1 && !mirrored && cropped === 0);

/** Whether two items only begin or end alike. */
function isIntro(span: SharedSpan, a: Compared, b: Compared): boolean {
  if (span.speed !== 1 || span.mirrored || a.duration === null || b.duration === null) return false;
  const begins = span.a.start <= edgeSeconds && span.b.start <= edgeSeconds;
  const ends = span.a.end >= a.duration - edgeSeconds && span.b.end >= b.duration - edgeSeconds;
  const share = Math.max(coverage([span.a], a.duration), coverage([span.b], b.duration));
  return (begins || ends) && share < maxIntroShare;
}

const turnedKinds: Record<RelationKind, RelationKind> = {
  same: 'same',
  version: 'version',
  contains: 'contained_in',
  contained_in: 'contains',
  overlaps: 'overlaps',
};

/** The same relation, seen from the other item. */
export const turnRelation = ({ kind, spans, score }: Relation): Relation => ({
  kind: turnedKinds[kind],
  score,
  spans: spans.map(({ a, b, speed, ...span }) => ({ ...span, a: b, b: a, speed: Math.round(100 / speed) / 100 })),
});
