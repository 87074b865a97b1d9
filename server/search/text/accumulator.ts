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

/** The relevance of slots that may hold a phrase: none yet, but 0 has no sign. */
const leastRelevance = 1e-30;

/** Slots that were touched: `start` plus each of these. */
type TouchedSlots = { start: number; slots: ArrayLike<number> };

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
  /** Relevances; negative once a slot was seen by the current selection. */
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

  /**
   * Adds the occurrences of a term in one segment.
   * @param bit the term's; slots that have one of the bits of `unless` are passed over
   */
  addPostings(
    { slots, weights, scale, firstSlot, lengths }: ScoredPostings,
    { bit, unless, idf }: { bit: number; unless: number; idf: number },
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
      if ((mask & unless) !== 0) continue;
      const weight = (weights[i] as number) * scale;
      const relevance = (most * weight) / (weight + base + perToken * (lengths[local] as number));
      relevances[slot] = mask === 0 ? relevance : (relevances[slot] as number) + relevance;
      masks[slot] = mask | bit;
    }
    this.#touched.push({ start: firstSlot, slots });
  }

  /** Adds slots whose labels hold a term. */
  addLabelled(slots: ArrayLike<number>, bit: number, selected: Uint32Array): void {
    if (slots.length === 0) return;
    for (let i = 0; i < slots.length; i++) {
      const slot = slots[i] as number;
      if (((selected[slot >>> 5] ?? 0) & (1 << (slot & 31))) === 0) continue;
      const mask = this.#masks[slot] as number;
      this.#relevances[slot] = mask === 0 ? 1 : (this.#relevances[slot] as number) + 1;
      this.#masks[slot] = mask | bit;
    }
    this.#touched.push({ start: 0, slots });
  }

  /** Adds slots that may hold a phrase. Its relevance is not added up here, so that `remove` leaves no error of rounding. */
  addCandidates({ slots, firstSlot }: ScoredPostings, bit: number, selected: Uint32Array): void {
    for (let i = 0; i < slots.length; i++) {
      const slot = firstSlot + (slots[i] as number);
      if (((selected[slot >>> 5] ?? 0) & (1 << (slot & 31))) === 0) continue;
      const mask = this.#masks[slot] as number;
      if (mask === 0) this.#relevances[slot] = leastRelevance;
      this.#masks[slot] = mask | bit;
    }
    this.#touched.push({ start: firstSlot, slots });
  }

  /** Takes a phrase from a slot. */
  remove(slot: number, bit: number): void {
    this.#masks[slot] = (this.#masks[slot] ?? 0) & ~bit;
  }

  maskOf(slot: number): number {
    return this.#masks[slot] ?? 0;
  }

  relevanceOf(slot: number): number {
    return Math.abs(this.#relevances[slot] ?? 0);
  }

  /**
   * The slots with the most evidence, the best first; of equal ones the newest.
   * @param coverage by mask
   * @param phrases the terms that are phrases, as bits, and their relevance in a slot
   */
  selectBest(
    count: number,
    coverage: (mask: number) => number,
    phrases: { bits: number; relevanceOf: (slot: number) => number },
  ): number[] {
    const masks = this.#masks;
    const relevances = this.#relevances;
    const best = new BestSlots(count);
    for (const { start, slots } of this.#touched) {
      for (let i = 0; i < slots.length; i++) {
        const slot = start + (slots[i] as number);
        const mask = masks[slot] as number;
        const relevance = relevances[slot] as number;
        if (mask === 0 || relevance < 0) continue;
        relevances[slot] = -relevance;
        const covered = coverage(mask);
        if (covered * maxEvidence < best.least) continue;
        const whole = (mask & phrases.bits) === 0 ? relevance : relevance + phrases.relevanceOf(slot);
        best.offer(slot, textEvidence(covered, whole));
      }
    }
    this.#unmark();
    return best.sorted();
  }

  #unmark(): void {
    const relevances = this.#relevances;
    for (const { start, slots } of this.#touched) {
      for (let i = 0; i < slots.length; i++) {
        const slot = start + (slots[i] as number);
        relevances[slot] = Math.abs(relevances[slot] as number);
      }
    }
  }
}

/** The best of many slots: a heap whose first is the least. */
class BestSlots {
  #count: number;
  #slots: number[] = [];
  #evidence: number[] = [];

  constructor(count: number) {
    this.#count = count;
  }

  /** What another must reach to be among the best. */
  get least(): number {
    return this.#slots.length < this.#count ? 0 : (this.#evidence[0] ?? Infinity);
  }

  offer(slot: number, evidence: number): void {
    if (this.#slots.length < this.#count) {
      this.#slots.push(slot);
      this.#evidence.push(evidence);
      this.#siftUp(this.#slots.length - 1);
      return;
    }
    if (this.#count === 0 || !this.#isAbove(evidence, slot, 0)) return;
    this.#slots[0] = slot;
    this.#evidence[0] = evidence;
    this.#siftDown();
  }

  sorted(): number[] {
    return this.#slots
      .map((slot, i) => ({ slot, evidence: this.#evidence[i] as number }))
      .toSorted((a, b) => b.evidence - a.evidence || b.slot - a.slot)
      .map(({ slot }) => slot);
  }

  #isAbove(evidence: number, slot: number, i: number): boolean {
    const other = this.#evidence[i] as number;
    return evidence > other || (evidence === other && slot > (this.#slots[i] as number));
  }

  #siftUp(from: number): void {
    for (let i = from; i > 0;) {
      const parent = (i - 1) >> 1;
      if (this.#isAbove(this.#evidence[i] as number, this.#slots[i] as number, parent)) return;
      this.#swap(i, parent);
      i = parent;
    }
  }

  #siftDown(): void {
    for (let i = 0; ;) {
      let least = i;
      for (const child of [2 * i + 1, 2 * i + 2]) {
        if (child >= this.#slots.length) continue;
        if (this.#isAbove(this.#evidence[least] as number, this.#slots[least] as number, child)) least = child;
      }
      if (least === i) return;
      this.#swap(i, least);
      i = least;
    }
  }

  #swap(i: number, j: number): void {
    const [slot, evidence] = [this.#slots[i] as number, this.#evidence[i] as number];
    this.#slots[i] = this.#slots[j] as number;
    this.#evidence[i] = this.#evidence[j] as number;
    this.#slots[j] = slot;
    this.#evidence[j] = evidence;
  }
}
