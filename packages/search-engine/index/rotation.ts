import { multiplicativeHash } from './multiplicative-hash.ts';

/**
 * A fixed rotation of vectors, before they become integers. Embedders give a few dimensions most of a vector's length, and then eight bits of each
 * dimension say little of the others. A Hadamard transform after a change of signs spreads the length evenly over all dimensions (Ailon & Chazelle,
 * "The Fast Johnson-Lindenstrauss Transform", 2009); dot products stay as they are. Vectors whose length is no power of two are rotated in
 * blocks of the largest one that divides it.
 */
export function createRotation(dimensions: number) {
  const block = dimensions & -dimensions;
  const scale = 1 / Math.sqrt(block);
  // Signs that look random, the same on each machine.
  const signs = Float32Array.from({ length: dimensions }, (_, i) => (multiplicativeHash(i + 1) & 0x10000 ? -1 : 1));
  const rotated = new Float32Array(dimensions);

  /** The transform of each block of `rotated`, in place. */
  function transform(): void {
    for (let half = 1; half < block; half *= 2) {
      for (let first = 0; first < dimensions; first += 2 * half) {
        for (let i = first; i < first + half; i++) {
          const [a, b] = [rotated[i] as number, rotated[i + half] as number];
          rotated[i] = a + b;
          rotated[i + half] = a - b;
        }
      }
    }
  }

  return {
    /** The rotated vector. It is overwritten by the next one. */
    rotate(vector: Float32Array): Float32Array {
      for (let i = 0; i < dimensions; i++) rotated[i] = scale * (signs[i] as number) * (vector[i] as number);
      transform();
      return rotated;
    },

    /** The vector that was rotated. */
    rotateBack(vector: Float32Array): Float32Array {
      rotated.set(vector);
      transform();
      return rotated.map((value, i) => scale * (signs[i] as number) * value);
    },
  };
}
