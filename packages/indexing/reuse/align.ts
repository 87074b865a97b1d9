import { framesPerSecond, type Frames } from './fingerprint.ts';
import { type ComparedPair, fitPictures, minSeed } from './fit-frames.ts';
import { correlate } from './frame-descriptor.ts';
import { type ComparedFrame, compareRoughly } from './frame-kernel.ts';
import { applyToA, applyToB, correlateChange, type FramePair, type Geometry, refineGeometry } from './geometry.ts';

/** A span of an item, seconds. */
export type Span = { start: number; end: number };

/** Two moments that look alike: one of each item. */
export type Candidate = { a: Span; b: Span };

/** The same footage in two items. */
export type Alignment = {
  a: Span;
  b: Span;
  /** How many seconds of the second item pass in a second of the first. */
  speed: number;
  geometry: Geometry;
  /** Mean correlation of the frames, 0..1. */
  similarity: number;
  /** Correlation of what changes in them; 0 where hardly anything does. */
  change: number;
  /** How much changes in them. */
  energy: number;
  /** Frames that were compared. */
  frames: number;
};

/** Speeds that are tried, besides that by which two moments have the same length. Each is at most a tenth from the next, so that ten seconds of one drift by half a second. */
const speeds = [0.5, 0.57, 0.625, 0.667, 0.75, 0.8, 0.889, 0.96, 1, 1.042, 1.125, 1.25, 1.333, 1.5, 1.6, 1.75, 2];

/** Frames more alike than this speak for the same footage, others against it. */
const neutral = 0.8;
/** How much a row of frames that do not fit may speak against it until it ends: three cuts, or some frames of something else. */
const maxDrop = 1.5;
/** What speaks against it where one item shows something and the other nothing. */
const oneSided = 0.08;
/** Frames of a moment that are looked for in another. */
const probes = 3;
/** Frames of a moment that they are looked for in, at most: every second one of ten seconds. */
const maxFramesOfMoment = 20;
/** Best pairs of frames that lines are drawn through, at most. */
const maxSeeds = 8;

/** Moments that look alike and show different things: after so many nothing else is expected of two items. */
const maxBad = 6;

/** Frames of a second of the first item that are compared, each with the more alike of the two frames of the second around its time. */
export const comparedPerSecond = 2;
/** From one frame of the first item that is compared to the next, in frames. */
const stride = framesPerSecond / comparedPerSecond;

/** A line through the times of two items, in frames: `b = b0 + speed × (a − a0)`. */
type Line = { a0: number; b0: number; speed: number };

type Scored = {
  line: Line;
  first: number;
  last: number;
  /** What speaks for it: that it goes on. */
  score: number;
  /** The same, where hardly any difference counts: which of several lines through what moves little it is. */
  fit: number;
};

/** Finds where two items show the same, beginning at moments that look alike. @returns what does not overlap in either item, the surest first */
export function alignFingerprints(a: Frames, b: Frames, candidates: Candidate[]): Alignment[] {
  const found: (Alignment & { score: number })[] = [];
  let bad = 0;
  for (const candidate of candidates) {
    if (found.some((each) => contains(each, candidate))) continue;
    const alignment = alignAt(a, b, candidate);
    if (alignment) found.push(alignment);
    else if (found.length === 0 && ++bad === maxBad) break;
  }
  const kept: (Alignment & { score: number })[] = [];
  for (const each of found.toSorted((x, y) => y.score - x.score)) {
    if (!kept.some((other) => overlap(each.a, other.a) > 0.3 || overlap(each.b, other.b) > 0.3)) kept.push(each);
  }
  return kept.map(({ score: _score, ...alignment }) => alignment);
}

/** The share of a span that lies in another. */
const overlap = (span: Span, other: Span): number =>
  Math.max(0, Math.min(span.end, other.end) - Math.max(span.start, other.start)) /
  Math.max(1e-6, span.end - span.start);

/** Whether an alignment says already where a candidate is. */
const contains = (alignment: Alignment, { a, b }: Candidate): boolean =>
  overlap(a, alignment.a) > 0.6 && overlap(b, alignment.b) > 0.6;

/** Where little moves, many speeds fit: the usual one is taken unless another fits better. */
const favour = ({ line, fit }: Scored): number => (Math.abs(line.speed - 1) < 0.01 ? 1.1 * fit : fit);

/** How often crop and line are made exact by each other, and what has to be gained by that. */
const [maxRounds, minProgress] = [3, 0.05];

