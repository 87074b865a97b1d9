import { isIn, type SlotSet } from '../index/slot-set.ts';
import { BestSlots, type HeldTerms } from './best-slots.ts';
import { bm25, type Coverage, type LengthNorm, maxEvidence, textEvidence } from './scoring.ts';
import { findSlot, type Postings } from './term-postings.ts';

/** Slots that hold a term, ascending, counted from `start`, each once. */
export type TermSlots = {
  /** The term's. */
  bit: number;
  /** Slots that have one of these bits are passed over. */
  unless: number;
  start: number;
  slots: Uint32Array;
  /** What the term counts there: by BM25, by a list, or the same for all. */
  relevance: { postings: Postings; idf: number; lengths: Uint16Array } | Float32Array | number;
};

/** The terms of a query in the slots from `first` up to, but not including, `end`, in the order in which they are added up. */
export type SlotRange = { first: number; end: number; terms: TermSlots[] };

/** What is ranked. */
export type Ranked = { ranges: SlotRange[]; norm: LengthNorm; selected: Uint32Array };

/** Phrases of a query, which a slot holds only once its texts were read. */
export type HeldPhrases = {
  bits: number;
  /** A mask without the phrases that the slot is known not to hold. */
  known: (slot: number, mask: number) => number;
  relevanceOf: (slot: number) => number;
};

/**
 * Slots are added up in windows of this many, which stay in the processor's cache: with a million slots each posting would otherwise wait
 * for memory several times.
 */
const windowSize = 16_384;

/** Adds up what slots hold of a query. Made once a thread, used for one search after the other. */
export class Accumulator {
  #masks = new Int32Array(windowSize);
  #relevances = new Float32Array(windowSize);

