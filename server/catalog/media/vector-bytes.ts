const scaleBytes = 4;

/**
 * Scalar quantisation: of each vector a scale (little-endian float32), then a signed byte for each dimension. A quarter of the
 * size of float32, and order and recall of hits stay the same (`lab/bench/rerank.ts`).
 */
export function quantize(vectors: Float32Array[]): Buffer {
  return Buffer.concat(
    vectors.flatMap((vector) => {
      // Loops take a tenth of the time of callbacks, and an item has thousands of vectors.
      let largest = 0;
      for (let i = 0; i < vector.length; i++) largest = Math.max(largest, Math.abs(vector[i] ?? 0));
      const bytes = new Int8Array(vector.length);
      for (let i = 0; i < vector.length; i++) bytes[i] = Math.round((127 * (vector[i] ?? 0)) / (largest || 1));
      const scale = Buffer.alloc(scaleBytes);
      scale.writeFloatLE(largest / 127);
      return [scale, Buffer.from(bytes.buffer)];
    }),
  );
}

/** The vectors of these bytes, each of so many dimensions. */
export function dequantize(bytes: Uint8Array, dimensions: number): Float32Array[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const values = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = scaleBytes + dimensions;
  return Array.from({ length: Math.floor(bytes.byteLength / size) }, (_, i) => {
    const scale = view.getFloat32(i * size, true);
    const vector = new Float32Array(dimensions);
    // A loop: a hundred hits have 200,000 numbers.
    for (let j = 0; j < dimensions; j++) vector[j] = scale * (values[i * size + scaleBytes + j] as number);
    return vector;
  });
}