function alignAt(a: Frames, b: Frames, candidate: Candidate): (Alignment & { score: number }) | null {
  let best: { geometry: Geometry; scored: Scored } | null = null;
  for (const geometry of findGeometries(a, b, candidate)) {
    const scored = alignBy(a, b, geometry, candidate);
    if (scored && (!best || scored.score > best.scored.score)) best = { geometry, scored };
  }
  if (!best) return null;
  let { geometry, scored } = best;
  // One pair of frames does not tell exactly what was cropped, all that were aligned do; and the right line is only found by the right crop.
  for (let round = 0; round < maxRounds; round++) {
    const better = refineGeometry(alignedPairs(a, b, scored), geometry).geometry;
    if (better === geometry) break;
    const again = alignBy(a, b, better, candidate);
    if (!again || again.score < scored.score) break;
    const isDone = again.score <= scored.score + minProgress;
    [geometry, scored] = [better, again];
    if (isDone) break;
  }
  const viewed = viewPair(a, b, geometry);
  const refined = refineLine(viewed, scored);
  return { ...measure(viewed, refined), geometry, score: refined.score };
}

/** The best line through two moments whose pictures fit by a geometry. */
function alignBy(a: Frames, b: Frames, geometry: Geometry, candidate: Candidate): Scored | null {
  const viewed = viewPair(a, b, geometry);
  let best: Scored | null = null;
  for (const line of linesThrough(viewed, candidate)) {
    const scored = extend(viewed, line);
    if (scored && (!best || favour(scored) > favour(best))) best = scored;
  }
  return best;
}

/** Pairs of frames by which a geometry is made exact, at most. */
const refinedPairs = 8;

/** Some frames that a line puts beside each other, spread evenly over it. */
function alignedPairs(a: Frames, b: Frames, { line, first, last }: Scored): FramePair[] {
  const step = Math.max(1, Math.floor((last - first) / refinedPairs));
  const pairs: FramePair[] = [];
  for (let at = first; at <= last; at += step) {
    const other = b.at(Math.round(line.b0 + line.speed * (at - line.a0)));
    const frame = a.at(at);
    if (frame && other) pairs.push({ a: frame.cells, b: other.cells });
  }
  return pairs;
}

/** Informative frames of a span, spread evenly. */
function framesIn(frames: Frames, { start, end }: Span, count: number): ComparedFrame[] {
  const first = Math.max(0, Math.ceil(start * framesPerSecond));
  const last = Math.min(frames.length - 1, Math.max(first, Math.floor(end * framesPerSecond)));
  const present: ComparedFrame[] = [];
  for (let at = first; at <= last; at++) {
    const frame = frames.at(at);
    if (frame) present.push(frame);
  }
  if (present.length <= count) return present;
  return Array.from({ length: count }, (_, i) => present[Math.floor(((i + 0.5) * present.length) / count)]!);
}

/** Pairs of frames of two moments whose crops are looked for. */
const croppedPairs = 3;

/** The frames just after two moments begin and just before they end, which are cuts: the same moment, if both are the same shot. */
function edgesOf(a: Frames, b: Frames, candidate: Candidate): ComparedPair[] {
  const places = [
    [candidate.a.start, candidate.b.start, stride],
    [candidate.a.end, candidate.b.end, -stride],
  ] as const;
  return places.flatMap(([here, there, step]) => {
    const first = a.at(Math.round(here * framesPerSecond) + step);
    const second = b.at(Math.round(there * framesPerSecond) + step);
    return first && second ? [{ a: first, b: second }] : [];
  });
}

/** How the pictures of two moments may fit, by the pairs of their frames that are most alike. None: they show different things. */
function findGeometries(a: Frames, b: Frames, candidate: Candidate): Geometry[] {
  const best: (ComparedPair & { similarity: number })[] = [];
  const framesB = framesIn(b, candidate.b, maxFramesOfMoment);
  for (const frame of framesIn(a, candidate.a, probes)) {
    for (const other of framesB) {
      const similarity = compareRoughly(frame, other);
      if (best.length === croppedPairs && similarity <= best.at(-1)!.similarity) continue;
      best.push({ a: frame, b: other, similarity });
      best.sort((x, y) => y.similarity - x.similarity);
      if (best.length > croppedPairs) best.pop();
    }
  }
  return fitPictures([...best, ...edgesOf(a, b, candidate)]);
}

/** Two items as one geometry makes them comparable. Frames are prepared when they are asked for. */
type Viewed = {
  lengthA: number;
  lengthB: number;
  frameA(at: number): Float32Array | null;
  frameB(at: number): Float32Array | null;
};

