import { halfvecBytes, writeHalfvec } from './halfvec.ts';

/**
 * Arrays in PostgreSQL's binary form (`array_recv`, `array_send`): a quarter of the text form, which both sides would have to write and read digit by
 * digit. The driver sends a buffer as it is. Arrays of bytes and vectors are made by the connection (`postgres/pool.ts`), which knows the number
 * of the element's type.
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

/** Vectors as pgvector's `halfvec_recv` takes them. Encoding them throws as `writeHalfvec` does. */
export const arrayOfHalfvecs = (vectors: readonly Float32Array[]): BinaryArray =>
  mark({
    element: 'halfvec',
    sizes: vectors.map(({ length }) => halfvecBytes(length)),
    write: (into, offset, place) => writeHalfvec(into, offset, vectors[place] as Float32Array),
  });

/** Of an array: dimensions, flags, type of the elements, length and first index. An empty one has no dimension, so it ends behind the type. */
const [headerBytes, emptyBytes] = [20, 12];
/** Before each element: its length. */
const lengthBytes = 4;

function writeHeader(bytes: Buffer, elementType: number, length: number): void {
  for (const [i, value] of [length === 0 ? 0 : 1, 0, elementType].entries()) bytes.writeUInt32BE(value, 4 * i);
  if (length === 0) return;
  bytes.writeInt32BE(length, 12);
  bytes.writeInt32BE(1, 16);
}

/** @param elementType number of the type of the elements in the database */
export function encodeArray({ sizes, write }: BinaryArray, elementType: number): Buffer {
  const { length } = sizes;
  const bytes = Buffer.allocUnsafe(
    length === 0 ? emptyBytes : sizes.reduce((sum, size) => sum + lengthBytes + size, headerBytes),
  );
  writeHeader(bytes, elementType, length);
  let offset = headerBytes;
  for (const [place, size] of sizes.entries()) {
    bytes.writeInt32BE(size, offset);
    write(bytes, offset + lengthBytes, place);
    offset += lengthBytes + size;
  }
  return bytes;
}

/** The numbers of the types of numbers, which take so many bytes each. */
const [int8Type, float8Type, numberBytes] = [20, 701, 8];

/**
 * A parameter of type `bigint[]`, whose element needs no look into the database.
 * @param numbers safe integers
 */
export function packIntegers(numbers: ArrayLike<number>): Buffer {
  const { length } = numbers;
  const bytes = Buffer.allocUnsafe(length === 0 ? emptyBytes : headerBytes + (lengthBytes + numberBytes) * length);
  writeHeader(bytes, int8Type, length);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let i = 0, at = headerBytes; i < length; i++, at += lengthBytes + numberBytes) {
    const value = numbers[i] as number;
    view.setInt32(at, numberBytes);
    view.setInt32(at + 4, Math.floor(value / 2 ** 32));
    view.setUint32(at + 8, value >>> 0);
  }
  return bytes;
}

/**
 * The numbers of `array_send` of an array of `bigint` or `double precision` without nulls; none of null, which is what `array_agg` of no row gives.
 * @throws RangeError for an array of another type
 */
export function unpackNumbers(bytes: Uint8Array | null): Float64Array {
  if (bytes === null) return new Float64Array();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getInt32(0) === 0) return new Float64Array();
  const type = view.getInt32(8);
  if (type !== int8Type && type !== float8Type)
    throw new RangeError(`There is no array of the type ${type} to be read.`);
  const numbers = new Float64Array(view.getInt32(12));
  for (let i = 0, at = headerBytes + lengthBytes; i < numbers.length; i++, at += lengthBytes + numberBytes) {
    numbers[i] = type === float8Type ? view.getFloat64(at) : view.getInt32(at) * 2 ** 32 + view.getUint32(at + 4);
  }
  return numbers;
}
