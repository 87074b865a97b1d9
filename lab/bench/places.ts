import { readFileSync } from 'node:fs';
import path from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { nearestPlace } from '@media-search/places/nearest-place';
import { randomLcg, randomNormal, randomUniform } from 'd3-random';

/**
 * Whether the nearest place of the gazetteer is found, and how fast: 500 positions of their own for each seed, each compared with all places by another formula, the angle
 * between unit vectors. 300 are near towns, 100 anywhere on the sphere, most of those at sea, 50 within 2° of a pole and 50 within 2° of the date line.
 *
 *     npm run node -- lab/bench/places.ts [seed]
 *
 * Fails when fewer than 0.98 are right, or when half of them take more than a millisecond.
 */

const least = 0.98;
const mostMs = 1;
/** Two places are equally near within the digits of the gazetteer, radians. */
const same = 1e-9;

const source = randomLcg(Number(process.argv[2] ?? 35) / 2 ** 20);
const uniform = (from: number, to: number) => randomUniform.source(source)(from, to)();
const spread = randomNormal.source(source)(0, 0.3);

type Position = readonly [latitude: number, longitude: number];
type Vector = readonly [x: number, y: number, z: number];

const toVector = ([latitude, longitude]: Position): Vector => {
  const [phi, lambda] = [(latitude * Math.PI) / 180, (longitude * Math.PI) / 180];
  return [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)];
};

/** Exact for small angles, which the arc cosine of a product is not. */
const angle = (a: Vector, b: Vector): number =>
  2 * Math.asin(Math.min(1, Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) / 2));

const file = path.join(import.meta.dirname, '..', '..', 'packages', 'places', 'cities.tsv.br');
const towns = brotliDecompressSync(readFileSync(file))
  .toString()
  .trimEnd()
  .split('\n')
  .map((line): Position => {
    const [, , , latitude, longitude] = line.split('\t');
    return [Number(latitude), Number(longitude)];
  });
const vectors = towns.map(toVector);

const wrap = (longitude: number): number => ((((longitude + 180) % 360) + 360) % 360) - 180;
const nearTown = (): Position => {
  const [latitude, longitude] = towns[Math.floor(uniform(0, towns.length))] as Position;
  return [Math.max(-90, Math.min(90, latitude + spread())), wrap(longitude + spread())];
};
const anywhere = (): Position => [(Math.asin(uniform(-1, 1)) * 180) / Math.PI, uniform(-180, 180)];
const nearPole = (): Position => [(uniform(0, 1) < 0.5 ? -1 : 1) * uniform(88, 90), uniform(-180, 180)];
const nearDateLine = (): Position => [uniform(-60, 70), wrap(180 + uniform(-2, 2))];

const drawn: Position[] = [
  ...Array.from({ length: 300 }, nearTown),
  ...Array.from({ length: 100 }, anywhere),
  ...Array.from({ length: 50 }, nearPole),
  ...Array.from({ length: 50 }, nearDateLine),
];

const opening = performance.now();
nearestPlace(0, 0);
const openMs = performance.now() - opening;

const times: number[] = [];
let right = 0;
for (const position of drawn) {
  const begin = performance.now();
  const { place } = nearestPlace(...position);
  times.push(performance.now() - begin);
  const here = toVector(position);
  const nearest = vectors.reduce((best, vector) => Math.min(best, angle(here, vector)), Infinity);
  if (angle(here, toVector([place.latitude, place.longitude])) - nearest < same) right += 1;
}

const sorted = times.toSorted((a, b) => a - b);
const at = (part: number): number => sorted[Math.floor(part * (sorted.length - 1))] as number;
console.log(`${towns.length} places, read in ${openMs.toFixed(0)} ms`);
console.log(`nearest right ${(right / drawn.length).toFixed(3)} of ${drawn.length} (at least ${least})`);
console.log(
  `p50 ${at(0.5).toFixed(3)} ms, p99 ${at(0.99).toFixed(3)} ms, most ${at(1).toFixed(3)} ms (p50 at most ${mostMs})`,
);
if (right / drawn.length < least || at(0.5) > mostMs) process.exitCode = 1;
