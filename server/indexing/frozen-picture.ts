import { differenceOf, readLook } from './picture-look.ts';
import type { Sample } from './sample-video.ts';

/** A picture that stands for less may be a title, or somebody who holds still. */
const shortest = 2;
/** A frozen picture differs by what the codec makes of it; one filmed with a camera that stands still does by its noise, too. */
const largestDifference = 0.5;

/**
 * Whether a span shows but one picture throughout, as where a signal was lost.
 * @param samples in order of time, evenly spaced
 */
export function isFrozen(samples: Sample[]): boolean {
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last || last.time - first.time < shortest) return false;
  const looks = samples.map(({ picture }) => readLook(picture));
  return looks.every((look, i) => i === 0 || differenceOf(look, looks[i - 1] as number[]) <= largestDifference);
}
