/** How lengths count in BM25, for the segments of one search. */
export type LengthNorm = { base: number; perToken: number };

/** BM25's usual parameters: how soon more occurrences stop to count, and how much the length counts (Robertson & Zaragoza 2009). */
const k1 = 1.2;
const b = 0.75;

export const lengthNorm = (averageLength: number): LengthNorm => ({
  base: k1 * (1 - b),
  perToken: averageLength > 0 ? (k1 * b) / averageLength : 0,
});

/** The relevance of one term by BM25. */
export const bm25 = (idf: number, weight: number, length: number, { base, perToken }: LengthNorm): number =>
  (idf * (k1 + 1) * weight) / (weight + base + perToken * length);

/** Inverse document frequency as in BM25, above 0: how significant it is that a text holds a term. */
export const idf = (frequency: number, documents: number): number =>
  Math.log(1 + (Math.max(0, documents - frequency) + 0.5) / (frequency + 0.5));

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

/**
 * How much a text speaks for a chunk, 0..1. A text that holds every word of the query is almost certainly relevant; BM25 orders texts of
 * equal coverage.
 */
export const textEvidence = (coverage: number, relevance: number): number =>
  coverage * (0.85 + 0.1 * (relevance / (1 + relevance)));

/** The most that a text of full coverage can reach. */
export const maxEvidence = 0.95;

/** The least that a text of full coverage has. */
export const minEvidence = 0.85;
