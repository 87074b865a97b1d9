import { dotProducts, type Matrix } from './dot-products.ts';

/** A chunk that is compared, and its position in its item. */
export type Member = { number: number; media_id: string; position: number };

/** Neighbours stored of each chunk. */
const storedNeighbors = 32;
/** Neighbours that are always exact. As more are stored, some may be deleted before those of a chunk must be searched for again. */
export const exactNeighbors = 20;

/** The exact nearest neighbours of each chunk. A row of 32 places belongs to each number. */
export type NeighborGraph = {
  /** Chunk numbers, rising. */
  numbers: Uint32Array;
  /** Chunk numbers of the neighbours, the nearest first; of equally near ones the lower number; then zeros. */
  neighbors: Uint32Array;
  /** Their Euclidean distances; then Infinity. */
  distances: Float64Array;
  /** By row, the k-th distance: every chunk nearer than this is among the neighbours. */
  kthDistances: Float64Array;
};

/** Reads the vectors of some chunks. Those of chunks that were deleted meanwhile are missing. */
export type ReadVectors = (numbers: number[]) => Promise<Map<number, Float32Array>>;

export const emptyGraph = (): NeighborGraph => createRows(new Uint32Array(0));

const createRows = (numbers: Uint32Array): NeighborGraph => ({
  numbers,
  neighbors: new Uint32Array(numbers.length * storedNeighbors),
  distances: new Float64Array(numbers.length * storedNeighbors).fill(Infinity),
  kthDistances: new Float64Array(numbers.length).fill(Infinity),
});

/** Chunks whose neighbours are searched for at once, and chunks that they are compared with at once. */
const batchSize = 256;
const blockSize = 4096;
/** Products are of single precision. Pairs that may be near enough are computed again in double precision. */
const tolerance = 1e-4;

/**
 * Updates a graph to the chunks that there are now. Only new chunks, and those that lost too many neighbours, are compared with all
 * others, so the cost grows with the number of changes times the number of chunks. Memory holds some thousand vectors at once.
 * Chunks of one item at most two positions apart are no neighbours of each other: what comes right before and after a moment is
 * similar to it, which makes it no less unusual.
 */
export async function updateGraph(graph: NeighborGraph, members: Member[], read: ReadVectors): Promise<NeighborGraph> {
  const present = members.toSorted((a, b) => a.number - b.number);
  const update: Update = { members: present, ...copyRows(graph, present) };
  for (const batch of batchesOf(update.pending, batchSize)) {
    const wanted = await readRows(update, batch, read);
    for (const block of batchesOf([...present.keys()], blockSize)) {
      await compare(update, wanted, await readRows(update, block, read));
    }
  }
  const { numbers, neighbors, distances, kthDistances } = update;
  return { numbers, neighbors, distances, kthDistances };
}

type Update = NeighborGraph & {
  members: Member[];
  /** Places of the members whose neighbours must be searched for. */
  pending: number[];
  /** By place: nothing to do, neighbours lost, or new. */
  state: Uint8Array;
};

const settled = 0;
const incomplete = 1;
const fresh = 2;

/** Copies the rows that are still exact, without deleted neighbours. */
function copyRows(graph: NeighborGraph, members: Member[]): Omit<Update, 'members'> {
  const rows = createRows(Uint32Array.from(members, ({ number }) => number));
  const state = new Uint8Array(members.length).fill(fresh);
  const pending: number[] = [];
  const here = new Set(rows.numbers);
  const earlier = new Map(Array.from(graph.numbers, (number, row) => [number, row]));
  for (const [place, number] of rows.numbers.entries()) {
    const row = earlier.get(number);
    if (row !== undefined) state[place] = copyRow(graph, row, rows, place, here) ? settled : incomplete;
    if (state[place] !== settled) pending.push(place);
  }
  return { ...rows, state, pending };
}

/** Copies a row, unless too few of its neighbours are left. @returns whether it did */
function copyRow(from: NeighborGraph, row: number, to: NeighborGraph, place: number, here: Set<number>): boolean {
  const left: number[] = [];
  for (let at = row * storedNeighbors; at < (row + 1) * storedNeighbors && from.neighbors[at] !== 0; at++) {
    if (here.has(from.neighbors[at] as number)) left.push(at);
  }
  const kthDistance = from.kthDistances[row] as number;
  if (left.length < exactNeighbors && kthDistance < Infinity) return false;
  for (const [i, at] of left.entries()) {
    to.neighbors[place * storedNeighbors + i] = from.neighbors[at] as number;
    to.distances[place * storedNeighbors + i] = from.distances[at] as number;
  }
  to.kthDistances[place] = kthDistance;
  return true;
}

/** Vectors of some members. */
type Rows = Matrix & { places: number[]; dimensions: number; squares: Float64Array };

