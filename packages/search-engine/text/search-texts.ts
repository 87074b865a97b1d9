import { isIn, type SlotSet } from '../index/slot-set.ts';
import { type Accumulator, type CoverageLevel, readSlot, type SlotRange, type TermSlots } from './accumulator.ts';
import { findWords, fold, stemOf } from './analyse-text.ts';
import type { HeldTerms } from './best-slots.ts';
import { findCorrections } from './correct-word.ts';
import { addForeign } from './foreign-terms.ts';
import { createPhraseCheck, type PhraseTerm, type ReadTexts } from './phrases.ts';
import { bm25, coverageByMask, idf, lengthNorm, type LengthNorm } from './scoring.ts';
import { countPostings, findPhraseCandidates, findSlot, findWord, type TermPostings } from './term-postings.ts';
import type { Correction, TextQuery } from './text-query.ts';
import { findContinued, type TermRange, type TextSegment } from './text-segment.ts';
import { type SourceSet, weightUnit } from './text-sources.ts';

export type TextSearchOptions = {
  /** What may be found: a bit for each slot. */
  selected: Uint32Array;
  /** Where words are looked for. */
  sources: SourceSet;
  /** For each term of the query, the slots whose creator or category holds it in its name, each once. */
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

/** The texts that match a query. `Among`: a set of chunks. */
export type FoundTexts<Among = SlotSet> = {
  /** The best matches by their evidence, of equal ones the newest first. */
  matches: TextMatch[];
  corrections: Correction[];
  /** Words of the query that no text, label or longer word holds, whether they were corrected or not. */
  unheld: string[];
  /** The matches of some chunks, also of others than the best. */
  matchesOf: (slots: number[]) => Promise<Map<number, TextMatch>>;
  /** How many of the selected chunks hold how much of the query, most of it first; what differs by less than `step` is one level. */
  levels: (step: number) => CoverageLevel[];
  /** The selected chunks that hold at least a share of the query, and less than another. A phrase counts unless it is known not to be held. */
  covering: (least: number, below?: number) => Among;
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
  /** Whether a text, a label or a longer word holds it as it was written. */
  isHeld: boolean;
  correction: string | null;
};

/**
 * Finds the chunks whose texts hold some terms of the query: those that hold most of it first, then the more relevant. All matches are
 * ranked. Document frequencies and lengths are those of these segments, deleted texts included until segments are merged.
 * @param segments adjacent, in the order of their slots
 */
export async function searchTexts(
  segments: TextSegment[],
  query: TextQuery,
  options: TextSearchOptions,
): Promise<FoundTexts> {
  const { accumulator, selected, sources, count, enough } = options;
  const labelled = options.labelled.map(ascending);
  const documents = segments.reduce((sum, { documentCount }) => sum + documentCount, 0);
  const norm = lengthNorm(segments.reduce((sum, { totalLength }) => sum + totalLength, 0) / documents);
  const terms = resolveTerms(segments, query, labelled, { selected, sources, documents });
  const weights = terms.map(({ weight }) => weight);
  const check = createPhraseCheck(options.readTexts, listPhrases(segments, terms, norm, labelled));
  let ranked = { ranges: toRanges(segments, terms, labelled), norm, selected };
  const select = () => check.selectBest(count, (depth) => accumulator.selectBest(ranked, depth, coverage, check.held));
  let coverage = coverageByMask(weights);
  let best = await select();
  const prefixBit = terms.length < 32 ? 1 << terms.length : 0;
  // A prefix weighs less than a complete word, so it only matters if complete words do not fill the list.
  if (query.prefix !== null && best.length < Math.min(enough, count) && prefixBit !== 0) {
    const prefixed = findPrefixed(segments, fold(query.prefix), norm, sources);
    for (const [i, range] of ranked.ranges.entries()) {
      const found = prefixed[i];
      if (found) range.terms.push({ bit: prefixBit, unless: terms.at(-1)?.bit ?? 0, start: range.first, ...found });
    }
    ranked = { ...ranked };
    coverage = coverageByMask([...weights, uncertainWeight * (weights.at(-1) ?? 0)]);
    best = await select();
  }
  /** What slots with the same terms have in common, by their mask. */
  const known = new Map<number, Pick<TextMatch, 'coverage' | 'terms'>>();
  const read = (mask: number) => {
    const held = terms.filter(({ bit }, i) => (mask & (i === terms.length - 1 ? bit | prefixBit : bit)) !== 0);
    const found = { coverage: coverage.of(mask), terms: held.map(({ term }) => term) };
    known.set(mask, found);
    return found;
  };
  const toMatch = ({ slot, mask, relevance }: HeldTerms): TextMatch => {
    const { coverage, terms } = known.get(mask) ?? read(mask);
    return { slot, relevance, coverage, terms };
  };
  return {
    matches: best.map(toMatch),
    levels: (step) => accumulator.countLevels(ranked, step, coverage, check.held),
    covering: (least, below = Infinity) => accumulator.selectCovering(ranked, least, below, coverage, check.held),
    corrections: terms.flatMap(({ term, correction }) => (correction === null ? [] : [{ from: term, to: correction }])),
    unheld: terms.flatMap(({ term, isHeld }) => (isHeld ? [] : [term])),
    async matchesOf(slots) {
      const readAll = () => slots.flatMap((slot) => readSlot(ranked, slot, check.held) ?? []);
      let held = readAll();
      if (await check.verify(held)) held = readAll();
      return new Map(held.map((one) => [one.slot, toMatch(one)]));
    },
  };
}

/** Where the terms occur, segment by segment. */
const toRanges = (segments: TextSegment[], terms: SearchedTerm[], labelled: Uint32Array[]): SlotRange[] =>
  segments.map(({ firstSlot, slotCount, lengths }, s) => ({
    first: firstSlot,
    end: firstSlot + slotCount,
    terms: terms.flatMap(({ bit, tokens, postings, idf }, i) => {
      const listed: TermSlots[] = [];
      const found = postings[s];
      if (found) {
        // What phrases count is added once their texts were read.
        const relevance = tokens.length > 1 ? 0 : { postings: found, idf, lengths };
        listed.push({ bit, unless: 0, start: firstSlot, slots: found.slots, relevance });
      }
      const labels = labelled[i];
      if (labels) listed.push({ bit, unless: 0, start: 0, slots: labels, relevance: 1 });
      return listed.filter(({ slots }) => slots.length > 0);
    }),
  }));

/** Slots in order. */
function ascending(slots: ArrayLike<number>): Uint32Array {
  const sorted = Uint32Array.from(slots);
  return sorted.every((slot, i) => i === 0 || slot >= (sorted[i - 1] as number)) ? sorted : sorted.sort();
}

/** Finds out where each term occurs, and what it weighs. */
function resolveTerms(
  segments: TextSegment[],
  query: TextQuery,
  labelled: Uint32Array[],
  { selected, sources, documents }: { selected: Uint32Array; sources: SourceSet; documents: number },
): SearchedTerm[] {
  const { terms, prefix } = query;
  const isPrefix = (word: string) =>
    segments.some((segment) =>
      findContinued(segment, word).some((range) => countPostings(segment, range, sources) > 0),
    );
  const resolved = terms.map((term, i) => {
    const tokens = Array.from(findWords(term), ({ token }) => token);
    const written =
      tokens.length === 1
        ? findWord(segments, tokens[0] as string, sources)
        : findPhraseCandidates(segments, tokens, sources);
    // A name that a label has means itself, whatever the word says in another language.
    const isName = (labelled[i]?.length ?? 0) > 0;
    const found = isName ? written : addForeign(segments, query, term, written, sources);
    const mayBePrefix = term === prefix && i === terms.length - 1;
    const isHeld =
      found.frequency > 0 || isName || tokens.length !== 1 || (mayBePrefix && isPrefix(tokens[0] as string));
    const correction = isHeld ? null : correct(segments, query, term, { selected, sources });
    return { term, tokens, isHeld, correction: correction?.word ?? null, ...(correction?.found ?? found), bit: 1 << i };
  });
  const idfs = resolved.map(({ frequency }) => idf(frequency, documents));
  const sum = idfs.reduce((total, idf) => total + idf, 0);
  return resolved.map((term, i) => {
    const share = (idfs[i] ?? 0) / sum;
    return { ...term, idf: idfs[i] ?? 0, weight: term.correction === null ? share : uncertainWeight * share };
  });
}

/** What was decided for a word that no text holds, otherwise the most frequent word at one typing error that something selected holds. */
function correct(
  segments: TextSegment[],
  { kept, corrections }: TextQuery,
  term: string,
  { selected, sources }: Pick<TextSearchOptions, 'selected' | 'sources'>,
): { word: string; found: TermPostings } | null {
  const decided = corrections.find(({ from }) => from === term);
  if (decided) return { word: decided.to, found: findWord(segments, fold(decided.to), sources) };
  if (kept.includes(term)) return null;
  for (const correction of findCorrections(segments, fold(term), sources)) {
    const found = findWord(segments, correction, sources);
    const isHeld = found.postings.some(({ slots }, i) =>
      slots.some((slot) => isIn(selected, (segments[i]?.firstSlot ?? 0) + slot)),
    );
    if (isHeld) return { word: correction, found };
  }
  return null;
}

/** By segment, the slots that hold a word which begins with a prefix, and what these words count there. */
function findPrefixed(
  segments: TextSegment[],
  prefix: string,
  norm: LengthNorm,
  sources: SourceSet,
): { slots: Uint32Array; relevance: Float32Array }[] {
  const ranges = segments.map((segment) => findContinued(segment, prefix));
  const documents = segments.reduce((sum, { documentCount }) => sum + documentCount, 0);
  // At most that many hold one of these words.
  const counts = segments.flatMap(
    (segment, i) => ranges[i]?.map((range) => countPostings(segment, range, sources)) ?? [],
  );
  const occurrences = counts.reduce((sum, count) => sum + count, 0);
  const weight = idf(Math.min(documents, occurrences), documents);
  return segments.map((segment, i) => {
    const found = (ranges[i] as TermRange[]).filter(({ first, end }) => first < end);
    const { postingOffsets, postingSlots, postingWeights, postingSources, lengths } = segment;
    if (sums.length < segment.slotCount) sums = new Float32Array(segment.slotCount);
    const held: number[] = [];
    for (const { first, end } of found) {
      for (let p = postingOffsets[first] as number; p < (postingOffsets[end] as number); p++) {
        if (((postingSources[p] as number) & sources) === 0) continue;
        const slot = postingSlots[p] as number;
        const sum = sums[slot] as number;
        if (sum === 0) held.push(slot);
        sums[slot] = sum + bm25(weight, weightUnit * (postingWeights[p] as number), lengths[slot] as number, norm);
      }
    }
    const slots = Uint32Array.from(held).sort();
    const relevance = Float32Array.from(slots, (slot) => sums[slot] ?? 0);
    for (const slot of slots) sums[slot] = 0;
    return { slots, relevance };
  });
}

/** What words count by slot, all 0 between two uses: to allocate it takes longer than to add up a few postings. */
let sums = new Float32Array();

/** The phrases of a query, to be checked. */
const listPhrases = (
  segments: TextSegment[],
  terms: SearchedTerm[],
  norm: LengthNorm,
  labelled: Uint32Array[],
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
    return [{ bit, stems: tokens.map(stemOf), relevanceOf, labelled: new Set(labelled[i]) }];
  });
