import path from 'node:path';
import { toUnit } from '@media-search/search-engine/vectors';
import { fingerprintVideo } from '../../../packages/indexing/reuse/fingerprint-item.ts';
import { type Fingerprint, framesPerSecond } from '../../../packages/indexing/reuse/fingerprint.ts';
import { cells, cutPart, mirror, normalise } from '../../../packages/indexing/reuse/frame-descriptor.ts';
import { probeVideo } from '../../../packages/media/probe-video.ts';
import { createRandom, type VectorSource } from '../vectors.ts';

/**
 * Items of moments that nobody recorded, with copies among them that are known. Each moment is near to a real vector and shows a picture of its own that is distributed like real frames, so
 * that many moments look alike and none shows the same, but for the copies.
 */

export const [perItem, momentSeconds] = [20, 3];
export const itemSeconds = perItem * momentSeconds;
/** Scenes of an item: its moments are near to as many real vectors. */
const scenes = 4;
/** How much noise parts the vector of a copy from that of its original: of the same picture, and of one that was mirrored or cropped. */
const [vectorNoise, changedNoise] = [0.25, 0.5];
/** The same of its frames. */
const frameNoise = 0.08;

export const copyKinds = ['same', 'part', 'mirrored', 'cropped'] as const;
export type CopyKind = (typeof copyKinds)[number];

export type SyntheticLibrary = {
  vectorAt: (item: number, moment: number) => Float32Array;
  fingerprintAt: (item: number) => Fingerprint;
  /** What an item was copied from; null: it is an original. */
  originalOf: (item: number) => { item: number; kind: CopyKind } | null;
};

/** Reads the frames of some films that say something, in their order. */
export async function readFrames(files: string[]): Promise<Float32Array[][]> {
  const films: Float32Array[][] = [];
  for (const file of files) {
    await using probed = await probeVideo(path.resolve(file), new AbortController().signal);
    const limits = { maxSeconds: 600, maxFrames: 36_000 };
    const { fingerprint } = await fingerprintVideo(probed, { signal: new AbortController().signal }, limits);
    const frames = fingerprint.flatMap((frame) => (frame ? [frame.cells] : []));
    if (frames.length >= momentSeconds * framesPerSecond) films.push(frames);
  }
  return films;
}

/** A number of the normal distribution. */
const gauss = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random());

/** Real frames that a picture is mixed of: so many that two pictures have nothing in common but how frames are in general. */
const mixed = 16;

/** Moments of a copy that are of its original, by its moment; of a part those in the middle. */
const isCopied = (kind: CopyKind, moment: number) => kind !== 'part' || (moment >= 5 && moment < 15);

/** The frames of a moment that is no copy: a picture that turns into another one, each distributed like real frames. */
function ownFrames(films: Float32Array[][], item: number, moment: number): Float32Array[] {
  const random = createRandom('text', item * perItem + moment);
  const pick = <Each>(list: Each[]): Each => list[Math.floor(random() * list.length)] as Each;
  const draw = (): Float32Array => {
    const picture = new Float32Array(cells);
    for (let i = 0; i < mixed; i++) {
      const weight = gauss(random);
      for (const [cell, value] of pick(pick(films)).entries()) picture[cell]! += weight * value;
    }
    normalise(picture);
    return picture;
  };
  const [one, other, turn] = [draw(), draw(), 0.3 + random()];
  return Array.from({ length: momentSeconds * framesPerSecond }, (_, i) => {
    const angle = (turn * i) / (momentSeconds * framesPerSecond);
    const frame = one.map((value, cell) => Math.cos(angle) * value + Math.sin(angle) * other[cell]!);
    normalise(frame);
    return frame;
  });
}

/** A frame as a copy shows it. */
function copyFrame(frame: Float32Array, kind: CopyKind, random: () => number): Float32Array {
  const seen =
    kind === 'mirrored'
      ? mirror(frame)
      : kind === 'cropped'
        ? cutPart(frame, { left: 0.1, top: 0.1, right: 0.9, bottom: 0.9 })
        : frame;
  const noisy = seen.map((cell) => cell + (frameNoise * (random() - 0.5) * 2) / Math.sqrt(seen.length / 3));
  normalise(noisy);
  return noisy;
}

/**
 * @param items of which the last `copies` are copies of the first ones, of each kind in turn
 * @param bases how many real vectors there are
 */
export function drawLibrary(
  films: Float32Array[][],
  { vectorAt, dimensions }: VectorSource,
  { items, copies, bases }: { items: number; copies: number; bases: number },
): SyntheticLibrary {
  const originalOf = (item: number) => {
    const place = item - (items - copies);
    return place < 0 ? null : { item: place, kind: copyKinds[place % copyKinds.length] as CopyKind };
  };

  function ownVector(item: number, moment: number): Float32Array {
    const random = createRandom('query', item);
    const places = Array.from({ length: scenes }, () => Math.floor(random() * bases));
    const base = places[Math.floor((moment * scenes) / perItem)] as number;
    return vectorAt(base + bases * (item * perItem + moment));
  }

  return {
    originalOf,

    vectorAt(item, moment) {
      const original = originalOf(item);
      if (!original || !isCopied(original.kind, moment)) return ownVector(item, moment);
      const random = createRandom('vector', -1 - item * perItem - moment);
      const noise = original.kind === 'mirrored' || original.kind === 'cropped' ? changedNoise : vectorNoise;
      const moved = ownVector(original.item, moment).map(
        (value) => value + (noise * gauss(random)) / Math.sqrt(dimensions),
      );
      return toUnit(moved);
    },

    fingerprintAt(item) {
      const original = originalOf(item);
      const random = createRandom('text', -1 - item);
      return Array.from({ length: perItem }, (_, moment) => {
        const isCopy = original && isCopied(original.kind, moment);
        const frames = ownFrames(films, isCopy ? original.item : item, moment);
        return isCopy ? frames.map((frame) => copyFrame(frame, original.kind, random)) : frames;
      })
        .flat()
        .map((cells) => ({ cells, mean: 110, deviation: 40 }));
    },
  };
}
