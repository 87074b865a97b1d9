import { readFileSync } from 'node:fs';

/**
 * The vectors of an index in WebAssembly memory that threads share, as integers of 16 bits: as large as at half precision, and about as
 * exact, because the components of unit vectors of hundreds of dimensions are small and of a similar size.
 */
export type VectorMemory = { memory: WebAssembly.Memory; dimensions: number };

/** Most vectors that are compared at once. */
export const maxCompared = 2048;

/** Threads that compare at the same time at most: the builder and the search threads. */
export const maxThreads = 64;

/** The length of a unit vector as integers. */
const unit = 32_767;
const pageBytes = 65_536;
/** 16 GiB, the most that V8 allows. Only what is used takes memory. */
const maxPages = 262_144;
/** Of a list of numbers of 32 bits. */
const listBytes = 4 * maxCompared;

/** Bytes of a vector: whole steps of the kernel. */
export const bytesOfVector = (dimensions: number): number => Math.ceil((2 * dimensions) / 64) * 64;
/** Bytes that a thread uses for itself: its query, a list of vectors and the products. */
const threadBytes = (dimensions: number): number => bytesOfVector(dimensions) + 2 * listBytes;
const firstVectorAt = (dimensions: number): number =>
  Math.ceil((maxThreads * threadBytes(dimensions)) / pageBytes) * pageBytes;

/** The most vectors that fit. */
export const maxVectors = (dimensions: number): number =>
  Math.floor((maxPages * pageBytes - firstVectorAt(dimensions)) / bytesOfVector(dimensions));

/** The cosine of two vectors by their dot product as integers. */
export const toSimilarity = (product: number): number => product / unit ** 2;

export function createVectorMemory(dimensions: number): VectorMemory {
  const initial = BigInt(firstVectorAt(dimensions) / pageBytes);
  return {
    memory: new WebAssembly.Memory({ address: 'i64', initial, maximum: BigInt(maxPages), shared: true }),
    dimensions,
  };
}

let kernel: WebAssembly.Module | undefined;

/**
 * The vectors as one thread uses them.
 * @param thread number of the calling thread, below `maxThreads`: each has a query and lists of its own
 */
export function openVectors({ memory, dimensions }: VectorMemory, thread: number) {
  kernel ??= new WebAssembly.Module(readFileSync(new URL('./similarity-kernel.wasm', import.meta.url)));
  const { dotProducts } = new WebAssembly.Instance(kernel, { env: { memory } }).exports as {
    dotProducts: (query: number, list: number, count: number, products: number, first: number, bytes: number) => void;
  };
  const bytes = bytesOfVector(dimensions);
  const first = firstVectorAt(dimensions);
  const queryAt = thread * threadBytes(dimensions);
  const listAt = queryAt + bytes;
  const productsAt = listAt + listBytes;
  const { buffer } = memory;
  const query = new Int16Array(buffer, queryAt, bytes / 2);
  let all = new Int16Array(buffer, 0, buffer.byteLength / 2);
  /** Where a vector begins, in integers. */
  const placeOf = (slot: number): number => (first + slot * bytes) / 2;
  const refresh = () => {
    if (all.length < memory.buffer.byteLength / 2) all = new Int16Array(memory.buffer);
  };
  return {
    /** The slots that `compare` reads. */
    list: new Int32Array(buffer, listAt, maxCompared),
    /** The dot products that `compare` writes; see `toSimilarity`. */
    products: new Int32Array(buffer, productsAt, maxCompared),

    /** Sets the query to a unit vector. */
    setQuery(vector: Float32Array): void {
      for (let i = 0; i < dimensions; i++) query[i] = Math.round(unit * (vector[i] as number));
    },

    /** Sets the query to the vector of a slot. */
    setQueryToSlot(slot: number): void {
      const place = placeOf(slot);
      if (place + query.length > all.length) refresh();
      all.copyWithin(queryAt / 2, place, place + query.length);
    },

    /** Compares the query with the first `count` slots of `list`. */
    compare: (count: number): void => dotProducts(queryAt, listAt, count, productsAt, first, bytes),

    /** Makes room for so many vectors. Throws a `RangeError` when the machine has no more memory. */
    reserve(count: number): void {
      const size = memory.buffer.byteLength;
      const missing = first + count * bytes - size;
      // By an eighth at once: the system gives memory only to what is written.
      const pages = Math.ceil(Math.max(missing, size / 8) / pageBytes);
      if (missing > 0) memory.grow(BigInt(Math.min(pages, maxPages - size / pageBytes)));
      refresh();
    },

    /** Writes a unit vector into a slot; null for a chunk without one, which equals no query. */
    write(slot: number, vector: Float32Array | null): void {
      const place = placeOf(slot);
      if (!vector) all.fill(0, place, place + query.length);
      else for (let i = 0; i < dimensions; i++) all[place + i] = Math.round(unit * (vector[i] as number));
    },

    /** The bytes of `count` vectors from a slot on, in shared memory. */
    bytesOf(slot: number, count: number): Uint8Array {
      refresh();
      return new Uint8Array(memory.buffer, first + slot * bytes, count * bytes);
    },
  };
}
