import type { SegmentSource } from '../../../contract/texts.ts';
import { mayContinue, stemOf } from './analyse-text.ts';

/** The texts by which one chunk is found. Those of a source are in order of time. */
export type IndexedTexts = { texts: IndexedText[]; filename: string; tags: string };

/** `track`: index of the subtitle stream; none where it is not known or nobody asks, as in postings. */
type IndexedText = { source: SegmentSource; track?: number | null; text: string };

/**
 * The texts of adjacent slots as an inverted index. It never changes, and its arrays are in shared memory, so that threads pass it on
 * without a copy. Terms are in the order of their UTF-8 bytes; the postings of a term follow each other, by ascending slot.
 */
export type TextSegment = {
  firstSlot: number;
  slotCount: number;
  /** The slots whose texts count: all but those that were deleted when segments were merged. */
  documentCount: number;
  /** Tokens of all documents. */
  totalLength: number;
  /** Tokens by slot from the first one on, 65,535 at most. */
  lengths: Uint16Array;
  termBytes: Uint8Array;
  /** Where each term starts in `termBytes`; one more than terms. */
  termOffsets: Uint32Array;
  /** Where the postings of each term start; one more than terms. */
  postingOffsets: Uint32Array;
  /** Slots, counted from the first one of the segment. */
  postingSlots: Uint32Array;
  /** How often the term occurs, by the weights of the sources, in units of `weightUnit`; 255 at most. */
  postingWeights: Uint8Array;
  /** The sources that hold the term there, a bit for each. */
  postingSources: Uint8Array;
  /** Stems that several terms share, or that no term equals, in the order of their bytes. */
  stemBytes: Uint8Array;
  stemOffsets: Uint32Array;
  /** Where the terms of each stem start in `stemTerms`; one more than stems. */
  stemTermOffsets: Uint32Array;
  stemTerms: Uint32Array;
  /** In how many documents each stem occurs. */
  stemFrequencies: Uint32Array;
};

/** Sorted strings in UTF-8. */
type Dictionary = { bytes: Uint8Array; offsets: Uint32Array };

const encoder = new TextEncoder();

const termsOf = ({ termBytes, termOffsets }: TextSegment): Dictionary => ({ bytes: termBytes, offsets: termOffsets });
const stemsOf = ({ stemBytes, stemOffsets }: TextSegment): Dictionary => ({ bytes: stemBytes, offsets: stemOffsets });

export const termCount = ({ termOffsets }: TextSegment): number => termOffsets.length - 1;

/** How many documents hold a term. */
const termFrequency = ({ postingOffsets }: TextSegment, term: number): number =>
  (postingOffsets[term + 1] ?? 0) - (postingOffsets[term] ?? 0);

/** A term as a string. */
export const readTerm = (segment: TextSegment, term: number): string => readString(termsOf(segment), term);

function readString({ bytes, offsets }: Dictionary, i: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8', offsets[i], offsets[i + 1]);
}

/** The place of a term; -1 if the segment does not hold it. */
export const findTerm = (segment: TextSegment, token: string): number =>
  findIn(termsOf(segment), encoder.encode(token));

/** The terms that share the stem of a token, and how many documents hold one of them. */
export function findStem(segment: TextSegment, token: string): { terms: Uint32Array; frequency: number } {
  const stem = stemOf(token);
  const bytes = encoder.encode(stem);
  const found = findIn(stemsOf(segment), bytes);
  if (found >= 0) {
    return {
      terms: segment.stemTerms.subarray(segment.stemTermOffsets[found], segment.stemTermOffsets[found + 1]),
      frequency: segment.stemFrequencies[found] ?? 0,
    };
  }
  // A stem that is not listed can only be that of the term which equals it; a stem need not be its own stem.
  const term = stemOf(stem) === stem ? findIn(termsOf(segment), bytes) : -1;
  return term < 0
    ? { terms: new Uint32Array(), frequency: 0 }
    : { terms: Uint32Array.of(term), frequency: termFrequency(segment, term) };
}

/** Terms from `first` up to, but not including, `end`. */
export type TermRange = { first: number; end: number };

/** The terms that begin with a prefix. */
export function findPrefix(segment: TextSegment, prefix: string): TermRange {
  const bytes = encoder.encode(prefix);
  const terms = termsOf(segment);
  return {
    first: partition(terms, (i) => compareStart(terms, i, bytes) < 0),
    end: partition(terms, (i) => compareStart(terms, i, bytes) <= 0),
  };
}

/** The terms that a typed prefix may mean, as ranges. */
export function findContinued(segment: TextSegment, prefix: string): TermRange[] {
  const range = findPrefix(segment, prefix);
  if (!/^[a-f]+$/.test(prefix)) return [range];
  const terms = Array.from({ length: range.end - range.first }, (_, i) => range.first + i);
  return terms
    .filter((term) => mayContinue(prefix, readTerm(segment, term)))
    .map((term) => ({ first: term, end: term + 1 }));
}

function findIn(dictionary: Dictionary, bytes: Uint8Array): number {
  const { offsets } = dictionary;
  // Of the strings that begin with these bytes, the shortest comes first.
  const first = partition(dictionary, (i) => compareStart(dictionary, i, bytes) < 0);
  const start = offsets[first] ?? 0;
  const isEqual =
    first < offsets.length - 1 &&
    (offsets[first + 1] ?? 0) - start === bytes.length &&
    compareStart(dictionary, first, bytes) === 0;
  return isEqual ? first : -1;
}

/** The first place of a dictionary for which a condition does not hold, where it holds for all before and for none after. */
function partition({ offsets }: Dictionary, holds: (i: number) => boolean): number {
  let low = 0;
  let high = offsets.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Compares the start of a string with some bytes: 0 if it begins with them. */
function compareStart({ bytes, offsets }: Dictionary, i: number, wanted: Uint8Array): number {
  const start = offsets[i] ?? 0;
  const length = (offsets[i + 1] ?? 0) - start;
  for (let k = 0; k < wanted.length; k++) {
    if (k >= length) return -1;
    const difference = (bytes[start + k] ?? 0) - (wanted[k] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/**
 * Compares strings as their UTF-8 bytes compare. JavaScript compares code units, where surrogates come before U+E000.
 */
export function compareTerms(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [left, right] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (left !== right) return codePointRank(left) - codePointRank(right);
  }
  return a.length - b.length;
}

const codePointRank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);
