/** The cosines from which two chunks count as near-duplicates. They differ between embedders. */
export type DuplicateThresholds = {
  /** From this cosine on any two chunks count as copies of each other. */
  copy: number;
  /** From this one on two chunks of one item do that follow each other closely. */
  continuation: number;
};

/** A chunk by its slot, its item and its span in it, in seconds. */
export type Span = { slot: number; item: number; start: number; end: number };

/** A chunk that is kept, and those that it stands for, by their places in the list. */
export type Distinct = { place: number; duplicates: number[] };

/** Chunks of one item follow each other closely when at most this many seconds lie between them. */
const maxNeighborGap = 1;

/**
 * Keeps the first of the chunks that show the same event. Each is compared with those kept, never with those dropped, so that a slowly
 * changing scene does not collapse into one hit by a chain of small steps.
 * @param chunks the best first
 * @param compare the cosines of a chunk to some others; NaN where one of them has no vector
 * @param saysMore whether the chunk at the second place says something that the one at the first does not, so that both are kept
 * @param count how many are kept at most
 */
export function deduplicate(
  chunks: Span[],
  compare: (slot: number, others: number[]) => ArrayLike<number>,
  saysMore: (kept: number, other: number) => boolean,
  thresholds: DuplicateThresholds,
  count: number,
): Distinct[] {
  const kept: (Distinct & { chunk: Span })[] = [];
  const keptSlots: number[] = [];
  for (const [place, chunk] of chunks.entries()) {
    const cosines = compare(chunk.slot, keptSlots);
    const original = kept.find(
      (other, i) =>
        areDuplicates(other.chunk, chunk, cosines[i] as number, thresholds) && !saysMore(other.place, place),
    );
    if (original) original.duplicates.push(place);
    else if (kept.length < count) {
      kept.push({ place, duplicates: [], chunk });
      keptSlots.push(chunk.slot);
    }
  }
  return kept.map(({ place, duplicates }) => ({ place, duplicates }));
}

function areDuplicates(a: Span, b: Span, cosine: number, { copy, continuation }: DuplicateThresholds): boolean {
  const gap = Math.max(a.start, b.start) - Math.min(a.end, b.end);
  const close = a.item === b.item && gap <= maxNeighborGap;
  return cosine >= (close ? continuation : copy);
}
