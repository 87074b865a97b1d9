/**
 * Arithmetic on vectors and samples, for search, highlights, embedders, indexing and benchmarks. What compares thousands of vectors
 * with thousands of others is in `highlights/neighbor-graph.ts`, which multiplies whole matrices.
 */

/**
 * Dot product of two vectors of equal length; for unit vectors the cosine, -1..1 except for rounding. A search computes thousands of them,
 * so there are four sums at once: the processor adds them side by side, where a single sum has to wait for each addition.
 */
export function dot(a: Float32Array, b: Float32Array): number {
  let [first, second, third, fourth] = [0, 0, 0, 0];
  const whole = a.length - (a.length % 4);
  for (let i = 0; i < whole; i += 4) {
    first += a[i]! * b[i]!;
    second += a[i + 1]! * b[i + 1]!;
    third += a[i + 2]! * b[i + 2]!;
    fourth += a[i + 3]! * b[i + 3]!;
  }
  for (let i = whole; i < a.length; i++) first += a[i]! * b[i]!;
  return first + second + third + fourth;
}

/** Euclidean length of a vector. */
export const norm = (vector: Iterable<number>): number => Math.hypot(...vector);

/** The vector of length 1 in the same direction; the zero vector as it is. */
export function toUnit(vector: ArrayLike<number>): Float32Array {
  let squares = 0;
  for (let i = 0; i < vector.length; i++) squares += vector[i]! * vector[i]!;
  const length = Math.sqrt(squares) || 1;
  const unit = new Float32Array(vector.length);
  for (let i = 0; i < unit.length; i++) unit[i] = vector[i]! / length;
  return unit;
}

/** Mean of some vectors of equal length, at length 1. An empty vector when there are none. */
export function meanDirection(vectors: Float32Array[]): Float32Array {
  const sum = new Float32Array(vectors[0]?.length ?? 0);
  for (const vector of vectors) for (let i = 0; i < sum.length; i++) sum[i]! += vector[i]!;
  return toUnit(sum);
}

/** Arithmetic mean; 0 of none. */
export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The middle value, or the mean of the two middle ones; 0 of none. */
export function median(values: ArrayLike<number>): number {
  const sorted = new Float64Array(values).sort();
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}
