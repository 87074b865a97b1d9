import { randomLcg } from 'd3-random';
import { PCA } from 'ml-pca';
import { UMAP } from 'umap-js';
import type { MapLayout } from '../../../contract/search.ts';
import { mean } from '../vectors.ts';

type Vector = ArrayLike<number>;
/** The position of a vector on the map; both coordinates in 0..1. */
export type MapPoint = { x: number; y: number };

/** UMAP takes about 10 s for this many vectors, and more than twice that for twice as many. */
const maxUmapVectors = 4000;
/** Neighbours that UMAP keeps together; the method's usual default. */
const umapNeighbors = 15;
/** Principal components of this many evenly sampled vectors are as good as those of all. */
const maxPcaVectors = 2000;

/**
 * Lays vectors out in two dimensions, so that similar ones are near each other: their first two principal components (Pearson,
 * 1901), or UMAP (McInnes, Healy & Melville, 2018), which preserves neighbourhoods at the expense of global distances.
 * The same vectors always give the same map.
 * @param wanted `umap` is `pca` where there are too many vectors for it (more than 4,000), or fewer than four
 * @returns one point for each vector, the longer side of all filling 0..1 and the other centred in it; and the layout used
 */
export function computeLayout(wanted: MapLayout, vectors: Vector[]): { layout: MapLayout; points: MapPoint[] } {
  const layout = wanted === 'umap' && vectors.length > 3 && vectors.length <= maxUmapVectors ? 'umap' : 'pca';
  const plane = layout === 'umap' ? computeUmap(vectors) : principalPlane(vectors);
  return { layout, points: fitToSquare(plane) };
}

function principalPlane(vectors: Vector[]): number[][] {
  const first = vectors[0];
  if (!first || vectors.length < 2 || first.length < 2) return vectors.map(() => [0, 0]);
  const step = Math.ceil(vectors.length / maxPcaVectors);
  const sample = vectors.filter((_, i) => i % step === 0);
  const centroid = Array.from(first, (_, i) => mean(sample.map((vector) => vector[i] as number)));
  // By covariances, because the library's other methods take longer the more vectors there are.
  const axes = new PCA(covarianceOf(sample, centroid), { isCovarianceMatrix: true }).getEigenvectors();
  return vectors.map((vector) =>
    [0, 1].map((axis) =>
      centroid.reduce((sum, center, i) => sum + ((vector[i] as number) - center) * axes.get(i, axis), 0),
    ),
  );
}

function covarianceOf(vectors: Vector[], centroid: number[]): number[][] {
  const covariance = centroid.map(() => centroid.map(() => 0));
  for (const vector of vectors) {
    const offsets = centroid.map((center, i) => (vector[i] as number) - center);
    for (const [i, row] of covariance.entries()) {
      for (let j = 0; j <= i; j++) row[j]! += ((offsets[i] as number) * (offsets[j] as number)) / vectors.length;
    }
  }
  for (const [i, row] of covariance.entries()) for (let j = 0; j < i; j++) covariance[j]![i] = row[j] as number;
  return covariance;
}

function computeUmap(vectors: Vector[]): number[][] {
  const umap = new UMAP({ nNeighbors: Math.min(umapNeighbors, vectors.length - 1), random: randomLcg(0.5) });
  return umap.fit(vectors.map((vector) => Array.from(vector)));
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
