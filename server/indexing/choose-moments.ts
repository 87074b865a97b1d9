import type { Moment } from '../models/embedder.ts';
import { differenceOf, readLook } from './picture-look.ts';
import type { Sample } from './sample-video.ts';

/** Moments embedded for each chunk, at most; so many of them spread evenly, for what is usual in it. */
const momentsPerChunk = 6;
const spreadEvenly = 3;

/**
 * Some moments of a span, each with the sample that follows it, in order of time: some spread evenly, then those that look least like any
 * chosen before (farthest-first traversal, Gonzalez 1985), so that something short is among them.
 */
export function chooseMoments(samples: Sample[]): Moment[] {
  const chosen = new Set<number>();
  const even = Math.min(spreadEvenly, samples.length);
  for (let i = 0; i < even; i++) chosen.add(Math.floor(((i + 0.5) * samples.length) / even));
  const looks = samples.length > momentsPerChunk ? samples.map(({ picture }) => readLook(picture)) : [];
  const nearest = looks.map((look) =>
    Math.min(...Array.from(chosen, (at) => differenceOf(look, looks[at] as number[]))),
  );
  while (chosen.size < Math.min(momentsPerChunk, samples.length)) {
    const next = looks.length > 0 ? nearest.indexOf(Math.max(...nearest)) : samples.findIndex((_, i) => !chosen.has(i));
    chosen.add(next);
    for (const [i, look] of looks.entries()) {
      nearest[i] = chosen.has(i) ? -1 : Math.min(nearest[i] as number, differenceOf(look, looks[next] as number[]));
    }
  }
  return [...chosen]
    .toSorted((a, b) => a - b)
    .map((at) => {
      const { picture, time } = samples[at] as Sample;
      const following = samples[at + 1];
      return { picture, next: following ? { picture: following.picture, after: following.time - time } : null };
    });
}
