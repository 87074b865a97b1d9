import { findStem, findTerm, type TermRange, type TextSegment } from './text-segment.ts';
import { postedSources, type SourceSet, weightUnit } from './text-sources.ts';

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

/** Whether no posting is passed over. */
const takesAll = (wanted: SourceSet): boolean => (wanted & postedSources) === postedSources;

/** Where a word occurs in texts of some sources, in all forms with its stem. */
export function findWord(segments: TextSegment[], token: string, wanted: SourceSet): TermPostings {
  let frequency = 0;
  const postings = segments.map((segment) => {
    const found = findStem(segment, token);
    const forms = readForms(segment, found.terms, findTerm(segment, token), wanted);
    frequency += takesAll(wanted) ? found.frequency : forms.slots.length;
    return forms;
  });
  return { postings, frequency };
}

/** Where all words of a phrase occur, in whatever order: the phrase occurs there at most, and at most as often as its rarest word. */
export function findPhraseCandidates(segments: TextSegment[], tokens: string[], wanted: SourceSet): TermPostings {
  const words = [...new Set(tokens)].map((token) => findWord(segments, token, wanted));
  const rarestFirst = words.toSorted((a, b) => a.frequency - b.frequency);
  const postings = segments.map((_, i) => {
    const [first = none, ...others] = rarestFirst.map((word) => word.postings[i] ?? none);
    return others.reduce(intersect, first);
  });
  return { postings, frequency: postings.reduce((sum, { slots }) => sum + slots.length, 0) };
}

/** Where some terms of each segment occur, as forms of one word. */
export function findTerms(
  segments: TextSegment[],
  termsOf: (segment: TextSegment) => Uint32Array,
  wanted: SourceSet,
): TermPostings {
  const postings = segments.map((segment) => readForms(segment, termsOf(segment), -1, wanted));
  return { postings, frequency: postings.reduce((sum, { slots }) => sum + slots.length, 0) };
}

/** Several words as one: where any of them occurs, it counts what it counts for the one that counts most. */
export function joinPostings(words: TermPostings[]): TermPostings {
  const [first = { postings: [], frequency: 0 }] = words;
  const postings = first.postings.map((_, i) =>
    words
      .map((word) => word.postings[i] ?? none)
      .reduce((a, b) => (b.slots.length === 0 ? a : a.slots.length === 0 ? b : join(a, b))),
  );
  return { postings, frequency: postings.reduce((sum, { slots }) => sum + slots.length, 0) };
}

function join(a: Postings, b: Postings): Postings {
  const total = a.slots.length + b.slots.length;
  const slots = new Uint32Array(total);
  const weights = new Float64Array(total);
  let size = 0;
  for (let i = 0, j = 0; i < a.slots.length || j < b.slots.length;) {
    const [left, right] = [a.slots[i] ?? Infinity, b.slots[j] ?? Infinity];
    const slot = Math.min(left, right);
    slots[size] = slot;
    weights[size++] = Math.max(
      left === slot ? (a.weights[i++] as number) * a.scale : 0,
      right === slot ? (b.weights[j++] as number) * b.scale : 0,
    );
  }
  return { slots: slots.subarray(0, size), weights: weights.subarray(0, size), scale: 1 };
}

function readForms(segment: TextSegment, terms: Uint32Array, exact: number, wanted: SourceSet): Postings {
  const [only] = terms;
  if (only === undefined) return none;
  const forms = Array.from(terms, (term) => ({
    ...readTermPostings(segment, term, wanted),
    scale: weightUnit * (term === exact ? 1 : otherFormWeight),
  }));
  return forms.length > 1 ? mergeForms(forms) : (forms[0] as Postings);
}

/** The postings of one term of a segment that texts of some sources hold. Their weights count what the other sources hold as well. */
export function readTermPostings(
  { postingOffsets, postingSlots, postingWeights, postingSources }: TextSegment,
  term: number,
  wanted: SourceSet,
): { slots: Uint32Array; weights: Uint8Array } {
  const [start, end] = [postingOffsets[term] as number, postingOffsets[term + 1] as number];
  if (takesAll(wanted))
    return { slots: postingSlots.subarray(start, end), weights: postingWeights.subarray(start, end) };
  const slots = new Uint32Array(end - start);
  const weights = new Uint8Array(end - start);
  let size = 0;
  for (let i = start; i < end; i++) {
    if (((postingSources[i] as number) & wanted) === 0) continue;
    slots[size] = postingSlots[i] as number;
    weights[size++] = postingWeights[i] as number;
  }
  return { slots: slots.subarray(0, size), weights: weights.subarray(0, size) };
}

/** How many postings some terms have in texts of some sources. */
export function countPostings(
  { postingOffsets, postingSources }: TextSegment,
  { first, end }: TermRange,
  wanted: SourceSet,
): number {
  const [from, to] = [postingOffsets[first] ?? 0, postingOffsets[end] ?? 0];
  if (takesAll(wanted)) return to - from;
  let count = 0;
  for (let i = from; i < to; i++) if (((postingSources[i] as number) & wanted) !== 0) count++;
  return count;
}

/** Joins the postings of a word's forms. */
function mergeForms(forms: Postings[]): Postings {
  const next = forms.map(() => 0);
  const total = forms.reduce((sum, { slots }) => sum + slots.length, 0);
  const slots = new Uint32Array(total);
  const weights = new Float64Array(total);
  let size = 0;
  for (;;) {
    let slot = Infinity;
    for (let k = 0; k < forms.length; k++) {
      const { slots: own } = forms[k] as Postings;
      const at = next[k] as number;
      if (at < own.length) slot = Math.min(slot, own[at] as number);
    }
    if (slot === Infinity) return { slots: slots.subarray(0, size), weights: weights.subarray(0, size), scale: 1 };
    let weight = 0;
    for (let k = 0; k < forms.length; k++) {
      const form = forms[k] as Postings;
      const at = next[k] as number;
      if (form.slots[at] !== slot) continue;
      weight += (form.weights[at] as number) * form.scale;
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
