/**
 * How much a text speaks for a chunk, 0..1. A text that holds every word of the query is almost certainly relevant; BM25 orders texts of
 * equal coverage.
 */
export const textEvidence = (coverage: number, relevance: number): number =>
  coverage * (0.85 + 0.1 * (relevance / (1 + relevance)));

/** The most that a text of full coverage can reach. */
export const maxEvidence = 0.95;
