import { signatureDistance, extractColourSignature } from './colour-signature.ts';
import type { Sample } from './sample-video.ts';

/** A picture that stands for less may be a title, or somebody who holds still. */
const minFreezeSeconds = 2;
/** A frozen picture differs by what the codec makes of it; one filmed with a camera that stands still does by its noise, too. */
const maxDifference = 0.5;

/**
 * Whether a span shows but one picture throughout, as where a signal was lost.
 * @param samples in order of time, evenly spaced
 */
export function isFrozen(samples: Sample[]): boolean {
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last || last.time - first.time < minFreezeSeconds) return false;
  const signatures = samples.map(({ image: picture }) => extractColourSignature(picture));
  return signatures.every(
    (look, i) => i === 0 || signatureDistance(look, signatures[i - 1] as number[]) <= maxDifference,
  );
}
