import { isIn, type SlotSet } from '../index/slot-set.ts';
import { BestSlots, type HeldTerms } from './best-slots.ts';
import { bm25, type Coverage, type LengthNorm, maxEvidence, minEvidence, textEvidence } from './scoring.ts';
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

/** Where the best are so few among all matches, each is looked up by itself, and no other is added up. */
const fewShare = 1 / 4;
const maxFew = 1024;

/** Masks below this are counted in a table. */
const tableSize = 256;

/** Slots that hold nearly as much of a query as each other: shares of its weight, 0..1, and how many. */
export type CoverageLevel = { least: number; most: number; size: number };

/**
 * Adds up what slots hold of a query. Made once a thread, used for one search after the other.
 *
 * It is done in two steps. The first marks which terms each slot holds, without a look at their weights, and lists the slots that hold any. How many hold
 * which terms says what a slot has to hold to be among the best, because evidence is bounded by coverage (as in MaxScore, Turtle & Flood 1995). So the
 * second step mostly computes BM25 for the few hundred slots that may be among them, not for each of the tens of thousands that hold a common word.
 */
export class Accumulator {
  #masks = new Int32Array(windowSize);
  #relevances = new Float32Array(windowSize);
  /** What was listed, and of what: the slots that hold anything and their terms, in no particular order. */
  #listed: { of: Ranked | null; size: number } = { of: null, size: 0 };
  #listedSlots = new Uint32Array(1024);
  #listedMasks = new Int32Array(1024);
  /** How many were listed by their mask, for masks of the first eight terms. */
  #counts = new Uint32Array(tableSize);
  /** Those of one mask as a chain, so that of many only those that are wanted are looked at: the place of the last plus one, 0 for none. */
  #last = new Uint32Array(tableSize);
  /** For each that was listed, the place of the one before with the same mask plus one. */
  #before = new Uint32Array(1024);

