import { dotProducts, type Matrix } from './dot-products.ts';

/** A chunk that takes part, and where it stands in its item. */
export type Member = { number: number; media_id: string; position: number };

/** Neighbours kept of each chunk. */
const storedNeighbors = 32;
/** Neighbours that are always right. Keeping more than these means that some may go before a chunk's have to be found anew. */
export const exactNeighbors = 20;

/** The nearest others of each chunk, exact. A row of 32 places belongs to each number. */
export type NeighborGraph = {
  /** Chunk numbers, rising. */
  numbers: Uint32Array;
  /** Chunk numbers of the neighbours, the nearest first; of equally near ones the lower number; then zeros. */
  neighbors: Uint32Array;
  /** Their Euclidean distances; then Infinity. */
  distances: Float64Array;
  /** By row: whatever is nearer than this is among the neighbours. */
  horizons: Float64Array;
};

/** Reads the vectors of some chunks; what is gone by then is missing. */
export type ReadVectors = (numbers: number[]) => Promise<Map<number, Float32Array>>;

export const emptyGraph = (): NeighborGraph => createRows(new Uint32Array(0));

const createRows = (numbers: Uint32Array): NeighborGraph => ({
  numbers,
  neighbors: new Uint32Array(numbers.length * storedNeighbors),
  distances: new Float64Array(numbers.length * storedNeighbors).fill(Infinity),
  horizons: new Float64Array(numbers.length).fill(Infinity),
});

/** Chunks whose neighbours are looked for at once, and chunks that they are compared with at once. */
const batchSize = 256;
const blockSize = 4096;
/** Products are of single precision: pairs that may be near enough are computed again, exactly. */
const tolerance = 1e-4;

/**
 * Brings a graph up to date with the chunks that there are now. Only what came, and what lost too many neighbours, is compared with all
 * others; so the cost grows with the number of changes times the number of chunks, and memory holds some thousand vectors at once.
 * Chunks of one item no more than two positions apart are no neighbours of each other: what comes right before and after a moment is
 * like it, and makes it no less unusual.
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
  const { numbers, neighbors, distances, horizons } = update;
  return { numbers, neighbors, distances, horizons };
}

type Update = NeighborGraph & {
  members: Member[];
  /** Places of the members whose neighbours have to be found. */
  pending: number[];
  /** By place: nothing to do, neighbours lost, or new. */
  state: Uint8Array;
};

const settled = 0;
const incomplete = 1;
const fresh = 2;

/** Takes over the rows that still hold, without the neighbours that went. */
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

/** Copies a row; not when too few of its neighbours are left. Returns whether it did. */
function copyRow(from: NeighborGraph, row: number, to: NeighborGraph, place: number, here: Set<number>): boolean {
  const left: number[] = [];
  for (let at = row * storedNeighbors; at < (row + 1) * storedNeighbors && from.neighbors[at] !== 0; at++) {
    if (here.has(from.neighbors[at] as number)) left.push(at);
  }
  const kthDistance = from.horizons[row] as number;
  if (left.length < exactNeighbors && kthDistance < Infinity) return false;
  for (const [i, at] of left.entries()) {
    to.neighbors[place * storedNeighbors + i] = from.neighbors[at] as number;
    to.distances[place * storedNeighbors + i] = from.distances[at] as number;
  }
  to.horizons[place] = kthDistance;
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

/** Enters what is near enough into the rows of both. */
async function compare(update: Update, wanted: Rows, others: Rows): Promise<void> {
  if (wanted.rows === 0 || others.rows === 0) return;
  const { state } = update;
  const products = await dotProducts(others, wanted, wanted.dimensions);
  // |a - b|² = |a|² + |b|² - 2ab is within a limit where the product reaches a bar: half of both squares less half of the limit.
  const halves = wanted.squares.map((square) => (square * (1 - tolerance)) / 2);
  const minProducts = Float64Array.from(
    wanted.places,
    (place, i) => halves[i]! - squaredKthDistance(update, place) / 2,
  );
  // Only what is new is entered elsewhere: what lost neighbours stands there already.
  const given = halves.map((half, i) => (state[wanted.places[i] as number] === fresh ? half : Infinity));
  for (let j = 0; j < others.rows; j++) {
    const other = others.places[j] as number;
    const half = (others.squares[j]! * (1 - tolerance)) / 2;
    // What is pending itself looks for its own.
    let bar = state[other] === settled ? half - squaredKthDistance(update, other) / 2 : Infinity;
    for (let i = 0, at = j * wanted.rows; i < wanted.rows; i++, at++) {
      const product = products[at]!;
      const takes = product >= minProducts[i]! + half;
      const gives = product >= bar + given[i]!;
      if (!takes && !gives) continue;
      const place = wanted.places[i] as number;
      if (place === other || areRelated(update, place, other)) continue;
      const distance = Math.sqrt(squaredDistance(wanted, i, others, j));
      if (takes && insertNeighbor(update, place, other, distance))
        minProducts[i] = halves[i]! - squaredKthDistance(update, place) / 2;
      if (gives && insertNeighbor(update, other, place, distance)) bar = half - squaredKthDistance(update, other) / 2;
    }
  }
}

/** The squared distance up to which a chunk may be entered into a row. */
const squaredKthDistance = ({ horizons }: Update, place: number): number => horizons[place]! ** 2;

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

/** Enters a neighbour at its place in a row. Returns whether it was near enough. */
function insertNeighbor(
  { numbers, neighbors, distances, horizons, state }: Update,
  place: number,
  other: number,
  distance: number,
): boolean {
  const [first, last] = [place * storedNeighbors, place * storedNeighbors + storedNeighbors - 1];
  const number = numbers[other] as number;
  const before = (at: number) =>
    distance < distances[at]! || (distance === distances[at]! && (number < neighbors[at]! || neighbors[at] === 0));
  // A row that was taken over may lack others at its horizon, all of which have lower numbers than what is new.
  if (state[place] === settled && distance >= horizons[place]!) return false;
  if (!before(last)) return false;
  let at = last;
  for (; at > first && before(at - 1); at--) {
    neighbors[at] = neighbors[at - 1]!;
    distances[at] = distances[at - 1]!;
  }
  neighbors[at] = number;
  distances[at] = distance;
  if (neighbors[last] !== 0) horizons[place] = distances[last]!;
  return true;
}

function* batchesOf<Value>(values: Value[], size: number): Generator<Value[]> {
  for (let first = 0; first < values.length; first += size) yield values.slice(first, first + size);
}
