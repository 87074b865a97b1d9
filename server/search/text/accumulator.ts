import { BestSlots } from './best-slots.ts';
import type { Coverage } from './coverage.ts';
import { maxEvidence, textEvidence } from './evidence.ts';
import type { Postings } from './term-postings.ts';

/** How lengths count in BM25, for the segments of one search. */
export type LengthNorm = { base: number; perToken: number };

/** BM25's usual parameters: how soon more occurrences stop to count, and how much the length counts (Robertson & Zaragoza 2009). */
const k1 = 1.2;
const b = 0.75;

export const lengthNorm = (averageLength: number): LengthNorm => ({
  base: k1 * (1 - b),
  perToken: averageLength > 0 ? (k1 * b) / averageLength : 0,
});

/** The relevance of one term by BM25. */
export const bm25 = (idf: number, weight: number, length: number, { base, perToken }: LengthNorm): number =>
  (idf * (k1 + 1) * weight) / (weight + base + perToken * length);

/** Inverse document frequency as in BM25, above 0: how significant it is that a text holds a term. */
export const idf = (frequency: number, documents: number): number =>
  Math.log(1 + (Math.max(0, documents - frequency) + 0.5) / (frequency + 0.5));

/** Slots that got a term's bit, each once: `start` plus each of these; others that did not may be among them. */
type TouchedSlots = { bit: number; start: number; slots: ArrayLike<number> };

export type ScoredPostings = Postings & {
  /** The first slot and the lengths of their segment. */
  firstSlot: number;
  lengths: Uint16Array;
};

/**
 * What the texts of each slot hold of a query: the terms, as bits, and their relevance. Made once a thread, used for one search after the
 * other; 8 bytes a slot.
 */
export class Accumulator {
  #masks = new Int32Array();
  #relevances = new Float32Array();
  #touched: TouchedSlots[] = [];

  /** Forgets the last search. */
  begin(slotEnd: number): void {
    if (this.#masks.length < slotEnd) {
      this.#masks = new Int32Array(Math.ceil(slotEnd * 1.25));
      this.#relevances = new Float32Array(this.#masks.length);
    } else {
      const masks = this.#masks;
      for (const { start, slots } of this.#touched) {
        for (let i = 0; i < slots.length; i++) masks[start + (slots[i] as number)] = 0;
      }
    }
    this.#touched = [];
  }

  /** Adds the occurrences of a word in one segment. */
  addPostings(
    { slots, weights, scale, firstSlot, lengths }: ScoredPostings,
    { bit, idf }: { bit: number; idf: number },
    { base, perToken }: LengthNorm,
    selected: Uint32Array,
  ): void {
    if (slots.length === 0) return;
    const masks = this.#masks;
    const relevances = this.#relevances;
    const most = idf * (k1 + 1);
    for (let i = 0; i < slots.length; i++) {
      const local = slots[i] as number;
      const slot = firstSlot + local;
      if (((selected[slot >>> 5] as number) & (1 << (slot & 31))) === 0) continue;
      const mask = masks[slot] as number;
      const weight = (weights[i] as number) * scale;
      const relevance = (most * weight) / (weight + base + perToken * (lengths[local] as number));
      relevances[slot] = mask === 0 ? relevance : (relevances[slot] as number) + relevance;
      masks[slot] = mask | bit;
    }
    this.#touched.push({ bit, start: firstSlot, slots });
  }

  /**
   * Adds the occurrences of one of the words that begin with a prefix.
   * @param bit that of the prefix; slots that hold it as a complete word, `complete`, are passed over
   */
  addPrefixed(
    { slots, weights, firstSlot, lengths }: ScoredPostings,
    { bit, complete, idf }: { bit: number; complete: number; idf: number },
    norm: LengthNorm,
    selected: Uint32Array,
  ): void {
    const added: number[] = [];
    for (let i = 0; i < slots.length; i++) {
      const local = slots[i] as number;
      const slot = firstSlot + local;
      const mask = this.#masks[slot] as number;
      if (!isSelected(selected, slot) || (mask & complete) !== 0) continue;
      const relevance = bm25(idf, weights[i] as number, lengths[local] as number, norm);
      this.#relevances[slot] = mask === 0 ? relevance : (this.#relevances[slot] as number) + relevance;
      if ((mask & bit) !== 0) continue;
      this.#masks[slot] = mask | bit;
      added.push(slot);
    }
    this.#touched.push({ bit, start: 0, slots: added });
  }

  /** Adds slots whose labels hold a term, with relevance 1. */
  addLabelled(slots: ArrayLike<number>, bit: number, selected: Uint32Array): void {
    const added: number[] = [];
    for (let i = 0; i < slots.length; i++) {
      const slot = slots[i] as number;
      if (!isSelected(selected, slot)) continue;
      const mask = this.#masks[slot] as number;
      this.#relevances[slot] = mask === 0 ? 1 : (this.#relevances[slot] as number) + 1;
      if ((mask & bit) !== 0) continue;
      this.#masks[slot] = mask | bit;
      added.push(slot);
    }
    this.#touched.push({ bit, start: 0, slots: added });
  }

  /** Adds slots that may hold a phrase. Its relevance is not added up here, so that `remove` leaves no error of rounding. */
  addCandidates({ slots, firstSlot }: ScoredPostings, bit: number, selected: Uint32Array): void {
    for (let i = 0; i < slots.length; i++) {
      const slot = firstSlot + (slots[i] as number);
      if (!isSelected(selected, slot)) continue;
      const mask = this.#masks[slot] as number;
      if (mask === 0) this.#relevances[slot] = 0;
      this.#masks[slot] = mask | bit;
    }
    this.#touched.push({ bit, start: firstSlot, slots });
  }

  /** Takes a phrase from a slot. */
  remove(slot: number, bit: number): void {
    this.#masks[slot] = (this.#masks[slot] ?? 0) & ~bit;
  }

  maskOf(slot: number): number {
    return this.#masks[slot] ?? 0;
  }

  relevanceOf(slot: number): number {
    return this.#relevances[slot] ?? 0;
  }

  /**
   * The slots with the most evidence, the best first; of equal ones the newest.
   * @param phrases the terms that are phrases, as bits, and their relevance in a slot
   */
  selectBest(
    count: number,
    coverage: Coverage,
    phrases: { bits: number; relevanceOf: (slot: number) => number },
  ): number[] {
    const masks = this.#masks;
    const relevances = this.#relevances;
    const { byLowBits } = coverage;
    const best = new BestSlots(count);
    for (const { bit, start, slots } of this.#touched) {
      // From the newest on: then those that are equal to the least of the best do not displace it.
      for (let i = slots.length - 1; i >= 0; i--) {
        const slot = start + (slots[i] as number);
        const mask = masks[slot] as number;
        // A slot counts where its first term is listed.
        if ((mask & -mask) !== bit) continue;
        const covered = mask >>> 0 < 256 ? (byLowBits[mask] as number) : coverage.of(mask);
        if (covered * maxEvidence < best.least) continue;
        const relevance = relevances[slot] as number;
        const whole = (mask & phrases.bits) === 0 ? relevance : relevance + phrases.relevanceOf(slot);
        const evidence = textEvidence(covered, whole);
        if (evidence >= best.least) best.offer(slot, evidence);
      }
    }
    return best.sorted();
  }
}

const isSelected = (selected: Uint32Array, slot: number): boolean =>
  ((selected[slot >>> 5] ?? 0) & (1 << (slot & 31))) !== 0;