  /** The slots with the most evidence, the best first; of equal ones the newest. */
  selectBest(ranked: Ranked, count: number, coverage: Coverage, phrases: HeldPhrases): HeldTerms[] {
    const best = new BestSlots(count);
    this.#list(ranked);
    const needed = phrases.bits === 0 ? this.#findNeeded(count, coverage) : null;
    if (needed && needed.size <= Math.min(maxFew, fewShare * this.#listed.size)) {
      for (const mask of needed.masks) {
        this.#eachWith(mask, (slot) => {
          const held = readSlot(ranked, slot, phrases);
          if (!held) return;
          const evidence = textEvidence(coverage.of(held.mask), held.relevance);
          if (evidence >= best.least) best.offer({ ...held, evidence });
        });
      }
      return best.sorted();
    }
    this.#visit(ranked, (term, begin, end, window) => {
      this.#offer(term, begin, end, window, { best, coverage, phrases });
    });
    return best.sorted();
  }

  /** The slots that hold at least a share of the query, and less than another, as bits. */
  selectCovering(ranked: Ranked, least: number, below: number, coverage: Coverage, phrases: HeldPhrases): SlotSet {
    this.#list(ranked);
    const words = new Uint32Array(ranked.selected.length);
    let size = 0;
    const add = (slot: number) => {
      words[slot >>> 5] = (words[slot >>> 5] as number) | (1 << (slot & 31));
      size += 1;
    };
    const isCovered = (mask: number) => coverage.of(mask) >= least && coverage.of(mask) < below;
    if (coverage.byLowBits.length < tableSize && phrases.bits === 0) {
      for (const mask of coverage.byLowBits.keys()) if (mask > 0 && isCovered(mask)) this.#eachWith(mask, add);
      return { words, size };
    }
    for (let i = 0; i < this.#listed.size; i++) {
      const slot = this.#listedSlots[i] as number;
      const mask = phrases.known(slot, this.#listedMasks[i] as number);
      if (mask !== 0 && isCovered(mask)) add(slot);
    }
    return { words, size };
  }

  /** Visits those that were listed with a mask below `tableSize`, the last first. */
  #eachWith(mask: number, visit: (slot: number) => void): void {
    const [slots, before] = [this.#listedSlots, this.#before];
    for (let place = this.#last[mask] as number; place > 0; place = before[place - 1] as number) {
      visit(slots[place - 1] as number);
    }
  }

  /** How many slots hold how much of the query, most of it first. What differs by less than `step` is one level. */
  countLevels(ranked: Ranked, step: number, coverage: Coverage, phrases: HeldPhrases): CoverageLevel[] {
    this.#list(ranked);
    const counts = new Map<number, number>();
    const count = (covered: number, more: number) => counts.set(covered, (counts.get(covered) ?? 0) + more);
    const { byLowBits } = coverage;
    for (const [mask, covered] of byLowBits.entries()) {
      const listed = this.#counts[mask] as number;
      if (mask > 0 && listed > 0 && (mask & phrases.bits) === 0) count(covered, listed);
    }
    // The others one by one: those of many terms, and those that may hold a phrase.
    if (byLowBits.length >= tableSize || phrases.bits !== 0) {
      for (let i = 0; i < this.#listed.size; i++) {
        const mask = this.#listedMasks[i] as number;
        const isCounted = mask >>> 0 < byLowBits.length && (mask & phrases.bits) === 0;
        const known = isCounted ? 0 : phrases.known(this.#listedSlots[i] as number, mask);
        if (known !== 0) count(coverage.of(known), 1);
      }
    }
    const levels: CoverageLevel[] = [];
    for (const [covered, size] of [...counts].toSorted(([a], [b]) => b - a)) {
      const last = levels.at(-1);
      if (last && last.most - covered < step) {
        last.least = covered;
        last.size += size;
      } else levels.push({ least: covered, most: covered, size });
    }
    return levels;
  }

  /**
   * The masks that a slot has to have to be among the best `count`, and how many slots have one of them. Null where masks are too many for the table.
   */
  #findNeeded(count: number, { byLowBits }: Coverage): { masks: number[]; size: number } | null {
    if (byLowBits.length >= tableSize) return null;
    const order = Array.from(byLowBits.keys())
      .filter((mask) => (this.#counts[mask] as number) > 0)
      .sort((a, b) => (byLowBits[b] as number) - (byLowBits[a] as number));
    const masks: number[] = [];
    let size = 0;
    let least = 0;
    for (const mask of order) {
      const covered = byLowBits[mask] as number;
      // The best it can be is worse than the worst of enough others.
      if (covered * maxEvidence < least) break;
      masks.push(mask);
      if (size < count && size + (this.#counts[mask] as number) >= count) least = covered * minEvidence;
      size += this.#counts[mask] as number;
    }
    return { masks, size };
  }

  /** Lists the selected slots that hold a term, with the terms of each. */
  #list(ranked: Ranked): void {
    if (this.#listed.of === ranked) return;
    const { ranges, selected } = ranked;
    const total = ranges.reduce(
      (sum, { first, end, terms }) =>
        sum +
        Math.min(
          end - first,
          terms.reduce((postings, { slots }) => postings + slots.length, 0),
        ),
      0,
    );
    // One more, which is written and not counted.
    if (this.#listedSlots.length <= total) {
      this.#listedSlots = new Uint32Array(Math.ceil(1.5 * total) + 1);
      this.#listedMasks = new Int32Array(Math.ceil(1.5 * total) + 1);
      this.#before = new Uint32Array(Math.ceil(1.5 * total) + 1);
    }
    this.#counts.fill(0);
    this.#last.fill(0);
    this.#listed = { of: ranked, size: 0 };
    for (const { first, end, terms } of ranges) {
      const next = terms.map(({ start, slots }) => firstFrom(slots, first - start));
      for (let window = first; window < end; window += windowSize) {
        const from = this.#listed.size;
        for (const [t, term] of terms.entries()) {
          next[t] = this.#mark(term, next[t] as number, window, Math.min(end, window + windowSize), selected);
        }
        this.#takeMasks(window, from);
      }
    }
  }

  /**
   * Marks a term in the slots of a window, and lists those that held none before.
   * @param from the first of its postings in the window
   * @returns the first behind it
   */
  #mark(
    { bit, unless, start, slots }: TermSlots,
    from: number,
    window: number,
    stop: number,
    selected: Uint32Array,
  ): number {
    const masks = this.#masks;
    const listed = this.#listedSlots;
    let { size } = this.#listed;
    let i = from;
    for (; i < slots.length; i++) {
      const slot = start + (slots[i] as number);
      if (slot >= stop) break;
      if (((selected[slot >>> 5] as number) & (1 << (slot & 31))) === 0) continue;
      const mask = masks[slot - window] as number;
      if ((mask & unless) !== 0) continue;
      masks[slot - window] = mask | bit;
      // Written in any case: which of two terms comes first is as likely as not, and a wrong guess costs more than the write.
      listed[size] = slot;
      size += mask === 0 ? 1 : 0;
    }
    this.#listed.size = size;
    return i;
  }

  /** Takes the masks of what was listed in a window, which is empty then. */
  #takeMasks(window: number, from: number): void {
    const { size } = this.#listed;
    const [masks, counts, last, before] = [this.#masks, this.#counts, this.#last, this.#before];
    const [listedSlots, listedMasks] = [this.#listedSlots, this.#listedMasks];
    for (let i = from; i < size; i++) {
      const place = (listedSlots[i] as number) - window;
      const mask = masks[place] as number;
      masks[place] = 0;
      listedMasks[i] = mask;
      if (mask >>> 0 >= tableSize) continue;
      counts[mask] = (counts[mask] as number) + 1;
      before[i] = last[mask] as number;
      last[mask] = i + 1;
    }
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
