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

/**
 * The binary form, for a parameter of type `halfvec`: as the text form, a quarter of its length, and written and read without a number as text.
 * @throws RangeError where a component is not a number, is infinite, or is more than 65,504 by magnitude
 */
export function toHalfvecBytes(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(headerBytes + 2 * vector.length);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  view.setUint16(0, vector.length);
  for (const [i, component] of vector.entries()) {
    view.setFloat16(headerBytes + 2 * i, component);
    if (!Number.isFinite(view.getFloat16(headerBytes + 2 * i)))
      throw new RangeError(`A vector cannot be searched by: its component ${i} is ${component}.`);
  }
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
