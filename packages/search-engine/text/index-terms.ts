import { stemOf } from './analyse-text.ts';
import { compareTerms, type TextSegment } from './text-segment.ts';

/** Work between two steps, in array elements or comparisons: about a millisecond. */
export const stepSize = 16_384;

/** Postings of terms in some order, those of a term by ascending slot. */
export type UnsortedPostings = {
  terms: string[];
  /** How many postings each term has. */
  counts: Uint32Array;
  /** Calls back with all postings, by ascending slot, in steps. */
  forEach: (emit: (term: number, slot: number, weight: number, sources: number) => void) => Generator<void>;
};

type Slots = Pick<TextSegment, 'firstSlot' | 'slotCount' | 'documentCount' | 'totalLength' | 'lengths'>;

/** Makes a segment of terms and postings: sorts terms, places postings, finds the terms that share a stem. Yields about every millisecond. */
export function* indexTerms(slots: Slots, { terms, counts, forEach }: UnsortedPostings): Generator<void, TextSegment> {
  const order = yield* sortInSteps(
    terms.flatMap((_, i) => ((counts[i] ?? 0) > 0 ? [i] : [])),
    (a, b) => compareTerms(terms[a] as string, terms[b] as string),
  );
  const postingOffsets = share(Uint32Array, order.length + 1);
  /** Where the next posting of each term, in the given order, goes. */
  const next = new Uint32Array(terms.length);
  for (const [place, term] of order.entries()) {
    next[term] = postingOffsets[place] ?? 0;
    postingOffsets[place + 1] = (postingOffsets[place] ?? 0) + (counts[term] ?? 0);
  }
  const total = postingOffsets[order.length] ?? 0;
  const postingSlots = share(Uint32Array, total);
  const postingWeights = share(Uint8Array, total);
  const postingSources = share(Uint8Array, total);
  yield* forEach((term, slot, weight, sources) => {
    const i = next[term] as number;
    next[term] = i + 1;
    postingSlots[i] = slot;
    postingWeights[i] = weight;
    postingSources[i] = sources;
  });
  const sorted = order.map((term) => terms[term] as string);
  const { bytes: termBytes, offsets: termOffsets } = yield* encodeAll(sorted);
  const postings = { postingOffsets, postingSlots, postingWeights, postingSources };
  const stems = yield* indexStems(slots, sorted, postings);
  return { ...slots, termBytes, termOffsets, ...postings, ...stems };
}

/** Lists the stems that several terms share, or that no term equals. */
function* indexStems(
  { slotCount }: Slots,
  terms: string[],
  { postingOffsets, postingSlots }: Pick<TextSegment, 'postingOffsets' | 'postingSlots'>,
): Generator<
  void,
  Pick<TextSegment, 'stemBytes' | 'stemOffsets' | 'stemTermOffsets' | 'stemTerms' | 'stemFrequencies'>
> {
  const members = new Map<string, number[]>();
  for (const [term, token] of terms.entries()) {
    const stem = stemOf(token);
    const group = members.get(stem);
    if (group) group.push(term);
    else members.set(stem, [term]);
    if (term % 1024 === 0) yield;
  }
  const listed = [...members.keys()].filter((stem) => {
    const [first, second] = members.get(stem) as number[];
    return second !== undefined || terms[first as number] !== stem;
  });
  const stems = yield* sortInSteps(listed, compareTerms);
  const stemTermOffsets = share(Uint32Array, stems.length + 1);
  for (const [i, stem] of stems.entries()) {
    stemTermOffsets[i + 1] = (stemTermOffsets[i] ?? 0) + (members.get(stem)?.length ?? 0);
  }
  const stemTerms = share(Uint32Array, stemTermOffsets[stems.length] ?? 0);
  const stemFrequencies = share(Uint32Array, stems.length);
  /** The last stem that was seen in each slot, counted from 1. */
  const seen = new Uint32Array(slotCount);
  let work = 0;
  for (const [i, stem] of stems.entries()) {
    let frequency = 0;
    const group = members.get(stem) as number[];
    stemTerms.set(group, stemTermOffsets[i]);
    for (const term of group) {
      const end = postingOffsets[term + 1] as number;
      for (let p = postingOffsets[term] as number; p < end; p++) {
        const slot = postingSlots[p] as number;
        if (seen[slot] !== i + 1) frequency++;
        seen[slot] = i + 1;
        if (++work % (8 * stepSize) === 0) yield;
      }
    }
    stemFrequencies[i] = frequency;
  }
  const { bytes: stemBytes, offsets: stemOffsets } = yield* encodeAll(stems);
  return { stemBytes, stemOffsets, stemTermOffsets, stemTerms, stemFrequencies };
}

/** Strings as UTF-8, one after the other. */
function* encodeAll(strings: string[]): Generator<void, { bytes: Uint8Array; offsets: Uint32Array }> {
  const offsets = share(Uint32Array, strings.length + 1);
  for (const [i, string] of strings.entries()) {
    offsets[i + 1] = (offsets[i] ?? 0) + Buffer.byteLength(string);
    if (i % stepSize === 0) yield;
  }
  const bytes = share(Uint8Array, offsets[strings.length] ?? 0);
  const target = Buffer.from(bytes.buffer);
  for (const [i, string] of strings.entries()) {
    target.write(string, offsets[i] as number);
    if (i % stepSize === 0) yield;
  }
  return { bytes, offsets };
}

/** Sorts without holding others up: sorts short runs, then merges them two by two. */
function* sortInSteps<T>(values: T[], compare: (a: T, b: T) => number): Generator<void, T[]> {
  const runLength = 1024;
  let runs: T[][] = [];
  for (let first = 0; first < values.length; first += runLength) {
    runs.push(values.slice(first, first + runLength).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let i = 0; i < runs.length; i += 2) merged.push(yield* mergeRuns(runs[i] ?? [], runs[i + 1] ?? [], compare));
    runs = merged;
  }
  return runs[0] ?? [];
}

function* mergeRuns<T>(a: T[], b: T[], compare: (a: T, b: T) => number): Generator<void, T[]> {
  const merged: T[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const isLeft = j === b.length || (i < a.length && compare(a[i] as T, b[j] as T) <= 0);
    merged.push((isLeft ? a[i++] : b[j++]) as T);
    if (merged.length % stepSize === 0) yield;
  }
  return merged;
}

/** An array in shared memory. */
export const share = <T>(type: { new (buffer: SharedArrayBuffer): T; BYTES_PER_ELEMENT: number }, length: number): T =>
  new type(new SharedArrayBuffer(length * type.BYTES_PER_ELEMENT));
