import { indexTerms, share, stepSize, type UnsortedPostings } from './index-terms.ts';
import { readTerm, termCount, type TextSegment } from './text-segment.ts';

type Emit = Parameters<UnsortedPostings['forEach']>[0];

/**
 * Joins adjacent segments, given in the order of their slots, into one. Slots stay; the texts of deleted ones go, also from the document
 * frequencies and lengths. It yields about every millisecond.
 */
export function* mergeTextSegments(
  segments: TextSegment[],
  isDeleted: (slot: number) => boolean,
): Generator<void, TextSegment> {
  const firstSlot = segments[0]?.firstSlot ?? 0;
  const slotCount = segments.reduce((sum, segment) => sum + segment.slotCount, 0);
  const lengths = share(Uint16Array, slotCount);
  const isLive = new Uint8Array(slotCount);
  let documentCount = 0;
  let totalLength = 0;
  for (const segment of segments) {
    const start = segment.firstSlot - firstSlot;
    for (let i = 0; i < segment.slotCount; i++) {
      if (i % stepSize === 0) yield;
      if (isDeleted(segment.firstSlot + i)) continue;
      isLive[start + i] = 1;
      lengths[start + i] = segment.lengths[i] ?? 0;
      totalLength += segment.lengths[i] ?? 0;
      documentCount++;
    }
  }
  const ids = new Map<string, number>();
  /** The merged term of each term, by segment. */
  const merged: Uint32Array[] = [];
  for (const segment of segments) merged.push(yield* mergeTerms(segment, ids));
  const counts = new Uint32Array(ids.size);
  const forEach = function* (emit: Emit): Generator<void> {
    for (const [i, segment] of segments.entries()) {
      yield* forEachPosting(segment, segment.firstSlot - firstSlot, isLive, merged[i] as Uint32Array, emit);
    }
  };
  yield* forEach((term) => {
    counts[term] = (counts[term] ?? 0) + 1;
  });
  const slots = { firstSlot, slotCount, documentCount, totalLength, lengths };
  return yield* indexTerms(slots, { terms: [...ids.keys()], counts, forEach });
}

/** The numbers of a segment's terms among all terms; new ones are added. */
function* mergeTerms(segment: TextSegment, ids: Map<string, number>): Generator<void, Uint32Array> {
  const count = termCount(segment);
  const merged = new Uint32Array(count);
  for (let term = 0; term < count; term++) {
    const token = readTerm(segment, term);
    let id = ids.get(token);
    if (id === undefined) ids.set(token, (id = ids.size));
    merged[term] = id;
    if (term % 4096 === 0) yield;
  }
  return merged;
}

/** Calls back with the postings of live slots. Those of a term come by ascending slot. */
function* forEachPosting(
  { postingOffsets, postingSlots, postingWeights, postingSources }: TextSegment,
  start: number,
  isLive: Uint8Array,
  merged: Uint32Array,
  emit: Emit,
): Generator<void> {
  let term = 0;
  for (let i = 0; i < postingSlots.length; i++) {
    while ((postingOffsets[term + 1] ?? 0) <= i) term++;
    const slot = start + (postingSlots[i] ?? 0);
    if (isLive[slot] === 1) emit(merged[term] ?? 0, slot, postingWeights[i] ?? 0, postingSources[i] ?? 0);
    if (i % stepSize === 0) yield;
  }
}
