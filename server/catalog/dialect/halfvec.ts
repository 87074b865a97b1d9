/**
 * Vectors as pgvector's type `halfvec` has them: IEEE 754 binary16, half the size of float32. A component of 2^-14 and more keeps 11 significant
 * bits. So the cosine of two unit vectors changes by 2^-9 at most, and in vectors of images by less than 0.0002 (a model of 512 dimensions).
 */

/** Five digits tell any two numbers of 11 bits apart. */
const digits = 5;

/** Bytes before the components in the binary form: the number of dimensions, and two that are not used. */
const headerBytes = 4;

/**
 * The text form, for a parameter of type `halfvec`: each component rounded to the nearest float16, ties to even.
 * @param vector at least one component
 * @throws RangeError where a component is not a number, is infinite, or is more than 65,504 by magnitude
 */
export function toHalfvec(vector: Float32Array): string {
  const halves = new Float16Array(vector);
  const components = Array.from(halves, (half, i) => {
    if (!Number.isFinite(half)) throw new RangeError(`A vector cannot be stored: its component ${i} is ${vector[i]}.`);
    return half.toPrecision(digits);
  });
  return `[${components.join(',')}]`;
}

/** Bytes of the binary form. */
export const halfvecBytes = (dimensions: number): number => headerBytes + 2 * dimensions;

/** The exponent of a float16 that is infinite or no number. */
const infinity = 0x7c00;

/**
 * Writes the binary form, as `halfvec_recv` takes it: each component rounded to the nearest float16, ties to even.
 * @throws RangeError where a component is not a number, is infinite, or is more than 65,504 by magnitude
 */
export function writeHalfvec(into: Buffer, offset: number, vector: Float32Array): void {
  into.writeUInt32BE(vector.length * 2 ** 16, offset);
  const bits = new Uint16Array(new Float16Array(vector).buffer);
  const begin = offset + headerBytes;
  for (let i = 0; i < bits.length; i++) {
    const half = bits[i] as number;
    if ((half & infinity) === infinity)
      throw new RangeError(`A vector cannot be stored or searched by: its component ${i} is ${vector[i]}.`);
    into[begin + 2 * i] = half >>> 8;
    into[begin + 2 * i + 1] = half & 0xff;
  }
}

/**
 * The binary form, for a parameter of type `halfvec`: a quarter of the length of the text form, written and read without a number as text.
 * Throws as `writeHalfvec` does.
 */
export function toHalfvecBytes(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(halfvecBytes(vector.length));
  writeHalfvec(bytes, 0, vector);
  return bytes;
}

/**
 * The vector of its binary form, which `halfvec_send(vector)` gives: big-endian, a header of four bytes, then two for each component.
 * @throws RangeError where the bytes end before the last component
 */
export function fromHalfvec(bytes: Uint8Array): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const vector = new Float32Array(view.getUint16(0));
  for (let i = 0; i < vector.length; i++) vector[i] = view.getFloat16(headerBytes + 2 * i);
  return vector;
}
