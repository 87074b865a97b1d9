import { type Accumulator, bm25, idf, lengthNorm, type LengthNorm } from './accumulator.ts';
import { findWords, fold, stemOf } from './analyse-text.ts';
import { findCorrections } from './correct-word.ts';
import { coverageByMask } from './coverage.ts';
import { createPhraseCheck, type PhraseTerm } from './phrase-check.ts';
import type { ReadTexts } from './phrases.ts';
import { findPhraseCandidates, findSlot, findWord, readTermPostings, type TermPostings } from './term-postings.ts';
import type { TextQuery } from './text-query.ts';
import { findPrefix, type TextSegment } from './text-segment.ts';

export type TextSearchOptions = {
  /** What may be found: a bit for each slot. */
  selected: Uint32Array;
  /** For each term of the query, the slots whose creator or category holds it in its name. */
  labelled: ArrayLike<number>[];
  /** How many of the best are returned. */
  count: number;
  /** Words that begin with the last one are only looked for when fewer chunks match than this. */
  enough: number;
  /** For the texts that may hold a phrase. */
  readTexts: ReadTexts;
  accumulator: Accumulator;
};

/** How the texts of a chunk match: their relevance (BM25), the terms that they hold, and these terms' share of the query by weight, 0..1. */
export type TextMatch = { slot: number; relevance: number; coverage: number; terms: string[] };

/** A word that no text holds, and the one that was searched for instead. */
export type Correction = { from: string; to: string };

export type TextSearchResult = {
  /** The best matches by their evidence, of equal ones the newest first. */
  matches: TextMatch[];
  corrections: Correction[];
  /** Those of some slots that match, also others than the best ones. Valid until the next search with the same accumulator. */
  matchesOf: (slots: ArrayLike<number>) => Map<number, TextMatch>;
};

/** What a word counts when the user may mean another: one with a typing error, or the beginning of a longer one. */
const uncertainWeight = 0.5;

/** A term of the query as it is searched for. */
type SearchedTerm = TermPostings & {
  term: string;
  bit: number;
  tokens: string[];
  idf: number;
  /** Its share of the query by weight, 0..1, where a text holds it. */
  weight: number;
  correction: string | null;
};

/**
 * Finds the chunks whose texts hold some terms of the query: those that hold most of it first, then the more relevant. All matches are
 * ranked. Document frequencies and lengths are those of these segments, deleted texts included until segments are merged.
 * @param segments adjacent, in the order of their slots
 */
export function searchTexts(segments: TextSegment[], query: TextQuery, options: TextSearchOptions): TextSearchResult {
  const { accumulator, selected, labelled, count, enough } = options;
  const last = segments.at(-1);
  accumulator.begin(last ? last.firstSlot + last.slotCount : 0);
  const documents = segments.reduce((sum, { documentCount }) => sum + documentCount, 0);
  const norm = lengthNorm(segments.reduce((sum, { totalLength }) => sum + totalLength, 0) / documents);
  const terms = resolveTerms(segments, query, labelled, selected, documents);
  for (const [i, term] of terms.entries()) {
    addTerm(accumulator, segments, term, norm, selected);
    accumulator.addLabelled(labelled[i] ?? [], term.bit, selected);
  }
  const weights = terms.map(({ weight }) => weight);
  const check = createPhraseCheck(accumulator, options.readTexts, listPhrases(segments, terms, norm, labelled));
  let coverage = coverageByMask(weights);
  let best = check.selectBest(count, coverage);
  const prefixBit = terms.length < 32 ? 1 << terms.length : 0;
  // A prefix weighs less than a complete word, so it only matters if complete words do not fill the list.
  if (query.prefix !== null && best.length < Math.min(enough, count) && prefixBit !== 0) {
    addPrefix(
      accumulator,
      segments,
      query.prefix,
      { bit: prefixBit, complete: terms.at(-1)?.bit ?? 0 },
      norm,
      selected,
    );
    coverage = coverageByMask([...weights, uncertainWeight * (weights.at(-1) ?? 0)]);
    best = check.selectBest(count, coverage);
  }
  const toMatch = (slot: number): TextMatch => {
    const mask = accumulator.maskOf(slot);
    const held = terms.filter(({ bit }, i) => (mask & bit) !== 0 || (i === terms.length - 1 && mask & prefixBit));
    return {
      slot,
      relevance: accumulator.relevanceOf(slot) + check.relevanceOf(slot),
      coverage: coverage.of(mask),
      terms: held.map(({ term }) => term),
    };
  };
  return {
    matches: best.map(toMatch),
    corrections: terms.flatMap(({ term, correction }) => (correction === null ? [] : [{ from: term, to: correction }])),
    matchesOf(slots) {
      const some = Array.from(slots);
      check.verify(some);
      const found = some.filter((slot) => accumulator.maskOf(slot) !== 0);
      return new Map(found.map((slot) => [slot, toMatch(slot)]));
    },
  };
}

