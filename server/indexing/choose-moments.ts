import type { Moment } from '../models/embedder.ts';
import type { Sample } from './sample-video.ts';

/** Moments embedded for each chunk, at most. */
const momentsPerChunk = 6;

/** Some moments spread evenly over a span, each with the sample that follows it. */
export function chooseMoments(samples: Sample[]): Moment[] {
  const count = Math.min(momentsPerChunk, samples.length);
  return Array.from({ length: count }, (_, i) => {
    const at = Math.floor(((i + 0.5) * samples.length) / count);
    const sample = samples[at] as Sample;
    const following = samples[at + 1];
    return {
      picture: sample.picture,
      next: following ? { picture: following.picture, after: following.time - sample.time } : null,
    };
  });
}
