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