/** Finds out where each term occurs, and what it weighs. */
function resolveTerms(
  segments: TextSegment[],
  { terms, prefix }: TextQuery,
  labelled: ArrayLike<number>[],
  selected: Uint32Array,
  documents: number,
): SearchedTerm[] {
  const resolved = terms.map((term, i) => {
    const tokens = Array.from(findWords(term), ({ token }) => token);
    const found =
      tokens.length === 1 ? findWord(segments, tokens[0] as string) : findPhraseCandidates(segments, tokens);
    const isKnown = found.frequency > 0 || (labelled[i]?.length ?? 0) > 0 || tokens.length !== 1;
    const mayBePrefix = term === prefix && i === terms.length - 1;
    const correction = isKnown ? null : correct(segments, tokens[0] as string, mayBePrefix, selected);
    return { term, tokens, correction: correction?.word ?? null, ...(correction?.found ?? found), bit: 1 << i };
  });
  const idfs = resolved.map(({ frequency }) => idf(frequency, documents));
  const sum = idfs.reduce((total, idf) => total + idf, 0);
  return resolved.map((term, i) => {
    const share = (idfs[i] ?? 0) / sum;
    return { ...term, idf: idfs[i] ?? 0, weight: term.correction === null ? share : uncertainWeight * share };
  });
}

/** The most frequent word at one typing error that something selected holds. */
function correct(
  segments: TextSegment[],
  word: string,
  mayBePrefix: boolean,
  selected: Uint32Array,
): { word: string; found: TermPostings } | null {
  const isPrefix = (segment: TextSegment) => {
    const { first, end } = findPrefix(segment, word);
    return first < end;
  };
  if (mayBePrefix && segments.some(isPrefix)) return null;
  for (const correction of findCorrections(segments, word)) {
    const found = findWord(segments, correction);
    const isHeld = found.postings.some(({ slots }, i) =>
      slots.some((slot) => isSelected(selected, (segments[i]?.firstSlot ?? 0) + slot)),
    );
    if (isHeld) return { word: correction, found };
  }
  return null;
}

const isSelected = (selected: Uint32Array, slot: number): boolean =>
  ((selected[slot >>> 5] ?? 0) & (1 << (slot & 31))) !== 0;

function addTerm(
  accumulator: Accumulator,
  segments: TextSegment[],
  { tokens, postings, bit, idf }: SearchedTerm,
  norm: LengthNorm,
  selected: Uint32Array,
): void {
  for (const [i, { firstSlot, lengths }] of segments.entries()) {
    const some = postings[i];
    if (!some) continue;
    const scored = { ...some, firstSlot, lengths };
    if (tokens.length > 1) accumulator.addCandidates(scored, bit, selected);
    else accumulator.addPostings(scored, { bit, idf }, norm, selected);
  }
}

/** Adds the slots that hold a word which begins with a prefix, and not the prefix itself as a word. */
function addPrefix(
  accumulator: Accumulator,
  segments: TextSegment[],
  prefix: string,
  { bit, complete }: { bit: number; complete: number },
  norm: LengthNorm,
  selected: Uint32Array,
): void {
  const token = fold(prefix);
  const ranges = segments.map((segment) => findPrefix(segment, token));
  const documents = segments.reduce((sum, { documentCount }) => sum + documentCount, 0);
  // At most that many hold one of these words.
  const occurrences = segments.reduce((sum, { postingOffsets }, i) => {
    const { first, end } = ranges[i] ?? { first: 0, end: 0 };
    return sum + (postingOffsets[end] ?? 0) - (postingOffsets[first] ?? 0);
  }, 0);
  const term = { bit, complete, idf: idf(Math.min(documents, occurrences), documents) };
  for (const [i, segment] of segments.entries()) {
    const { first, end } = ranges[i] ?? { first: 0, end: 0 };
    const { firstSlot, lengths } = segment;
    for (let word = first; word < end; word++) {
      const postings = { ...readTermPostings(segment, word), scale: 1, firstSlot, lengths };
      accumulator.addPrefixed(postings, term, norm, selected);
    }
  }
}

/** The phrases of a query, to be checked. */
const listPhrases = (
  segments: TextSegment[],
  terms: SearchedTerm[],
  norm: LengthNorm,
  labelled: ArrayLike<number>[],
): PhraseTerm[] =>
  terms.flatMap(({ tokens, bit, idf, postings }, i) => {
    if (tokens.length < 2) return [];
    const relevanceOf = (slot: number): number => {
      const s = segments.findIndex(({ firstSlot, slotCount }) => slot >= firstSlot && slot < firstSlot + slotCount);
      const [segment, some] = [segments[s], postings[s]];
      const place = segment && some ? findSlot(some.slots, slot - segment.firstSlot) : -1;
      if (!segment || !some || place < 0) return 0;
      const weight = (some.weights[place] ?? 0) * some.scale;
      return bm25(idf, weight, segment.lengths[slot - segment.firstSlot] ?? 0, norm);
    };
    function* candidates() {
      for (const [s, { firstSlot }] of segments.entries()) {
        for (const slot of postings[s]?.slots ?? []) yield firstSlot + slot;
      }
    }
    return [
      { bit, stems: tokens.map(stemOf), candidates, relevanceOf, labelled: new Set(Array.from(labelled[i] ?? [])) },
    ];
  });
