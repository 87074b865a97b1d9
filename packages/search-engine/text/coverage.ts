/** The share of a query that the terms of a mask hold, 0..1. */
export type Coverage = {
  of: (mask: number) => number;
  /** The same for masks of the first eight terms. A term that does not exist has no entry. */
  byLowBits: Float64Array;
};

/**
 * Adds up the weights of terms by mask; sums are looked up by byte.
 * @param weights of each term, in the order of their bits; 32 at most
 */
export function coverageByMask(weights: number[]): Coverage {
  const tables = [0, 8, 16, 24].map((shift) => {
    const table = new Float64Array(2 ** Math.min(8, Math.max(0, weights.length - shift)));
    for (let mask = 1; mask < table.length; mask++) {
      const highest = 31 - Math.clz32(mask);
      table[mask] = (table[mask - (1 << highest)] ?? 0) + (weights[shift + highest] ?? 0);
    }
    return table;
  });
  const [first, second, third, fourth] = tables as [Float64Array, Float64Array, Float64Array, Float64Array];
  const of = (mask: number): number =>
    (first[mask & 255] ?? 0) +
    (second[(mask >>> 8) & 255] ?? 0) +
    (third[(mask >>> 16) & 255] ?? 0) +
    (fourth[mask >>> 24] ?? 0);
  return { of, byLowBits: first };
}
