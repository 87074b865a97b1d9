import { toUnit } from '../vectors.ts';

/** Numbers drawn at random, the same in each run. */
export type Random = ReturnType<typeof createRandom>;

/** A linear congruential generator (Park & Miller). */
export function createRandom(seed: number) {
  let state = (seed % 2_147_483_646) + 1;
  /** A uniform number, 0..1. */
  const next = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  return {
    next,
    /** A whole number from 0 to before `end`. */
    below: (end: number): number => Math.floor(next() * end),
    pick: <Value>(values: readonly Value[]): Value => values[Math.floor(next() * values.length)] as Value,
  };
}

/** A unit vector at random, near a centre if there is one. */
export function drawVector(random: Random, dimensions: number, centre?: Float32Array): Float32Array {
  return toUnit(
    Array.from({ length: dimensions }, (_, i) => 2 * (centre?.[i] ?? 0) + (random.next() - 0.5) * (centre ? 0.4 : 1)),
  );
}

/** Unit vectors in clusters, as images are: points spread evenly over many dimensions are all equally far from each other. */
export function drawClusters(
  random: Random,
  { count, clusters, dimensions }: { count: number; clusters: number; dimensions: number },
): Float32Array[] {
  const centres = Array.from({ length: clusters }, () => drawVector(random, dimensions));
  return Array.from({ length: count }, () => drawVector(random, dimensions, random.pick(centres)));
}
