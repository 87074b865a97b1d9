import { signatureDistance, extractColourSignature } from './colour-signature.ts';
import type { Sample } from './sample-video.ts';

/** A frame that stands for less may be a title, or somebody who holds still. */
const minFreezeSeconds = 2;
/** Copies of a frozen frame differ by coding only; frames of a camera that stands still differ by noise as well. */
const maxDifference = 0.5;

/**
 * Whether a span shows one frame throughout, as where a signal was lost.
 * @param samples in order of time, evenly spaced
 */
export function isFrozen(samples: Sample[]): boolean {
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last || last.time - first.time < minFreezeSeconds) return false;
  const signatures = samples.map(({ image }) => extractColourSignature(image));
  return signatures.every(
    (signature, i) => i === 0 || signatureDistance(signature, signatures[i - 1] as number[]) <= maxDifference,
  );
}
