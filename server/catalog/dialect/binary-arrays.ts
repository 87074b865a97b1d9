/**
 * Parameters that are arrays of bytes or vectors, in PostgreSQL's binary form (`array_recv`): a quarter of the text form, which both sides would
 * have to write and read digit by digit. The driver sends a buffer as it is, and the connection, which knows the number of the element's type,
 * makes it (`postgres/pool.ts`).
 */

/** An array of one dimension without nulls, of elements of one type. */
export type BinaryArray = {
  /** The type of the elements; `halfvec` has another number in each database. */
  readonly element: 'bytea' | 'halfvec';
  /** Of each element, bytes. */
  readonly sizes: readonly number[];
  /** Writes an element, of its size. */
  write: (into: Buffer, offset: number, place: number) => void;
};

const marked = new WeakSet<object>();

function mark(array: BinaryArray): BinaryArray {
  marked.add(array);
  return array;
}

export const isBinaryArray = (value: unknown): value is BinaryArray =>
  typeof value === 'object' && value !== null && marked.has(value);

/** The numbers of PostgreSQL's own types. */
export const byteaType = 17;

export const arrayOfBytes = (parts: readonly Uint8Array[]): BinaryArray =>
  mark({
    element: 'bytea',
    sizes: parts.map(({ length }) => length),
    write: (into, offset, place) => into.set(parts[place] as Uint8Array, offset),
  });

/** Before the components of a vector: the number of dimensions, and two bytes that are not used. */
const vectorHeaderBytes = 4;

/**
 * Vectors as pgvector's `halfvec_recv` takes them, each component rounded to the nearest float16, ties to even.
 * @throws RangeError where a component is not a number, is infinite, or is more than 65,504 by magnitude
 */
export function arrayOfHalfvecs(vectors: readonly Float32Array[]): BinaryArray {
  return mark({
    element: 'halfvec',
    sizes: vectors.map(({ length }) => vectorHeaderBytes + 2 * length),
    write(into, offset, place) {
      const vector = vectors[place] as Float32Array;
      into.writeUInt32BE(vector.length * 2 ** 16, offset);
      const halves = new Float16Array(vector);
      const bits = new Uint16Array(halves.buffer);
      const begin = offset + vectorHeaderBytes;
      for (let i = 0; i < bits.length; i++) {
        const half = bits[i] as number;
        if ((half & infinity) === infinity)
          throw new RangeError(`A vector cannot be stored: its component ${i} is ${vector[i]}.`);
        into[begin + 2 * i] = half >>> 8;
        into[begin + 2 * i + 1] = half & 0xff;
      }
    },
  });
}

/** The exponent of a float16 that is infinite or no number. */
const infinity = 0x7c00;

/** Of an array: dimensions, flags, type of the elements, length and first index. */
const arrayHeaderBytes = 20;

/** @param elementType number of the type of the elements in the database */
export function encodeArray({ sizes, write }: BinaryArray, elementType: number): Buffer {
  const length = sizes.reduce((sum, size) => sum + 4 + size, arrayHeaderBytes);
  const bytes = Buffer.allocUnsafe(length);
  bytes.writeInt32BE(1, 0);
  bytes.writeInt32BE(0, 4);
  bytes.writeUInt32BE(elementType, 8);
  bytes.writeInt32BE(sizes.length, 12);
  bytes.writeInt32BE(1, 16);
  let offset = arrayHeaderBytes;
  for (const [place, size] of sizes.entries()) {
    bytes.writeInt32BE(size, offset);
    write(bytes, offset + 4, place);
    offset += 4 + size;
  }
  return bytes;
}
