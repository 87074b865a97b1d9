import { randomLcg } from 'd3-random';
import type { NeighborGraph } from './neighbor-graph.ts';

/** For each of some vectors its nearest others, the nearest first: places, -1 for none, and their distances, row by row. */
export type Neighbors = { width: number; places: Int32Array; distances: Float32Array };

/** The curve of similarity over distance in the plane: 1 / (1 + a d^2b), for a least distance of 0.1 (the default of UMAP). */
const a = 1.577;
const b = 0.8951;
/** Points that each drawing together is balanced by pushing away from. */
const pushes = 5;
/** So many rounds for few points, and fewer for many: the result changes little then. */
const roundsFor = (count: number): number => (count <= 2500 ? 400 : count <= 10_000 ? 200 : 120);
/** How far a point moves in one step, at most. */
const maxStep = 4;

/**
 * Places vectors in a plane so that neighbours stay together: the graph and the descent of UMAP (McInnes, Healy & Melville, 2018), from a given start and from
 * neighbours that are known, in flat arrays. The same input always gives the same plane.
 * @param start where each begins, in 0..1: x and y in turn
 * @returns x and y in turn
 */
export function layOutNeighbors(neighbors: Neighbors, start: Float32Array): Float32Array {
  const count = start.length / 2;
  const plane = spreadOut(start);
  if (count < 3) return plane;
  const { from, to, weights } = symmetricEdges(neighbors, count);
  const strongest = weights.reduce((most, weight) => Math.max(most, weight), 0);
  const rounds = roundsFor(count);
  // An edge of a tenth of the strongest one's weight draws in every tenth round.
  const every = weights.map((weight) => (weight < strongest / rounds ? Infinity : strongest / weight));
  const due = every.slice();
  const random = randomLcg(0.5);
  for (let round = 1; round <= rounds; round++) {
    const rate = 1 - (round - 1) / rounds;
    for (let edge = 0; edge < from.length; edge++) {
      if (due[edge]! > round) continue;
      due[edge]! += every[edge]!;
      const [left, right] = [from[edge]!, to[edge]!];
      draw(plane, left, right, rate);
      for (let i = 0; i < pushes; i++) push(plane, left, Math.floor(random() * count), rate);
    }
  }
  return plane;
}

/** The start at the size in which distances mean something to the curve, with a little noise, so that copies do not stay on one another. */
function spreadOut(start: Float32Array): Float32Array {
  const random = randomLcg(0.25);
  return start.map((value) => 20 * (value - 0.5) + 0.02 * (random() - 0.5));
}

const limited = (step: number): number => Math.max(-maxStep, Math.min(maxStep, step));

function draw(plane: Float32Array, left: number, right: number, rate: number): void {
  const [x, y] = [plane[2 * left]! - plane[2 * right]!, plane[2 * left + 1]! - plane[2 * right + 1]!];
  const squared = x * x + y * y;
  if (squared === 0) return;
  const power = squared ** b;
  const pull = (-2 * a * b * (power / squared)) / (1 + a * power);
  const [stepX, stepY] = [limited(pull * x) * rate, limited(pull * y) * rate];
  plane[2 * left]! += stepX;
  plane[2 * left + 1]! += stepY;
  plane[2 * right]! -= stepX;
  plane[2 * right + 1]! -= stepY;
}

function push(plane: Float32Array, point: number, other: number, rate: number): void {
  if (point === other) return;
  const [x, y] = [plane[2 * point]! - plane[2 * other]!, plane[2 * point + 1]! - plane[2 * other + 1]!];
  const squared = x * x + y * y;
  const force = (2 * b) / ((0.001 + squared) * (1 + a * squared ** b));
  plane[2 * point]! += (squared > 0 ? limited(force * x) : maxStep) * rate;
  plane[2 * point + 1]! += (squared > 0 ? limited(force * y) : maxStep) * rate;
}

/** Each pair of neighbours once, with how alike both say that they are: p + q - pq. */
function symmetricEdges(
  { width, places, distances }: Neighbors,
  count: number,
): { from: Int32Array; to: Int32Array; weights: Float32Array } {
  const edges = new Map<number, number>();
  for (let row = 0; row < count; row++) {
    const first = row * width;
    const { nearest, scale } = smoothScale(distances, places, first, width);
    for (let at = first; at < first + width; at++) {
      const other = places[at]!;
      if (other < 0) continue;
      const weight = Math.exp(-Math.max(0, distances[at]! - nearest) / scale);
      const key = row < other ? row * count + other : other * count + row;
      const known = edges.get(key);
      edges.set(key, known === undefined ? weight : known + weight - known * weight);
    }
  }
  const keys = [...edges.keys()];
  return {
    from: Int32Array.from(keys, (key) => Math.floor(key / count)),
    to: Int32Array.from(keys, (key) => key % count),
    weights: Float32Array.from(edges.values()),
  };
}

/** The distance of the nearest, and the scale by which the similarities of all sum up to log2 of their number. */
function smoothScale(
  distances: Float32Array,
  places: Int32Array,
  first: number,
  width: number,
): { nearest: number; scale: number } {
  const own: number[] = [];
  for (let at = first; at < first + width; at++) if (places[at]! >= 0) own.push(distances[at]!);
  const nearest = own[0] ?? 0;
  const target = Math.log2(Math.max(2, own.length));
  let [low, high] = [1e-6, 10];
  for (let i = 0; i < 32; i++) {
    const scale = (low + high) / 2;
    const sum = own.reduce((total, distance) => total + Math.exp(-Math.max(0, distance - nearest) / scale), 0);
    if (sum > target) high = scale;
    else low = scale;
  }
  return { nearest, scale: Math.max(1e-6, (low + high) / 2) };
}

/** Neighbours that a layout keeps together; the default of UMAP. */
const keptNeighbors = 15;

/** The nearest neighbours of a graph, as places in another order of its numbers. */
export function pickNeighbors({ numbers, neighbors, distances }: NeighborGraph, order: readonly number[]): Neighbors {
  const stored = numbers.length === 0 ? 0 : neighbors.length / numbers.length;
  const rows = new Map(Array.from(numbers, (number, row) => [number, row]));
  const placeOf = new Map(order.map((number, place) => [number, place]));
  const picked: Neighbors = {
    width: keptNeighbors,
    places: new Int32Array(order.length * keptNeighbors).fill(-1),
    distances: new Float32Array(order.length * keptNeighbors).fill(Infinity),
  };
  for (const [place, number] of order.entries()) {
    const row = rows.get(number);
    if (row === undefined) continue;
    for (let i = 0; i < keptNeighbors; i++) {
      const other = placeOf.get(neighbors[row * stored + i]!);
      if (other === undefined) continue;
      picked.places[place * keptNeighbors + i] = other;
      picked.distances[place * keptNeighbors + i] = distances[row * stored + i]!;
    }
  }
  return picked;
}