function viewPair(a: Frames, b: Frames, geometry: Geometry): Viewed {
  const [madeA, madeB] = [new Map<number, Float32Array | null>(), new Map<number, Float32Array | null>()];
  const look = (
    made: Map<number, Float32Array | null>,
    frames: Frames,
    at: number,
    apply: (frame: Float32Array, by: Geometry) => Float32Array,
  ) => {
    const known = made.get(at);
    if (known !== undefined) return known;
    const frame = frames.at(at);
    const view = frame ? apply(frame.cells, geometry) : null;
    made.set(at, view);
    return view;
  };
  return {
    lengthA: a.length,
    lengthB: b.length,
    frameA: (at) => look(madeA, a, at, applyToA),
    frameB: (at) => look(madeB, b, at, applyToB),
  };
}

/** Lines that may join two moments: through the frames that fit best, and through their beginnings and ends, which are cuts. */
function linesThrough(viewed: Viewed, { a, b }: Candidate): Line[] {
  const seeds: { a: number; b: number; similarity: number }[] = [];
  const toFrames = ({ start, end }: Span, length: number) => ({
    first: Math.max(0, Math.ceil(start * framesPerSecond)),
    last: Math.min(length - 1, Math.floor(end * framesPerSecond)),
  });
  const [inA, inB] = [toFrames(a, viewed.lengthA), toFrames(b, viewed.lengthB)];
  const step = Math.max(1, Math.floor((inA.last - inA.first) / probes));
  for (let i = inA.first; i <= inA.last; i += step) {
    const frame = viewed.frameA(i);
    if (!frame) continue;
    const alike = Array.from({ length: inB.last - inB.first + 1 }, (_, j) => {
      const other = viewed.frameB(inB.first + j);
      return other ? correlate(frame, other) : -1;
    });
    // Of neighbouring frames the most alike: the others give lines that hardly differ.
    for (const [j, similarity] of alike.entries())
      if (similarity >= minSeed && similarity >= (alike[j - 1] ?? -1) && similarity > (alike[j + 1] ?? -1))
        seeds.push({ a: i, b: inB.first + j, similarity });
  }
  const best = seeds.toSorted((x, y) => y.similarity - x.similarity);
  const lines = best.slice(0, maxSeeds).flatMap((seed) => speeds.map((speed) => ({ a0: seed.a, b0: seed.b, speed })));
  const own = (b.end - b.start) / Math.max(1e-6, a.end - a.start);
  const some = own >= 0.5 && own <= 2 ? [own, ...speeds] : speeds;
  for (const edge of ['start', 'end'] as const) {
    const [a0, b0] = [a[edge] * framesPerSecond, b[edge] * framesPerSecond];
    // From the nearest whole frame inside.
    const at = edge === 'start' ? Math.ceil(a0 + 0.5) : Math.floor(a0 - 0.5);
    lines.push(...some.map((speed) => ({ a0: at, b0: b0 + speed * (at - a0), speed })));
  }
  return lines;
}

/** How far beyond its ends the second item may be compared: where a line is not exact. Frames. */
const mostBeyond = 0.6;

/** How alike the frame of the first item is to what the second shows at that time: the nearer of the two frames around it that is more alike. Null: neither shows anything. */
function similarityAt(viewed: Viewed, { a0, b0, speed }: Line, at: number): number | null | undefined {
  const place = b0 + speed * (at - a0);
  if (place < -mostBeyond || place > viewed.lengthB - 1 + mostBeyond) return undefined;
  const frame = viewed.frameA(at);
  const before = viewed.frameB(Math.max(0, Math.floor(place)));
  const after = viewed.frameB(Math.min(viewed.lengthB - 1, Math.ceil(place)));
  if (!frame) return before || after ? neutral - oneSided : null;
  if (!before && !after) return neutral - oneSided;
  return Math.max(before ? correlate(frame, before) : -1, after ? correlate(frame, after) : -1);
}

/** Goes along a line in both directions as long as more speaks for it than against (X-drop extension, Altschul et al. 1990). */
function extend(viewed: Viewed, line: Line): Scored | null {
  const walk = (step: number) => {
    let [sum, fit] = [0, 0];
    let best = { score: 0, fit: 0, end: line.a0 - (step > 0 ? stride : 0) };
    for (let at = step > 0 ? line.a0 : line.a0 + step; at >= 0 && at < viewed.lengthA; at += step) {
      const similarity = similarityAt(viewed, line, at);
      if (similarity === undefined) break;
      if (similarity !== null) {
        sum += Math.max(-maxAgainst, similarity - neutral);
        fit += sharpen(similarity);
      }
      if (sum > best.score) best = { score: sum, fit, end: at };
      if (sum < best.score - maxDrop) break;
    }
    return best;
  };
  const [forward, back] = [walk(stride), walk(-stride)];
  // Where the second is slower, several frames of the first lie beside each of its frames and count once.
  const once = Math.min(1, line.speed);
  const score = once * (forward.score + back.score);
  if (score <= 0) return null;
  return {
    line,
    first: back.score > 0 ? back.end : line.a0,
    last: Math.max(forward.end, line.a0),
    score,
    fit: once * (forward.fit + back.fit),
  };
}