  /** The slots with the most evidence, the best first; of equal ones the newest. */
  selectBest(ranked: Ranked, count: number, coverage: Coverage, phrases: HeldPhrases): HeldTerms[] {
    const best = new BestSlots(count);
    this.#visit(ranked, (term, begin, end, window) => {
      this.#offer(term, begin, end, window, { best, coverage, phrases });
    });
    return best.sorted();
  }

  /** The slots that hold at least a share of the query, as bits. */
  selectCovering(ranked: Ranked, least: number, coverage: Coverage, phrases: HeldPhrases): SlotSet {
    const found = { words: new Uint32Array(ranked.selected.length), size: 0 };
    this.#visit(ranked, ({ bit, start, slots }, begin, end, window) => {
      for (let i = begin; i < end; i++) {
        const slot = start + (slots[i] as number);
        const mask = this.#masks[slot - window] as number;
        // A slot counts where its first term is listed, once.
        if ((mask & -mask) !== bit) continue;
        this.#masks[slot - window] = 0;
        const known = (mask & phrases.bits) === 0 ? mask : phrases.known(slot, mask);
        if (known === 0 || coverage.of(known) < least) continue;
        found.words[slot >>> 5] = (found.words[slot >>> 5] as number) | (1 << (slot & 31));
        found.size += 1;
      }
    });
    return found;
  }

  /**
   * Adds up what slots hold, window by window, from the newest on: then those that are equal to the least of the best do not displace it.
   * @param visit called with the postings of each term in a window, once all of them are added up
   */
  #visit(
    { ranges, norm, selected }: Ranked,
    visit: (term: TermSlots, begin: number, end: number, window: number) => void,
  ): void {
    for (const { first, end, terms } of ranges.toReversed()) {
      /** For each term, the end of its postings that are left. */
      const ends = terms.map(({ start, slots }) => firstFrom(slots, end - start));
      for (
        let start = first + windowSize * Math.floor((end - 1 - first) / windowSize);
        start >= first;
        start -= windowSize
      ) {
        const begins = terms.map((term, i) => this.#add(term, ends[i] as number, start, norm, selected));
        for (const [i, term] of terms.entries()) visit(term, begins[i] as number, ends[i] as number, start);
        for (const [i, { slots, start: from }] of terms.entries()) {
          for (let k = begins[i] as number; k < (ends[i] as number); k++) {
            this.#masks[from + (slots[k] as number) - start] = 0;
          }
          ends[i] = begins[i] as number;
        }
      }
    }
  }

  /**
   * Adds the postings of a term that are in a window.
   * @param end the end of those that are not in a later window
   * @returns the first that is in the window
   */
  #add(term: TermSlots, end: number, window: number, norm: LengthNorm, selected: Uint32Array): number {
    const { slots, start, relevance } = term;
    const first = window - start;
    if (end === 0 || (slots[end - 1] as number) < first) return end;
    if (typeof relevance === 'object' && 'postings' in relevance) {
      return this.#addPostings(term, relevance, end, window, norm, selected);
    }
    let i = end;
    for (; i > 0 && (slots[i - 1] as number) >= first; i--) {
      const slot = start + (slots[i - 1] as number);
      if (!isIn(selected, slot)) continue;
      this.#addTo(slot - window, term, typeof relevance === 'number' ? relevance : (relevance[i - 1] as number));
    }
    return i;
  }

  #addTo(place: number, { bit, unless }: TermSlots, relevance: number): void {
    const mask = this.#masks[place] as number;
    if ((mask & unless) !== 0) return;
    this.#relevances[place] = mask === 0 ? relevance : (this.#relevances[place] as number) + relevance;
    this.#masks[place] = mask | bit;
  }

  #addPostings(
    { bit, start, slots }: TermSlots,
    { postings: { weights, scale }, idf, lengths }: Exclude<TermSlots['relevance'], Float32Array | number>,
    end: number,
    window: number,
    norm: LengthNorm,
    selected: Uint32Array,
  ): number {
    const masks = this.#masks;
    const relevances = this.#relevances;
    const offset = start - window;
    let i = end;
    for (; i > 0; i--) {
      const local = slots[i - 1] as number;
      const place = offset + local;
      if (place < 0) break;
      const slot = start + local;
      if (((selected[slot >>> 5] as number) & (1 << (slot & 31))) === 0) continue;
      const relevance = bm25(idf, (weights[i - 1] as number) * scale, lengths[local] as number, norm);
      const mask = masks[place] as number;
      relevances[place] = mask === 0 ? relevance : (relevances[place] as number) + relevance;
      masks[place] = mask | bit;
    }
    return i;
  }

  #offer(
    { bit, start, slots }: TermSlots,
    begin: number,
    end: number,
    window: number,
    { best, coverage, phrases }: { best: BestSlots; coverage: Coverage; phrases: HeldPhrases },
  ): void {
    const masks = this.#masks;
    const { byLowBits } = coverage;
    for (let i = end - 1; i >= begin; i--) {
      const slot = start + (slots[i] as number);
      let mask = masks[slot - window] as number;
      // A slot counts where its first term is listed, once.
      if ((mask & -mask) !== bit) continue;
      masks[slot - window] = 0;
      let phraseRelevance = 0;
      if ((mask & phrases.bits) !== 0) {
        mask = phrases.known(slot, mask);
        phraseRelevance = phrases.relevanceOf(slot);
      }
      const covered = mask >>> 0 < byLowBits.length ? (byLowBits[mask] as number) : coverage.of(mask);
      if (mask === 0 || covered * maxEvidence < best.least) continue;
      const relevance = (this.#relevances[slot - window] as number) + phraseRelevance;
      const evidence = textEvidence(covered, relevance);
      if (evidence >= best.least) best.offer({ slot, mask, relevance, evidence });
    }
  }
}

/** What one slot holds; null if that is nothing. */
export function readSlot({ ranges, norm, selected }: Ranked, slot: number, phrases: HeldPhrases): HeldTerms | null {
  const range = ranges.find(({ first, end }) => slot >= first && slot < end);
  if (!range || !isIn(selected, slot)) return null;
  let mask = 0;
  let relevance = 0;
  for (const { bit, unless, start, slots, relevance: counted } of range.terms) {
    const i = (mask & unless) === 0 ? findSlot(slots, slot - start) : -1;
    if (i < 0) continue;
    if (typeof counted === 'number') relevance = Math.fround(relevance + counted);
    else if (counted instanceof Float32Array) relevance = Math.fround(relevance + (counted[i] as number));
    else {
      const { postings, idf, lengths } = counted;
      const weight = (postings.weights[i] as number) * postings.scale;
      relevance = Math.fround(relevance + bm25(idf, weight, lengths[slot - start] as number, norm));
    }
    mask |= bit;
  }
  if ((mask & phrases.bits) === 0) return mask === 0 ? null : { slot, mask, relevance };
  mask = phrases.known(slot, mask);
  return mask === 0 ? null : { slot, mask, relevance: relevance + phrases.relevanceOf(slot) };
}

/** The place of the first of ascending slots from one on. */
function firstFrom(slots: Uint32Array, slot: number): number {
  let low = 0;
  let high = slots.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((slots[middle] as number) < slot) low = middle + 1;
    else high = middle;
  }
  return low;
}
