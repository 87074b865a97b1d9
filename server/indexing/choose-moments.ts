import type { Moment, Picture } from '../models/embedder.ts';
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
  const nearest = looks.map((look) => Math.min(...Array.from(chosen, (at) => distance(look, looks[at] as number[]))));
  while (chosen.size < Math.min(momentsPerChunk, samples.length)) {
    const next = looks.length > 0 ? nearest.indexOf(Math.max(...nearest)) : samples.findIndex((_, i) => !chosen.has(i));
    chosen.add(next);
    for (const [i, look] of looks.entries()) {
      nearest[i] = chosen.has(i) ? -1 : Math.min(nearest[i] as number, distance(look, looks[next] as number[]));
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

/** Points of a picture, across and down, that its look is taken from. */
const grid = { across: 16, down: 9 };

/** The colours at points spread over a picture. */
function readLook({ width, height, data }: Picture): number[] {
  const look: number[] = [];
  for (let row = 0; row < grid.down; row++) {
    for (let column = 0; column < grid.across; column++) {
      const x = Math.floor(((column + 0.5) * width) / grid.across);
      const y = Math.floor(((row + 0.5) * height) / grid.down);
      const at = 3 * (y * width + x);
      look.push(data[at] as number, data[at + 1] as number, data[at + 2] as number);
    }
  }
  return look;
}

const distance = (a: number[], b: number[]): number =>
  a.reduce((sum, value, i) => sum + Math.abs(value - (b[i] as number)), 0);