/** How much one frame may speak against a line at most: a cut that lies between two frames is none of its faults. */
const maxAgainst = 0.5;

/** What a frame says of the exact place of a line: nearly nothing until it is nearly the same. */
const sharpen = (similarity: number): number =>
  similarity < neutral
    ? Math.max(-maxAgainst, similarity - neutral)
    : ((similarity - neutral) / (1 - neutral)) ** 3 * (1 - neutral);

/** Moves a line by a frame, then by half of one, and turns it, until it fits best. */
function refineLine(viewed: Viewed, scored: Scored): Scored {
  let best = scored;
  for (const [shift, turn] of [
    [1, 1],
    [0.5, 0.5],
  ] as const) {
    for (let isBetter = true; isBetter;) {
      isBetter = false;
      const { line, first, last } = best;
      // Turned so that its end moves by so many frames.
      const turned = turn / Math.max(8, last - first);
      for (const [b0, speed] of [
        [line.b0 - shift, line.speed],
        [line.b0 + shift, line.speed],
        [line.b0, line.speed - turned],
        [line.b0, line.speed + turned],
      ] as const) {
        if (speed < 0.47 || speed > 2.13) continue;
        const next = extend(viewed, { a0: line.a0, b0, speed });
        if (next && next.fit > best.fit + 0.01) {
          best = next;
          isBetter = true;
        }
      }
    }
  }
  return best;
}

/** Frames between what is the same and what is empty in both items, at most: where a car comes into the picture, either shows more of it. */
const maxBetween = 2;

/** The last frame in a direction from which on neither item shows anything: an empty road before a car comes, black before a title. It is a part of what is the same, and says nothing for it. */
function emptyUntil(viewed: Viewed, line: Line, from: number, step: number): number {
  let [until, between] = [from, 0];
  for (let at = from + step; at >= 0 && at < viewed.lengthA && between <= maxBetween; at += step) {
    const place = line.b0 + line.speed * (at - line.a0);
    if (place < -0.5 || place > viewed.lengthB - 0.5) break;
    if (viewed.frameA(at) || viewed.frameB(Math.round(place))) between += 1;
    else until = at;
  }
  return until;
}

/** What a line says of two items. */
function measure(viewed: Viewed, { line, first, last }: Scored): Omit<Alignment, 'geometry'> {
  const [inA, inB]: [Float32Array[], Float32Array[]] = [[], []];
  let sum = 0;
  for (let at = first; at <= last; at += stride) {
    const frame = viewed.frameA(at);
    const place = line.b0 + line.speed * (at - line.a0);
    const around = [Math.floor(place), Math.ceil(place)].flatMap((each) => {
      const other = viewed.frameB(Math.max(0, Math.min(viewed.lengthB - 1, each)));
      return other && frame ? [{ other, similarity: correlate(frame, other) }] : [];
    });
    const nearest = around.toSorted((x, y) => y.similarity - x.similarity)[0];
    if (!frame || !nearest) continue;
    inA.push(frame);
    inB.push(nearest.other);
    sum += nearest.similarity;
  }
  const { similarity: change, energy } = inA.length > 1 ? correlateChange(inA, inB) : { similarity: 0, energy: 0 };
  const onB = (at: number) => line.b0 + line.speed * (at - line.a0);
  const onA = (place: number) => line.a0 + (place - line.b0) / line.speed;
  /** Within an item, and within where the line puts the other one. */
  const toSpan = (from: number, to: number, length: number, ofOther: [number, number]): Span => ({
    start: Math.max(0, ofOther[0], from - stride / 2) / framesPerSecond,
    end: Math.min(length, ofOther[1], to + stride / 2) / framesPerSecond,
  });
  const [from, to] = [emptyUntil(viewed, line, first, -stride), emptyUntil(viewed, line, last, stride)];
  return {
    a: toSpan(from, to, viewed.lengthA, [onA(-0.5), onA(viewed.lengthB - 0.5)]),
    b: toSpan(onB(from), onB(to), viewed.lengthB, [onB(-0.5), onB(viewed.lengthA - 0.5)]),
    speed: line.speed,
    similarity: inA.length > 0 ? sum / inA.length : 0,
    change,
    energy,
    frames: inA.length,
  };
}
