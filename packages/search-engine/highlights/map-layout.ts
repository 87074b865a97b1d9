import { randomLcg } from 'd3-random';
import { PCA } from 'ml-pca';
import type { MapLayout } from '../../../contract/highlights.ts';
import { mean } from '../vectors.ts';
import { layOutNeighbors, type Neighbors } from './neighbor-layout.ts';

type Vector = ArrayLike<number>;
/** The position of a vector on the map; both coordinates in 0..1. */
export type MapPoint = { x: number; y: number };

/** Principal components of this many evenly sampled vectors are as good as those of all. */
const maxPcaVectors = 2000;

/**
 * Lays vectors out in two dimensions, so that similar ones are near each other: their first two principal components (Pearson,
 * 1901), or from there on by their neighbours (`layOutNeighbors`), which preserves groups at the expense of global distances.
 * The same vectors always give the same map.
 * @param neighbors of the vectors; null for their principal components
 * @returns one point for each vector, the longer side of all filling 0..1 and the other centred in it; and the layout used: fewer than four
 * vectors have no groups
 */
export function computeLayout(
  vectors: Vector[],
  neighbors: Neighbors | null,
): { layout: MapLayout; points: MapPoint[] } {
  const points = fitToSquare(principalPlane(vectors));
  if (!neighbors || vectors.length < 4) return { layout: 'pca', points };
  const plane = layOutNeighbors(neighbors, Float32Array.from(points.flatMap(({ x, y }) => [x, y])));
  return { layout: 'umap', points: fitToSquare(points.map((_, i) => [plane[2 * i]!, plane[2 * i + 1]!])) };
}

function principalPlane(vectors: Vector[]): number[][] {
  const first = vectors[0];
  if (!first || vectors.length < 2 || first.length < 2) return vectors.map(() => [0, 0]);
  const step = Math.ceil(vectors.length / maxPcaVectors);
  const sample = vectors.filter((_, i) => i % step === 0);
  const centroid = Float64Array.from(first, (_, i) => mean(sample.map((vector) => vector[i] as number)));
  const [across, along] = principalAxes(covarianceOf(sample, centroid), centroid.length);
  return vectors.map((vector) => {
    let [x, y] = [0, 0];
    for (let i = 0; i < centroid.length; i++) {
      const offset = vector[i]! - centroid[i]!;
      x += offset * across![i]!;
      y += offset * along![i]!;
    }
    return [x, y];
  });
}

/** Row by row. Flat, because lists of lists take several times as long. */
function covarianceOf(vectors: Vector[], centroid: Float64Array): Float64Array {
  const size = centroid.length;
  const covariance = new Float64Array(size * size);
  const offsets = new Float64Array(size);
  for (const vector of vectors) {
    for (let i = 0; i < size; i++) offsets[i] = (vector[i]! - centroid[i]!) / Math.sqrt(vectors.length);
    for (let i = 0; i < size; i++) {
      const offset = offsets[i]!;
      for (let j = 0, at = i * size; j <= i; j++, at++) covariance[at]! += offset * offsets[j]!;
    }
  }
  for (let i = 0; i < size; i++) for (let j = 0; j < i; j++) covariance[j * size + i] = covariance[i * size + j]!;
  return covariance;
}

/** Directions that are followed at once: the two that are wanted come out sooner among more. */
const maxFollowed = 8;
/** Rounds until the directions do not turn any more; where two are as wide, either will do. */
const maxRounds = 60;

/**
 * The two directions in which vectors differ most, by subspace iteration (Rutishauser 1969): all of them, as a library computes them, would take
 * a hundred times as long.
 */
function principalAxes(covariance: Float64Array, size: number): number[][] {
  const random = randomLcg(0.5);
  const count = Math.min(maxFollowed, size);
  let followed = orthonormal(
    Array.from({ length: count }, () => Float64Array.from({ length: size }, () => random() - 0.5)),
  );
  for (let round = 0; round < maxRounds; round++)
    followed = orthonormal(followed.map((axis) => times(covariance, axis)));
  const images = followed.map((axis) => times(covariance, axis));
  const small = followed.map((axis) => images.map((image) => dotOf(axis, image)));
  const within = new PCA(small, { isCovarianceMatrix: true }).getEigenvectors();
  return [0, 1].map((column) =>
    Array.from({ length: size }, (_, i) =>
      followed.reduce((sum, axis, row) => sum + axis[i]! * within.get(row, column), 0),
    ),
  );
}

function times(matrix: Float64Array, vector: Float64Array): Float64Array {
  const size = vector.length;
  const product = new Float64Array(size);
  for (let i = 0; i < size; i++) product[i] = dotOf(matrix.subarray(i * size, (i + 1) * size), vector);
  return product;
}

function dotOf(left: Float64Array, right: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < left.length; i++) sum += left[i]! * right[i]!;
  return sum;
}

/** The same space by vectors of length 1 at right angles (Gram and Schmidt); what depends on those before becomes nothing. */
function orthonormal(vectors: Float64Array[]): Float64Array[] {
  const done: Float64Array[] = [];
  for (const vector of vectors) {
    const length = Math.sqrt(dotOf(vector, vector));
    for (const other of done) {
      const share = dotOf(vector, other);
      for (let i = 0; i < vector.length; i++) vector[i]! -= share * other[i]!;
    }
    const left = Math.sqrt(dotOf(vector, vector));
    done.push(left > 1e-12 * length ? vector.map((value) => value / left) : new Float64Array(vector.length));
  }
  return done;
}

function fitToSquare(plane: number[][]): MapPoint[] {
  const bounds = [0, 1].map((axis) => {
    const low = plane.reduce((least, point) => Math.min(least, point[axis] as number), Infinity);
    const high = plane.reduce((most, point) => Math.max(most, point[axis] as number), -Infinity);
    return { middle: (low + high) / 2, length: high - low };
  });
  const side = Math.max(...bounds.map(({ length }) => length));
  const place = (point: number[], axis: number) => {
    const at = side > 0 ? 0.5 + ((point[axis] as number) - (bounds[axis]?.middle ?? 0)) / side : 0.5;
    // Rounding may put the outermost points slightly outside.
    return Math.min(1, Math.max(0, at));
  };
  return plane.map((point) => ({ x: place(point, 0), y: place(point, 1) }));
}
