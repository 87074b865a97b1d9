import type { OutlierMethod } from '../../contract/search.ts';

type Vector = ArrayLike<number>;
/** The nearest others of one vector, the nearest first; of equally near ones the first in the list. */
type Neighborhood = { places: number[]; distances: number[] };

/** Neighbours looked at by each method. */
export const defaultNeighbors: Record<OutlierMethod, number> = { centroid: 0, knn: 5, lof: 20 };

/** Keeps a density finite where all neighbours are copies, as scikit-learn does. */
const epsilon = 1e-10;

/** Tells whether two vectors, by their places in the list, belong together and so are no neighbours of each other. */
type Related = (a: number, b: number) => boolean;

const unrelated: Related = () => false;

/**
 * Scores each vector by how unusual it is among all; higher is more unusual.
 * @param related pairs that do not count as neighbours, such as a moment of a video and the next; none unless given
 */
export function scoreOutliers(
  method: OutlierMethod,
  vectors: Vector[],
  neighbors = defaultNeighbors[method],
  related = unrelated,
): number[] {
  if (method === 'centroid') return centroidDistances(vectors);
  const neighborhoods = findNeighbors(vectors, neighbors, related);
  return method === 'knn' ? neighborDistances(neighborhoods) : localOutlierFactors(neighborhoods);
}

/** Euclidean distance of each vector from the mean of all. */
function centroidDistances(vectors: Vector[]): number[] {
  const first = vectors[0];
  if (!first) return [];
  const mean = new Float64Array(first.length);
  for (const vector of vectors)
    for (let i = 0; i < mean.length; i++) mean[i]! += (vector[i] as number) / vectors.length;
  return vectors.map((vector) => Math.sqrt(squaredDistance(vector, mean)));
}

/**
 * Mean Euclidean distance of each vector from its `k` nearest others (Angiulli & Pizzuti, "Fast outlier detection in high
 * dimensional spaces", PKDD 2002, divided by k). With fewer others than that, from all of them; 0 for a vector alone.
 */
const neighborDistances = (neighborhoods: Neighborhood[]): number[] =>
  neighborhoods.map(({ distances }) => meanOf(distances));

/**
 * Local outlier factor (Breunig, Kriegel, Ng & Sander, "LOF: identifying density-based local outliers", SIGMOD 2000): how much
 * sparser a vector lies than its neighbours; about 1 is usual. As in scikit-learn exactly `k` neighbours count, ties at the
 * k-th distance being cut, and `k` is at most the number of others. 1 for a vector alone.
 */
function localOutlierFactors(neighborhoods: Neighborhood[]): number[] {
  const reach = neighborhoods.map(({ distances }) => distances.at(-1) ?? 0);
  const densities = neighborhoods.map(({ places, distances }) => {
    const reachability = distances.map((distance, i) => Math.max(distance, reach[places[i] as number] as number));
    return 1 / (meanOf(reachability) + epsilon);
  });
  return neighborhoods.map(({ places }, i) => {
    if (places.length === 0) return 1;
    return meanOf(places.map((place) => densities[place] as number)) / (densities[i] as number);
  });
}

/** Exact nearest neighbours by comparing all pairs once. */
function findNeighbors(vectors: Vector[], k: number, related: Related): Neighborhood[] {
  const count = Math.min(k, vectors.length - 1);
  const found: Neighborhood[] = vectors.map(() => ({ places: [], distances: [] }));
  for (let i = 0; i < vectors.length; i++) {
    for (let j = i + 1; j < vectors.length; j++) {
      if (related(i, j)) continue;
      const distance = squaredDistance(vectors[i] as Vector, vectors[j] as Vector);
      insert(found[i] as Neighborhood, j, distance, count);
      insert(found[j] as Neighborhood, i, distance, count);
    }
  }
  for (const { distances } of found) for (const [i, squared] of distances.entries()) distances[i] = Math.sqrt(squared);
  return found;
}

/** Keeps the `count` nearest in order. Places come in rising, so of equal distances the first stands. */
function insert({ places, distances }: Neighborhood, place: number, distance: number, count: number): void {
  if (distances.length === count && distance >= (distances[count - 1] as number)) return;
  let at = distances.length;
  while (at > 0 && (distances[at - 1] as number) > distance) at -= 1;
  distances.splice(at, 0, distance);
  places.splice(at, 0, place);
  if (distances.length > count) {
    distances.pop();
    places.pop();
  }
}

function squaredDistance(a: Vector, b: Vector): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) {
    const difference = (a[i] as number) - (b[i] as number);
    sum += difference * difference;
  }
  return sum;
}

const meanOf = (values: number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
