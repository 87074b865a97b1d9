import type { AskedThing } from './asked-things.ts';
import type { FrameThings, SeenObject } from './frame-things.ts';

/** What the frames of a chunk say of a thing that is asked for, each 0..1. */
export type ThingEvidence = {
  /** How surely it is seen. */
  present: number;
  /** How well its number and its colour are those that are asked for; null where none is asked for, or nothing is seen to tell by. */
  fits: number | null;
};

/** The evidence of the frame that says most for it. */
export function thingEvidence(asked: AskedThing, frames: FrameThings[]): ThingEvidence {
  const all = frames.map((frame) => evidenceOfFrame(asked, frame));
  return {
    present: Math.max(0, ...all.map(({ present }) => present)),
    fits: all.reduce<number | null>((best, { fits }) => (fits === null ? best : Math.max(best ?? 0, fits)), null),
  };
}

const bestScore = (objects: SeenObject[]): number => Math.max(0, ...objects.map(({ score }) => score));

function evidenceOfFrame(asked: AskedThing, { objects, classes }: FrameThings): ThingEvidence {
  const such = objects.filter(({ kind }) => asked.objects.includes(kind));
  const wider = objects.filter(({ kind }) => asked.within.includes(kind));
  const known = classes.filter(({ number }) => asked.classes.has(number));
  const classified = known.reduce((sum, { probability }) => sum + probability, 0);
  // A dog is seen where a puppy is asked for, which has no class of its own: so much may be one.
  const hasNoName = asked.objects.length === 0 && asked.classes.size === 0;
  const unseen = (1 - bestScore(such)) * (1 - Math.min(1, classified)) * (1 - (hasNoName ? bestScore(wider) : 0));
  return { present: 1 - unseen, fits: fitOf(asked, [...such, ...wider]) };
}

function fitOf({ count, colour }: AskedThing, alike: SeenObject[]): number | null {
  if (alike.length === 0 || (count === null && colour === null)) return null;
  const coloured = colour === null ? alike : alike.filter(({ colours }) => colours.includes(colour));
  if (count === null) return bestScore(coloured) / bestScore(alike);
  return countLikelihood(coloured, count);
}

/** How likely an object of a score is one: half at the middle. Chosen on Flickr8k's development photographs. */
const [steepness, middle] = [8, 0.35];

/** The probability that exactly so many of the objects are there, each by itself (the Poisson binomial distribution). */
function countLikelihood(objects: SeenObject[], count: number): number {
  let likelihoods = [1];
  for (const { score } of objects) {
    const there = 1 / (1 + Math.exp(-steepness * (score - middle)));
    likelihoods = Array.from(
      { length: likelihoods.length + 1 },
      (_, n) => (likelihoods[n] ?? 0) * (1 - there) + (likelihoods[n - 1] ?? 0) * there,
    );
  }
  return likelihoods[count] ?? 0;
}
