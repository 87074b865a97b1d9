import type { OutlierMethod } from '../../../contract/highlights.ts';
import { mean } from '../vectors.ts';
import { exactNeighbors, type NeighborGraph, type ReadVectors } from './neighbor-graph.ts';

/** Chunks by descending raw score; of equal scores the newer first. */
export type Ranking = { numbers: number[]; scores: number[] };

/** The nearest neighbours of one vector by their positions in the list, the nearest first. */
type Neighborhood = { places: number[]; distances: number[] };

/** How many neighbours each method compares with. */
export const defaultNeighbors: Record<OutlierMethod, number> = { centroid: 0, knn: 5, lof: exactNeighbors };

/** Keeps a density finite where all neighbours are copies, as scikit-learn does. */
const epsilon = 1e-10;

/** Ranks the chunks of a graph by how unusual they are among all. */
export async function rankOutliers(method: OutlierMethod, graph: NeighborGraph, read: ReadVectors): Promise<Ranking> {
  return toRanking(graph.numbers, await scoreOutliers(method, graph, read));
}

/** Ranks chunks by how far they are from the mean of all, which needs no graph. */
export async function rankByCentroid(numbers: Uint32Array, read: ReadVectors): Promise<Ranking> {
  return toRanking(numbers, await centroidDistances(numbers, read));
}

function toRanking(numbers: Uint32Array, scores: number[]): Ranking {
  const order = Array.from(numbers, (number, place) => ({ number, score: scores[place] as number }));
  order.sort((a, b) => b.score - a.score || b.number - a.number);
  return { numbers: order.map(({ number }) => number), scores: order.map(({ score }) => score) };
}

/**
 * Scores each chunk of a graph by how unusual it is among all; higher is more unusual.
 * @param neighbors how many neighbours are compared, at most 20
 */
export async function scoreOutliers(
  method: OutlierMethod,
  graph: NeighborGraph,
  read: ReadVectors,
  neighbors = defaultNeighbors[method],
): Promise<number[]> {
  if (method === 'centroid') return centroidDistances(graph.numbers, read);
  const neighborhoods = neighborhoodsOf(graph, neighbors);
  return method === 'knn' ? neighborDistances(neighborhoods) : localOutlierFactors(neighborhoods);
}

function neighborhoodsOf({ numbers, neighbors, distances }: NeighborGraph, count: number): Neighborhood[] {
  const places = new Map(Array.from(numbers, (number, place) => [number, place]));
  const width = numbers.length === 0 ? 0 : neighbors.length / numbers.length;
  return Array.from(numbers, (_, row) => {
    const found: Neighborhood = { places: [], distances: [] };
    for (let at = row * width; at < row * width + count && neighbors[at] !== 0; at++) {
      found.places.push(places.get(neighbors[at] as number) as number);
      found.distances.push(distances[at] as number);
    }
    return found;
  });
}

/** Vectors read at once. */
const blockSize = 4096;

/** Euclidean distance of each chunk's vector from the mean of all. */
async function centroidDistances(numbers: Uint32Array, read: ReadVectors): Promise<number[]> {
  let centroid = new Float64Array(0);
  let count = 0;
  const blocks = Array.from({ length: Math.ceil(numbers.length / blockSize) }, (_, i) =>
    Array.from(numbers.subarray(i * blockSize, (i + 1) * blockSize)),
  );
  for (const block of blocks) {
    for (const vector of (await read(block)).values()) {
      if (count === 0) centroid = new Float64Array(vector.length);
      count += 1;
      for (let i = 0; i < centroid.length; i++) centroid[i]! += (vector[i]! - centroid[i]!) / count;
    }
  }
  const scores: number[] = [];
  for (const block of blocks) {
    const vectors = await read(block);
    for (const number of block) scores.push(distance(vectors.get(number), centroid));
  }
  return scores;
}

/** 0 for a vector that was deleted meanwhile. */
function distance(vector: Float32Array | undefined, centroid: Float64Array): number {
  if (!vector) return 0;
  let sum = 0;
  for (let i = 0; i < centroid.length; i++) sum += (vector[i]! - centroid[i]!) ** 2;
  return Math.sqrt(sum);
}

/**
 * Mean Euclidean distance of each vector from its `k` nearest others (Angiulli & Pizzuti, "Fast outlier detection in high
 * dimensional spaces", PKDD 2002, divided by k). With fewer others than that, from all of them; 0 for a vector alone.
 */
const neighborDistances = (neighborhoods: Neighborhood[]): number[] =>
  neighborhoods.map(({ distances }) => mean(distances));

/**
 * Local outlier factor (Breunig, Kriegel, Ng & Sander, "LOF: identifying density-based local outliers", SIGMOD 2000): how much
 * lower the density around a vector is than around its neighbours; about 1 is usual. As in scikit-learn exactly `k` neighbours count, ties at the
 * k-th distance being cut, and `k` is at most the number of others. 1 for a vector alone.
 */
function localOutlierFactors(neighborhoods: Neighborhood[]): number[] {
  const reach = neighborhoods.map(({ distances }) => distances.at(-1) ?? 0);
  const densities = neighborhoods.map(({ places, distances }) => {
    const reachability = distances.map((distance, i) => Math.max(distance, reach[places[i] as number] as number));
    return 1 / (mean(reachability) + epsilon);
  });
  return neighborhoods.map(({ places }, i) => {
    if (places.length === 0) return 1;
    return mean(places.map((place) => densities[place] as number)) / (densities[i] as number);
  });
}
