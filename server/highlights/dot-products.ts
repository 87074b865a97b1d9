/** Below so many multiplications loading a library costs more than it saves. */
const minLibraryMultiplications = 2 ** 24;

/** Vectors of equal length, one after another. */
export type Matrix = { rows: number; values: Float32Array };

/**
 * Dot products of each row of `a` with each row of `b`, row by row of `a`. Many at once go through the matrix product of ONNX Runtime,
 * which does some twenty times as many a second as a loop here.
 */
export async function dotProducts(a: Matrix, b: Matrix, dimensions: number): Promise<Float32Array> {
  if (a.rows * b.rows * dimensions < minLibraryMultiplications) return multiply(a, b, dimensions);
  const { matmul, Tensor } = await import('@huggingface/transformers');
  const product = await matmul(
    new Tensor('float32', a.values, [a.rows, dimensions]),
    new Tensor('float32', transpose(b, dimensions), [dimensions, b.rows]),
  );
  return product.data as Float32Array;
}

function multiply(a: Matrix, b: Matrix, dimensions: number): Float32Array {
  const products = new Float32Array(a.rows * b.rows);
  for (let i = 0; i < a.rows; i++) {
    for (let j = 0; j < b.rows; j++) {
      let sum = 0;
      for (let d = 0; d < dimensions; d++) sum += a.values[i * dimensions + d]! * b.values[j * dimensions + d]!;
      products[i * b.rows + j] = sum;
    }
  }
  return products;
}

function transpose({ rows, values }: Matrix, dimensions: number): Float32Array {
  const transposed = new Float32Array(values.length);
  for (let i = 0; i < rows; i++) {
    for (let d = 0; d < dimensions; d++) transposed[d * rows + i] = values[i * dimensions + d]!;
  }
  return transposed;
}
