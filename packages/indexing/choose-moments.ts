import type { Moment } from '@media-search/media/rgb-image';
import { signatureDistance, extractColourSignature } from './colour-signature.ts';
import type { Sample } from './sample-video.ts';

/** Moments embedded for each chunk, at most; so many of them spread evenly, for what is usual in it. */
const maxMomentsPerChunk = 6;
const evenMoments = 3;

/**
 * Some moments of a span, each with the sample that follows it, in order of time: some spread evenly, then those that look least like any
 * chosen before (farthest-first traversal, Gonzalez 1985), so that something short is among them.
 */
export function chooseMoments(samples: Sample[]): Moment[] {
  const chosen = new Set<number>();
  const even = Math.min(evenMoments, samples.length);
  for (let i = 0; i < even; i++) chosen.add(Math.floor(((i + 0.5) * samples.length) / even));
  const signatures =
    samples.length > maxMomentsPerChunk ? samples.map(({ image }) => extractColourSignature(image)) : [];
  const nearest = signatures.map((signature) =>
    Math.min(...Array.from(chosen, (at) => signatureDistance(signature, signatures[at] as number[]))),
  );
  while (chosen.size < Math.min(maxMomentsPerChunk, samples.length)) {
    const next =
      signatures.length > 0 ? nearest.indexOf(Math.max(...nearest)) : samples.findIndex((_, i) => !chosen.has(i));
    chosen.add(next);
    for (const [i, signature] of signatures.entries()) {
      nearest[i] = chosen.has(i)
        ? -1
        : Math.min(nearest[i] as number, signatureDistance(signature, signatures[next] as number[]));
    }
  }
  return [...chosen]
    .toSorted((a, b) => a - b)
    .map((at) => {
      const { image, time } = samples[at] as Sample;
      const following = samples[at + 1];
      return { image, next: following ? { image: following.image, after: following.time - time } : null };
    });
}
