/**
 * Arrays of numbers in PostgreSQL's binary form, as `array_send` gives and `array_recv` takes them: for thousands of numbers in a parameter or in one
 * row of an answer, where the text form takes several times as long to write and to read on both sides.
 */

/** Identifiers of types, which are the same in each server. */
const [int8, float8] = [20, 701];

/** Bytes of the number of dimensions, whether a value is null, and the type. */
const headerBytes = 12;
/** Bytes of the size of the only dimension and of its first index. */
const dimensionBytes = 8;
/** Bytes of the length of a value, and of a value. */
const [lengthBytes, valueBytes] = [4, 8];

/** A parameter of type `bigint[]`. @param numbers safe integers */
export function packIntegers(numbers: ArrayLike<number>): Buffer {
  const { length } = numbers;
  if (length === 0) return emptyArray();
  const bytes = Buffer.allocUnsafe(headerBytes + dimensionBytes + (lengthBytes + valueBytes) * length);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (const [i, value] of [1, 0, int8, length, 1].entries()) view.setInt32(4 * i, value);
  for (let i = 0, at = headerBytes + dimensionBytes; i < length; i++, at += lengthBytes + valueBytes) {
    const value = numbers[i] as number;
    view.setInt32(at, valueBytes);
    view.setInt32(at + 4, Math.floor(value / 2 ** 32));
    view.setUint32(at + 8, value >>> 0);
  }
  return bytes;
}

function emptyArray(): Buffer {
  const bytes = Buffer.alloc(headerBytes);
  bytes.writeInt32BE(int8, 8);
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
  if (type !== int8 && type !== float8) throw new RangeError(`There is no array of the type ${type} to be read.`);
  const numbers = new Float64Array(view.getInt32(headerBytes));
  for (let i = 0, at = headerBytes + dimensionBytes + lengthBytes; i < numbers.length; i++, at += 12) {
    numbers[i] = type === float8 ? view.getFloat64(at) : view.getInt32(at) * 2 ** 32 + view.getUint32(at + 4);
  }
  return numbers;
}
