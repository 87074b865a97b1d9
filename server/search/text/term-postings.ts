import { findStem, findTerm, type TextSegment } from './text-segment.ts';

/** Where a word or phrase of a query occurs in one segment: slots counted from its first one, ascending, and how often, times `scale`. */
export type Postings = { slots: Uint32Array; weights: Uint8Array | Float64Array; scale: number };

/** A word or phrase of a query in all segments. */
export type TermPostings = {
  /** By segment. */
  postings: Postings[];
  /** In how many documents it occurs; for a phrase, how many hold all of its words. */
  frequency: number;
};

/** What another form of a word counts (`runs` for `running`), beside the word itself. */
const otherFormWeight = 0.9;

const none: Postings = { slots: new Uint32Array(), weights: new Uint8Array(), scale: 1 };

/** Where a word occurs, in all forms with its stem. */
export function findWord(segments: TextSegment[], token: string): TermPostings {
  let frequency = 0;
  const postings = segments.map((segment) => {
    const found = findStem(segment, token);
    frequency += found.frequency;
    return readForms(segment, found.terms, findTerm(segment, token));
  });
  return { postings, frequency };
}

/** Where all words of a phrase occur, in whatever order: the phrase occurs there at most, and at most as often as its rarest word. */
export function findPhraseCandidates(segments: TextSegment[], tokens: string[]): TermPostings {
  const words = [...new Set(tokens)].map((token) => findWord(segments, token));
  const rarestFirst = words.toSorted((a, b) => a.frequency - b.frequency);
  const postings = segments.map((_, i) => {
    const [first = none, ...others] = rarestFirst.map((word) => word.postings[i] ?? none);
    return others.reduce(intersect, first);
  });
  return { postings, frequency: postings.reduce((sum, { slots }) => sum + slots.length, 0) };
}

function readForms(segment: TextSegment, terms: Uint32Array, exact: number): Postings {
  const [only] = terms;
  if (only === undefined) return none;
  if (terms.length > 1) return mergeForms(segment, terms, exact);
  return { ...readTermPostings(segment, only), scale: only === exact ? 1 : otherFormWeight };
}

/** The postings of one term of a segment. */
export function readTermPostings(
  { postingOffsets, postingSlots, postingWeights }: TextSegment,
  term: number,
): { slots: Uint32Array; weights: Uint8Array } {
  const [start, end] = [postingOffsets[term], postingOffsets[term + 1]];
  return { slots: postingSlots.subarray(start, end), weights: postingWeights.subarray(start, end) };
}

/** Joins the postings of a word's forms. */
function mergeForms(segment: TextSegment, terms: Uint32Array, exact: number): Postings {
  const { postingOffsets, postingSlots, postingWeights } = segment;
  const next = Array.from(terms, (term) => postingOffsets[term] ?? 0);
  const ends = Array.from(terms, (term) => postingOffsets[term + 1] ?? 0);
  const scales = Array.from(terms, (term) => (term === exact ? 1 : otherFormWeight));
  const total = ends.reduce((sum, end, i) => sum + end - (next[i] ?? 0), 0);
  const slots = new Uint32Array(total);
  const weights = new Float64Array(total);
  let size = 0;
  for (;;) {
    let slot = Infinity;
    for (let k = 0; k < next.length; k++) {
      const at = next[k] as number;
      if (at < (ends[k] as number)) slot = Math.min(slot, postingSlots[at] as number);
    }
    if (slot === Infinity) return { slots: slots.subarray(0, size), weights: weights.subarray(0, size), scale: 1 };
    let weight = 0;
    for (let k = 0; k < next.length; k++) {
      const at = next[k] as number;
      if (at >= (ends[k] as number) || postingSlots[at] !== slot) continue;
      weight += (postingWeights[at] as number) * (scales[k] as number);
      next[k] = at + 1;
    }
    slots[size] = slot;
    weights[size++] = weight;
  }
}

/** The slots in both, with the smaller weight. */
function intersect(a: Postings, b: Postings): Postings {
  const slots = new Uint32Array(Math.min(a.slots.length, b.slots.length));
  const weights = new Float64Array(slots.length);
  let size = 0;
  for (let i = 0, j = 0; i < a.slots.length && j < b.slots.length;) {
    const [left, right] = [a.slots[i] as number, b.slots[j] as number];
    if (left === right) {
      slots[size] = left;
      weights[size++] = Math.min((a.weights[i] as number) * a.scale, (b.weights[j] as number) * b.scale);
    }
    if (left <= right) i++;
    if (right <= left) j++;
  }
  return { slots: slots.subarray(0, size), weights: weights.subarray(0, size), scale: 1 };
}

/** The place of a slot, counted from the first one of the segment, among postings; -1 if they do not hold it. */
export function findSlot(slots: Uint32Array, slot: number): number {
  let low = 0;
  let high = slots.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((slots[middle] as number) < slot) low = middle + 1;
    else high = middle;
  }
  return slots[low] === slot ? low : -1;
}