async function readRows({ numbers }: Update, wanted: number[], read: ReadVectors): Promise<Rows> {
  const vectors = await read(wanted.map((place) => numbers[place] as number));
  const places = wanted.filter((place) => vectors.has(numbers[place] as number));
  const dimensions = vectors.values().next().value?.length ?? 0;
  const values = new Float32Array(places.length * dimensions);
  for (const [row, place] of places.entries()) {
    values.set(vectors.get(numbers[place] as number) as Float32Array, row * dimensions);
  }
  const squares = new Float64Array(places.length);
  for (let i = 0; i < values.length; i++) squares[Math.floor(i / dimensions)]! += values[i]! ** 2;
  return { places, rows: places.length, values, dimensions, squares };
}

/** Inserts pairs that are near enough into the rows of both. */
async function compare(update: Update, wanted: Rows, others: Rows): Promise<void> {
  if (wanted.rows === 0 || others.rows === 0) return;
  const { state } = update;
  const products = await dotProducts(others, wanted, wanted.dimensions);
  // |a - b|² = |a|² + |b|² - 2ab is below a limit if the product reaches half of both squares minus half of the limit.
  const halves = wanted.squares.map((square) => (square * (1 - tolerance)) / 2);
  const minProducts = Float64Array.from(
    wanted.places,
    (place, i) => halves[i]! - squaredKthDistance(update, place) / 2,
  );
  // Only new chunks are inserted into other rows: those that lost neighbours are there already.
  const givenHalves = halves.map((half, i) => (state[wanted.places[i] as number] === fresh ? half : Infinity));
  for (let j = 0; j < others.rows; j++) {
    const other = others.places[j] as number;
    const half = (others.squares[j]! * (1 - tolerance)) / 2;
    // A pending one searches for its own neighbours.
    let minProduct = state[other] === settled ? half - squaredKthDistance(update, other) / 2 : Infinity;
    for (let i = 0, at = j * wanted.rows; i < wanted.rows; i++, at++) {
      const product = products[at]!;
      const takes = product >= minProducts[i]! + half;
      const gives = product >= minProduct + givenHalves[i]!;
      if (!takes && !gives) continue;
      const place = wanted.places[i] as number;
      if (place === other || areRelated(update, place, other)) continue;
      const distance = Math.sqrt(squaredDistance(wanted, i, others, j));
      if (takes && insertNeighbor(update, place, other, distance))
        minProducts[i] = halves[i]! - squaredKthDistance(update, place) / 2;
      if (gives && insertNeighbor(update, other, place, distance))
        minProduct = half - squaredKthDistance(update, other) / 2;
    }
  }
}

/** The squared distance up to which a chunk may be inserted into a row. */
const squaredKthDistance = ({ kthDistances }: Update, place: number): number => kthDistances[place]! ** 2;

function areRelated({ members }: Update, a: number, b: number): boolean {
  const [left, right] = [members[a] as Member, members[b] as Member];
  return Math.abs(left.position - right.position) <= 2 && left.media_id === right.media_id;
}

function squaredDistance(a: Rows, i: number, b: Rows, j: number): number {
  let sum = 0;
  for (let d = 0; d < a.dimensions; d++) {
    const difference = a.values[i * a.dimensions + d]! - b.values[j * a.dimensions + d]!;
    sum += difference * difference;
  }
  return sum;
}

/** Inserts a neighbour at its place in a row. @returns whether it was near enough */
function insertNeighbor(
  { numbers, neighbors, distances, kthDistances, state }: Update,
  place: number,
  other: number,
  distance: number,
): boolean {
  const [first, last] = [place * storedNeighbors, place * storedNeighbors + storedNeighbors - 1];
  const number = numbers[other] as number;
  const before = (at: number) =>
    distance < distances[at]! || (distance === distances[at]! && (number < neighbors[at]! || neighbors[at] === 0));
  // A copied row may lack others at exactly its k-th distance. They all have lower numbers than a new chunk.
  if (state[place] === settled && distance >= kthDistances[place]!) return false;
  if (!before(last)) return false;
  let at = last;
  for (; at > first && before(at - 1); at--) {
    neighbors[at] = neighbors[at - 1]!;
    distances[at] = distances[at - 1]!;
  }
  neighbors[at] = number;
  distances[at] = distance;
  if (neighbors[last] !== 0) kthDistances[place] = distances[last]!;
  return true;
}

function* batchesOf<Value>(values: Value[], size: number): Generator<Value[]> {
  for (let first = 0; first < values.length; first += size) yield values.slice(first, first + size);
}

/** Bytes of vectors that are cached. */
const maxCachedBytes = 2 ** 28;

/** Reads each vector only once, as long as the cache has room. */
export function cacheVectors(read: ReadVectors): ReadVectors {
  const known = new Map<number, Float32Array>();
  let bytes = 0;
  return async (numbers) => {
    const unknown = numbers.filter((number) => !known.has(number));
    const vectors = unknown.length > 0 ? await read(unknown) : new Map<number, Float32Array>();
    for (const [number, vector] of vectors) {
      if (bytes + vector.byteLength > maxCachedBytes) break;
      known.set(number, vector);
      bytes += vector.byteLength;
    }
    return new Map(
      numbers.flatMap((number) => {
        const vector = known.get(number) ?? vectors.get(number);
        return vector ? [[number, vector]] : [];
      }),
    );
  };
}
