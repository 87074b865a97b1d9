import { readFileSync } from 'node:fs';
import { createRotation } from './rotation.ts';
import { blockBytes, blockSlots, largestOf, offset, openPlanes, planeBytes } from './vector-planes.ts';

/**
 * The vectors of an index in WebAssembly memory that threads share. A vector is rotated (`rotation.ts`) and becomes integers of 15 bits in units of
 * its own largest component. Their high bytes, seven bits, and their low bytes lie apart. The graph is searched and built by the high bytes
 * alone (`estimate`): half of what would be read otherwise, and the kernel multiplies sixteen at once. What a search returns is compared by
 * both (`compare`), which is more exact than half precision at the same size. 256 slots are a block of high bytes, then low bytes, then scales
 * (32-bit floats, 0 for a slot without a vector), so one memory grows by whole blocks, and is saved as it is.
 */
export type VectorMemory = { memory: WebAssembly.Memory; dimensions: number };

/** Most vectors that are compared at once. */
export const maxCompared = 2048;

/** Threads that compare at the same time at most: the builder, the search threads and those that link. */
export const maxThreads = 64;

/** The largest component of a query as an integer of 16 bits. */
const largestOfQuery = 32_767;
const pageBytes = 65_536;
/** 16 GiB, the most that V8 allows. Only what is used takes memory. */
const maxPages = 262_144;
/** Of a list of numbers of 32 bits. */
const listBytes = 4 * maxCompared;

/** Bytes that a thread uses for itself: its query in 8 and 16 bits, a list of vectors and their similarities. */
const threadBytes = (dimensions: number): number => 3 * planeBytes(dimensions) + 2 * listBytes;
const firstBlockAt = (dimensions: number): number =>
  Math.ceil((maxThreads * threadBytes(dimensions)) / pageBytes) * pageBytes;

/** The most vectors that fit. */
export const maxVectors = (dimensions: number): number =>
  Math.floor((maxPages * pageBytes - firstBlockAt(dimensions)) / blockBytes(dimensions)) * blockSlots;

export function createVectorMemory(dimensions: number): VectorMemory {
  const initial = BigInt(firstBlockAt(dimensions) / pageBytes);
  return {
    memory: new WebAssembly.Memory({ address: 'i64', initial, maximum: BigInt(maxPages), shared: true }),
    dimensions,
  };
}

type Place = [query: number, list: number, count: number, similarities: number, first: number, bytes: number];

type Kernel = {
  estimate: (...parts: [...Place, bias: number, factor: number]) => void;
  compare: (...parts: [...Place, bias: number, factor: number]) => void;
  takeQuery: (query: number, list: number, first: number, bytes: number) => number;
  scaleOf: (list: number, first: number, bytes: number) => number;
};

let kernel: WebAssembly.Module | undefined;

/** Writes a vector as integers. @returns what high bytes add to its products by not being negative */
function setIntegers(integers: Int8Array | Int16Array, vector: Float32Array, unit: number): number {
  let sum = 0;
  for (let i = 0; i < vector.length; i++) {
    const value = Math.round((vector[i] as number) / unit);
    integers[i] = value;
    sum += value;
  }
  return offset * sum;
}

/**
 * The vectors as one thread uses them.
 * @param thread number of the calling thread, below `maxThreads`: each has a query and lists of its own
 */
export function openVectors({ memory, dimensions }: VectorMemory, thread: number) {
  kernel ??= new WebAssembly.Module(readFileSync(new URL('./similarity-kernel.wasm', import.meta.url)));
  const ofKernel = new WebAssembly.Instance(kernel, { env: { memory } }).exports as Kernel;
  const rotation = createRotation(dimensions);
  const bytes = planeBytes(dimensions);
  const first = firstBlockAt(dimensions);
  const planes = openPlanes(memory, dimensions, first);
  const roughAt = thread * threadBytes(dimensions);
  const queryAt = roughAt + bytes;
  const listAt = queryAt + 2 * bytes;
  const similaritiesAt = listAt + listBytes;
  const { buffer } = memory;
  const rough = new Int8Array(buffer, roughAt, bytes);
  const query = new Int16Array(buffer, queryAt, bytes);
  const list = new Int32Array(buffer, listAt, maxCompared);
  const bias = { rough: 0, exact: 0 };
  /** What 1 stands for in the query of either kind. */
  let roughUnit = 0;
  let exactUnit = 0;

  /** Sets the exact query to a rotated unit vector, whose largest component is given. */
  function setExact(rotated: Float32Array, most: number): void {
    // No longer than this: its sum with high bytes stays below 2^30 (Cauchy-Schwarz).
    exactUnit = Math.max(most / largestOfQuery, Math.sqrt(dimensions) / 2 ** 23);
    bias.exact = setIntegers(query, rotated, exactUnit);
  }

  return {
    /** The slots that `estimate` and `compare` read. */
    list,
    /** The similarities that they write: cosines, except for rounding. */
    similarities: new Float32Array(buffer, similaritiesAt, maxCompared),

    /** Sets the query to a unit vector. */
    setQuery(vector: Float32Array): void {
      const rotated = rotation.rotate(vector);
      const most = largestOf(rotated);
      setExact(rotated, most);
      roughUnit = most / 127 || 1;
      bias.rough = setIntegers(rough, rotated, roughUnit);
    },

    /** Sets the query to the vector of a slot. */
    setQueryToSlot(slot: number): void {
      this.setRoughQueryToSlot(slot);
      const rotated = planes.read(slot);
      setExact(rotated, largestOf(rotated));
    },

    /** Sets the query of `estimate` alone to the vector of a slot. Uses the first place of the list. */
    setRoughQueryToSlot(slot: number): void {
      list[0] = slot;
      bias.rough = ofKernel.takeQuery(roughAt, listAt, first, bytes);
      roughUnit = 256 * ofKernel.scaleOf(listAt, first, bytes);
    },

    /** Compares the query with the first `count` slots of `list`, by about a thousandth: as quickly as possible. */
    estimate: (count: number): void =>
      ofKernel.estimate(roughAt, listAt, count, similaritiesAt, first, bytes, bias.rough, 256 * roughUnit),

    /** Compares the query with the first `count` slots of `list` exactly, except for rounding to 15 bits. */
    compare: (count: number): void =>
      ofKernel.compare(queryAt, listAt, count, similaritiesAt, first, bytes, bias.exact, exactUnit),

    /** Whether two slots hold the same vector. */
    isSame: (slot: number, other: number): boolean => planes.isSame(slot, other),

    /** Makes room for so many vectors. Throws a `RangeError` when the machine has no more memory. */
    reserve(count: number): void {
      const size = memory.buffer.byteLength;
      const missing = first + Math.ceil(count / blockSlots) * blockBytes(dimensions) - size;
      // By an eighth at once: the system gives memory only to what is written.
      const pages = Math.ceil(Math.max(missing, size / 8) / pageBytes);
      if (missing > 0) memory.grow(BigInt(Math.min(pages, maxPages - size / pageBytes)));
    },

    /** Writes a unit vector into a slot; null for a chunk without one, which equals no query. */
    write: (slot: number, vector: Float32Array | null): void => planes.write(slot, vector && rotation.rotate(vector)),

    /** The vector of a slot, at the exactness in which it is held. */
    read: (slot: number): Float32Array => rotation.rotateBack(planes.read(slot)),

    /** The bytes of the first `count` vectors, in shared memory: whole blocks, with what the last one holds of later slots. */
    bytesOf: (count: number): Uint8Array =>
      new Uint8Array(memory.buffer, first, Math.ceil(count / blockSlots) * blockBytes(dimensions)),
  };
}
